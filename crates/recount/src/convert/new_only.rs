//! Converting the captures of directories one by one, and only those that are new or changed.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recount_compute::Progress;
use recount_output::{OutputError, check_directory, directory_of};

use super::journal::Journal;
use super::{ConvertError, ConvertOptions, ConvertReport, OutputFormat, Target, convert};
use crate::Capture;
use crate::walk::{Stamp, walk};

/// The captures below some paths, each converted into an output of its own in one directory: a capture `web1/monday.blg` into
/// `web1/monday.blg.parquet`.
///
/// The directory remembers in a file `.recount-converted` of which size and time of change each source was, and with which
/// settings it was converted. It is noted before an output is written and after, so that a run that was killed in between
/// is made good by the next.
#[derive(Debug)]
pub struct NewOnly {
    journal: Journal,
    pending: Vec<Pending>,
    num_unchanged: usize,
}

/// A capture that is to be converted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pending {
    /// The capture.
    pub path: PathBuf,
    /// Where it goes.
    pub output: PathBuf,
    /// The output within the directory.
    key: String,
    stamp: Stamp,
}

impl NewOnly {
    /// Finds out what is to be converted. The directory is created. `settings` is any text that differs if values would.
    pub fn new(
        paths: &[PathBuf],
        directory: &Path,
        format: OutputFormat,
        settings: &str,
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
        let journal = Journal::open(directory, settings)?;
        let mut new = NewOnly { journal, pending: Vec::new(), num_unchanged: 0 };
        let mut outputs = HashSet::new();
        for found in walked.found {
            let mut name = found.below().as_os_str().to_owned();
            name.push(".");
            name.push(format.extension());
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

    /// What is new or changed, by path.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// How many captures were converted before.
    pub fn num_unchanged(&self) -> usize {
        self.num_unchanged
    }

    /// Converts one. An output that this directory doesn't know is replaced only if `options` say so.
    pub fn convert(
        &mut self,
        pending: &Pending,
        captures: &[Capture],
        options: &ConvertOptions,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<ConvertReport, ConvertError> {
        let is_own = self.journal.knows(&pending.key);
        if !is_own && !options.force && pending.output.exists() {
            return Err(OutputError::Exists { path: pending.output.clone() }.into());
        }
        let inside = directory_of(&pending.output);
        fs::create_dir_all(inside).map_err(|source| OutputError::Io { path: inside.into(), source })?;
        self.journal.begin(&pending.key)?;
        let options = ConvertOptions { force: true, ..options.clone() };
        let report = convert(captures, &Target::Path(pending.output.clone()), &options, progress)?;
        self.journal.done(&pending.key, pending.stamp)?;
        Ok(report)
    }
}

/// Creates the directory of the outputs in one that exists.
fn create(directory: &Path) -> Result<(), OutputError> {
    check_directory(directory)?;
    match fs::create_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => Ok(()),
        created => created.map_err(|source| OutputError::Io { path: directory.into(), source }),
    }
}
