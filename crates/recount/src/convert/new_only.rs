//! Converting the captures of directories one by one, and only those that are new or changed.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recount_compute::OnProgress;
use recount_output::{Access, OutputError, check_directory, directory_of};

use super::journal::Journal;
use super::{ConversionSettings, ConvertError, ConvertOptions, ConvertReport, Target, convert};
use crate::Timeline;
use crate::files::walk::{Stamp, walk};

/// The captures below some paths, each converted into an output of its own in one directory: a capture `web1/monday.blg` into
/// `web1/monday.blg.parquet`.
///
/// A file `.recount-converted` in the directory records each source's size and modification time, and a key of the
/// [`ConversionSettings`]. An entry is made before and after an output is written, so that the next run redoes the work of one
/// that was killed in between.
#[derive(Debug)]
pub struct NewOnly {
    journal: Journal,
    pending: Vec<Pending>,
    num_unchanged: usize,
}

/// A capture to convert.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pending {
    /// The capture.
    pub path: PathBuf,
    /// Path of its output.
    pub output: PathBuf,
    /// Path of the output within the directory.
    key: String,
    stamp: Stamp,
}

impl NewOnly {
    /// Finds out what to convert, and creates the directory.
    pub fn new(
        paths: &[PathBuf],
        directory: &Path,
        settings: &ConversionSettings<'_>,
    ) -> Result<NewOnly, ConvertError> {
        create(directory)?;
        let is_same = |path: &PathBuf| matches!((path.canonicalize(), directory.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if let Some(path) = paths.iter().find(|path| is_same(path)) {
            return Err(OutputError::Taken { path: path.clone(), what: "an input" }.into());
        }
        let walked =
            walk(paths, Some(directory)).map_err(|(path, source)| OutputError::Io { path, source })?;
        if let Some((path, source)) = walked.failed.into_iter().next() {
            return Err(OutputError::Io { path, source }.into());
        }
        let access = Access::of(paths).and(&Access::of(walked.found.iter().map(|found| &found.path)));
        let journal = Journal::open(directory, &settings.key(), &access)?;
        let mut new = NewOnly { journal, pending: Vec::new(), num_unchanged: 0 };
        let mut outputs = HashSet::new();
        for found in walked.found {
            let mut name = found.below().as_os_str().to_owned();
            name.push(".");
            name.push(settings.options.format.extension());
            let output = directory.join(&name);
            if !outputs.insert(output.clone()) {
                return Err(OutputError::Taken { path: output, what: "another output" }.into());
            }
            let key = name.to_string_lossy().into_owned();
            if new.journal.has(&key, found.stamp) && output.exists() {
                new.num_unchanged += 1;
            } else {
                new.pending.push(Pending { path: found.path, output, key, stamp: found.stamp });
            }
        }
        Ok(new)
    }

    /// The captures that are new or changed, sorted by path.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// Number of captures that are already converted and unchanged.
    pub fn num_unchanged(&self) -> usize {
        self.num_unchanged
    }

    /// Converts one capture. An existing output that isn't in the directory's record is replaced only if
    /// `options` say so.
    pub fn convert(
        &mut self,
        pending: &Pending,
        timeline: &Timeline,
        options: &ConvertOptions,
        progress: OnProgress<'_>,
    ) -> Result<ConvertReport, ConvertError> {
        let is_own = self.journal.knows(&pending.key);
        if !is_own && !options.force && pending.output.exists() {
            return Err(OutputError::Exists { path: pending.output.clone() }.into());
        }
        let inside = directory_of(&pending.output);
        fs::create_dir_all(inside).map_err(|source| OutputError::Io { path: inside.into(), source })?;
        self.journal.begin(&pending.key)?;
        let options = ConvertOptions { force: true, ..options.clone() };
        let report = convert(timeline, &Target::Path(pending.output.clone()), &options, progress)?;
        self.journal.done(&pending.key, pending.stamp)?;
        Ok(report)
    }
}

/// Creates the directory of the outputs; its parent must exist.
fn create(directory: &Path) -> Result<(), OutputError> {
    check_directory(directory)?;
    match fs::create_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => Ok(()),
        created => created.map_err(|source| OutputError::Io { path: directory.into(), source }),
    }
}
