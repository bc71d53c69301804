//! Converting the captures of directories one by one, and only those that are new or changed.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use recount_compute::OnProgress;
use recount_output::{Access, OutputError, check_directory, check_own_files, directory_of};
use recount_tables::is_table;

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
    directory: PathBuf,
    journal: Mutex<Journal>,
    pending: Vec<Pending>,
    num_unchanged: usize,
    num_without: usize,
    /// Outputs of earlier runs that aren't of the captures as they are now.
    stale: Mutex<BTreeSet<PathBuf>>,
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

impl Pending {
    /// Bytes of the capture.
    pub fn len_capture(&self) -> u64 {
        u64::try_from(self.stamp.size).unwrap_or(0)
    }
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
        let (mut pending, mut num_unchanged, mut num_without) = (Vec::new(), 0, 0);
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
            if journal.has(&key, found.stamp) && output.exists() {
                num_unchanged += 1;
            } else if journal.has_nothing(&key, found.stamp) {
                num_without += 1;
                // It is nobody's output.
                outputs.remove(&output);
            } else {
                pending.push(Pending { path: found.path, output, key, stamp: found.stamp });
            }
        }
        let known = journal.outputs().map(|name| directory.join(name));
        let stale = known.filter(|output| !outputs.contains(output) && is_there(output)).collect();
        let directory = directory.to_path_buf();
        let (journal, stale) = (Mutex::new(journal), Mutex::new(stale));
        Ok(NewOnly { directory, journal, pending, num_unchanged, num_without, stale })
    }

    /// The captures that are new or changed, sorted by path.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// Number of captures that are already converted and unchanged.
    pub fn num_unchanged(&self) -> usize {
        self.num_unchanged
    }

    /// Number of unchanged captures that have none of the counters asked for.
    pub fn num_without_counters(&self) -> usize {
        self.num_without
    }

    /// Converts one capture; `None` if it has none of the counters asked for. An existing output that isn't in the
    /// directory's record is replaced only if `options` say so. Several may be converted at once.
    pub fn convert(
        &self,
        pending: &Pending,
        timeline: &Timeline,
        options: &ConvertOptions,
        progress: OnProgress<'_>,
    ) -> Result<Option<ConvertReport>, ConvertError> {
        let is_own = self.journal().knows(&pending.key);
        if !is_own && !options.force && pending.output.exists() {
            return Err(OutputError::Exists { path: pending.output.clone() }.into());
        }
        let inside = directory_of(&pending.output);
        fs::create_dir_all(inside).map_err(|source| OutputError::Io { path: inside.into(), source })?;
        self.journal().begin(&pending.key)?;
        let options = ConvertOptions { force: true, ..options.clone() };
        match convert(timeline, &Target::Path(pending.output.clone()), &options, progress) {
            Ok(report) => {
                self.journal().done(&pending.key, pending.stamp)?;
                Ok(Some(report))
            }
            Err(ConvertError::NoCounters) => {
                self.journal().done_with_nothing(&pending.key, pending.stamp)?;
                if is_own {
                    self.failed(pending);
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Notes that a capture could not be converted: what an earlier run made of it is stale.
    pub fn failed(&self, pending: &Pending) {
        if self.journal().knows(&pending.key) && is_there(&pending.output) {
            let mut stale = self.stale.lock().unwrap_or_else(PoisonError::into_inner);
            stale.insert(pending.output.clone());
        }
    }

    /// Outputs of earlier runs that aren't what this run makes of its captures, sorted: of captures that are gone, that could not
    /// be converted now, or that have none of the counters asked for.
    pub fn stale(&self) -> Vec<PathBuf> {
        self.stale.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Removes these outputs, and directories that become empty. Returns how many there were.
    pub fn prune(&self) -> Result<usize, ConvertError> {
        let stale = self.stale();
        for output in &stale {
            let failed = |source| OutputError::Io { path: output.clone(), source };
            if output.is_dir() {
                check_own_files(output, is_table)?;
                fs::remove_dir_all(output).map_err(failed)?;
            } else {
                fs::remove_file(output).map_err(failed)?;
            }
            let above = output.ancestors().skip(1).take_while(|above| *above != self.directory);
            // Those that aren't empty stay.
            above.map_while(|above| fs::remove_dir(above).ok()).for_each(drop);
        }
        self.stale.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(stale.len())
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether something is there, also a link to nothing.
fn is_there(output: &Path) -> bool {
    output.symlink_metadata().is_ok()
}

/// Creates the directory of the outputs; its parent must exist.
fn create(directory: &Path) -> Result<(), OutputError> {
    check_directory(directory)?;
    match fs::create_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => Ok(()),
        created => created.map_err(|source| OutputError::Io { path: directory.into(), source }),
    }
}
