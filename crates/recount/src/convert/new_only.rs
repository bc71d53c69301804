//! Converting the captures of directories one by one, and only those that are new or changed.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use recount_compute::OnProgress;
use recount_output::{Access, OutputError, check_directory, check_own_files, directory_of, remove_left_over};
use recount_tables::is_table;

use super::journal::Journal;
use super::{ConversionSettings, ConvertError, ConvertOptions, ConvertReport, Target, convert};
use crate::files::walk::{Stamp, walk};
use crate::{NoSamples, Timeline};

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
    others: Vec<(PathBuf, PathBuf)>,
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
        let mut journal = Journal::open(directory, &settings.key(), &access)?;
        let (mut pending, mut num_unchanged, mut num_without) = (Vec::new(), 0, 0);
        let (mut outputs, mut others) = (HashMap::new(), Vec::new());
        let mut stamps: HashMap<PathBuf, Stamp> = HashMap::new();
        for found in walked.found {
            let mut name = found.below().as_os_str().to_owned();
            name.push(".");
            name.push(settings.options.format.extension());
            let output = directory.join(&name);
            if let Some(other) = outputs.insert(output.clone(), found.path.clone()) {
                return Err(ConvertError::SameOutput { captures: [other, found.path], output });
            }
            let key = name.to_string_lossy().into_owned();
            stamps.insert(found.path.clone(), found.stamp);
            let other = journal.source(&key).filter(|other| *other != found.path);
            // Another capture has the name: it is converted, and the one before may still be there.
            let is_own = other.is_none();
            others.extend(other.filter(|other| is_there(other)).map(|other| (output.clone(), other)));
            if is_own && journal.has(&key, found.stamp) && is_as_made(&journal, &key, &output) {
                num_unchanged += 1;
                if journal.source(&key).is_none() {
                    // From a version that didn't note it.
                    let made = Stamp::of_output(&output);
                    journal.done(&key, (&found.path, found.stamp), made)?;
                }
            } else if is_own && journal.has_nothing(&key, found.stamp) {
                num_without += 1;
                // It is nobody's output.
                outputs.remove(&output);
            } else {
                pending.push(Pending { path: found.path, output, key, stamp: found.stamp });
            }
        }
        let stale = stale(paths, directory, &journal, &stamps);
        let stale = stale.into_iter().filter(|output| !outputs.contains_key(output)).collect();
        let directory = directory.to_path_buf();
        let (journal, stale) = (Mutex::new(journal), Mutex::new(stale));
        Ok(NewOnly { directory, journal, pending, num_unchanged, num_without, stale, others })
    }

    /// The directory's record, if something else was in its place.
    pub fn unreadable_journal(&self) -> Option<PathBuf> {
        self.journal().unreadable().map(Path::to_path_buf)
    }

    /// Outputs that are about to be made of other captures than before, which are still there: both have one name.
    pub fn others(&self) -> &[(PathBuf, PathBuf)] {
        &self.others
    }

    /// The captures that are new or changed, sorted by path.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// Number of captures that are already converted and unchanged.
    pub fn num_unchanged(&self) -> usize {
        self.num_unchanged
    }

    /// Number of unchanged captures that have nothing of what is asked for.
    pub fn num_with_nothing(&self) -> usize {
        self.num_without
    }

    /// Converts one capture; `None` if it has none of the counters asked for, or no sample at the times asked for. An existing output that isn't in the
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
        self.journal().begin(&pending.key, &pending.path)?;
        let options = ConvertOptions { force: true, ..options.clone() };
        match convert(timeline, &Target::Path(pending.output.clone()), &options, progress) {
            Ok(report) => {
                let made = Stamp::of_output(&pending.output);
                self.journal().done(&pending.key, (&pending.path, pending.stamp), made)?;
                Ok(Some(report))
            }
            Err(
                ConvertError::NoCounters
                | ConvertError::NoSamples(NoSamples::Outside { .. } | NoSamples::Between { .. }),
            ) => {
                self.journal().done_with_nothing(&pending.key, (&pending.path, pending.stamp))?;
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

    /// Whether an earlier run read the file as a capture.
    pub fn was_capture(&self, pending: &Pending) -> bool {
        let journal = self.journal();
        journal.knows(&pending.key) && journal.source(&pending.key).is_none_or(|path| path == pending.path)
    }

    /// Outputs of earlier runs that aren't what this run makes of its captures, sorted: of captures that are gone from the paths
    /// of this run, that could not be converted now, or that have nothing of what is asked for. Those of captures elsewhere
    /// aren't asked about.
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

/// Outputs of captures that this run's paths would have, but have no more, or not with these settings. What killed runs left
/// beside outputs is removed.
fn stale(
    paths: &[PathBuf],
    directory: &Path,
    journal: &Journal,
    stamps: &HashMap<PathBuf, Stamp>,
) -> Vec<PathBuf> {
    let named: Vec<PathBuf> = paths.iter().filter_map(|path| std::path::absolute(path).ok()).collect();
    let is_stale = |name: &str| {
        let source =
            journal.source(name).filter(|source| named.iter().any(|named| source.starts_with(named)));
        let is_current = |source: &PathBuf| stamps.get(source).is_none_or(|stamp| journal.has(name, *stamp));
        source.is_some_and(|source| !is_there(&source) || !is_current(&source))
    };
    let (mut found, mut folders) = (Vec::new(), BTreeSet::new());
    for name in journal.outputs() {
        let output = directory.join(&name);
        folders.insert(directory_of(&output).to_path_buf());
        if is_there(&output) && is_stale(&name) {
            found.push(output);
        }
    }
    folders.iter().filter(|folder| folder.is_dir()).for_each(|folder| remove_left_over(folder));
    found
}

/// Whether an output is there as this or an earlier run left it.
fn is_as_made(journal: &Journal, key: &str, output: &Path) -> bool {
    let found = Stamp::of_output(output);
    found.is_some() && journal.made(key).is_none_or(|made| found == Some(made))
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
