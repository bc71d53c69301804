//! Unfinished outputs: their names, how to remove them when a signal prevents drops, and how a later run removes those of
//! processes that were killed.
//!
//! A living process holds a lock on each of its unfinished outputs, which the system releases when the process ends, also
//! by a power cut, and which other machines see on a shared file system that has locks. So an output that isn't locked is
//! abandoned. Where locks aren't supported, nothing is removed.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Directories in which this process has begun outputs.
static DIRECTORIES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Directories in which this process has looked for outputs of others.
#[cfg(unix)]
static LOOKED_AT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How such a name ends.
pub(crate) const PARTIAL_SUFFIX: &str = ".partial";

/// How the names of this process's unfinished outputs begin: hidden, recognisable as recount's, and different
/// for each process. `directory` is where one is about to be created.
pub(crate) fn partial_prefix(directory: &Path) -> String {
    DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner).insert(directory.to_path_buf());
    prefix()
}

fn prefix() -> String {
    format!(".recount-{}-", std::process::id())
}

/// Marks an unfinished output as that of a living process, for as long as the file is open. Not on Windows, where a lock
/// would keep the process itself from writing.
pub(crate) fn hold(file: &File) {
    #[cfg(not(windows))]
    let _ = file.try_lock();
    #[cfg(windows)]
    let _ = file;
}

/// Ends what [`hold`] began.
pub(crate) fn release(file: &File) {
    #[cfg(not(windows))]
    let _ = file.unlock();
    #[cfg(windows)]
    let _ = file;
}

/// Removes unfinished outputs of processes that no longer run, if they belong to the user of `own`, an output that was
/// just begun in the directory. Failures aren't reported: they have nothing to do with what the user asked for.
#[cfg(unix)]
pub(crate) fn remove_abandoned(directory: &Path, own: &Metadata) {
    use std::os::unix::fs::MetadataExt;

    // Once is enough: there may be many outputs in a large directory.
    if !LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner).insert(directory.to_path_buf()) {
        return;
    }
    let Ok(inside) = std::fs::read_dir(directory) else { return };
    for entry in inside.flatten() {
        let Some(process) = process_of(&entry.file_name().to_string_lossy()) else { continue };
        // Between creating an output and locking it, its process lives.
        if is_running(process) {
            continue;
        }
        let Ok(found) = entry.metadata() else { continue };
        // Not of links, nor of pipes, which would block.
        let is_ours = found.uid() == own.uid() && (found.is_file() || found.is_dir());
        if is_ours && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let path = entry.path();
            let _ = if found.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
    }
}

/// Nothing tells whether an output is abandoned.
#[cfg(not(unix))]
pub(crate) fn remove_abandoned(_: &Path, _: &Metadata) {}

/// The process whose unfinished output has this name.
#[cfg(unix)]
fn process_of(name: &str) -> Option<u32> {
    let (process, rest) = name.strip_prefix(".recount-")?.split_once('-')?;
    rest.strip_suffix(PARTIAL_SUFFIX)?;
    process.parse().ok()
}

/// Whether a process of this number runs on this machine; not known without `/proc`.
#[cfg(unix)]
fn is_running(process: u32) -> bool {
    process == std::process::id() || Path::new("/proc").join(process.to_string()).exists()
}

/// Removes this process's unfinished outputs, for when a signal ends it. Nothing may be written afterwards.
pub fn remove_partial() {
    for directory in &*DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner) {
        remove_partial_in(directory);
    }
}

fn remove_partial_in(directory: &Path) {
    let Ok(inside) = std::fs::read_dir(directory) else { return };
    for entry in inside.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix()) && name.ends_with(PARTIAL_SUFFIX) {
            let path = entry.path();
            // Ignore failures: nobody is left to report them to.
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unfinished_goes_and_nothing_else() {
        let directory = tempfile::tempdir().expect("a directory");
        let prefix = partial_prefix(directory.path());
        let name = |name: &str| directory.path().join(name);
        std::fs::write(name(&format!("{prefix}abc{PARTIAL_SUFFIX}")), "half").expect("a file");
        std::fs::create_dir(name(&format!("{prefix}def{PARTIAL_SUFFIX}"))).expect("a directory");
        std::fs::write(name(&format!("{prefix}def{PARTIAL_SUFFIX}/x.parquet")), "half").expect("a file");
        let others = [".recount-0-abc.partial", "monday.parquet", &format!("{prefix}abc")].map(name);
        for other in &others {
            std::fs::write(other, "whole").expect("a file");
        }
        // Of this directory alone: other tests write beside this one.
        remove_partial_in(directory.path());
        let mut left: Vec<PathBuf> = std::fs::read_dir(directory.path())
            .expect("listed")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        left.sort();
        let mut others = others.to_vec();
        others.sort();
        assert_eq!(left, others);
    }

    /// Of processes that don't run, if nobody has it locked.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_killed_processes_left_goes_with_the_next_output() {
        let directory = tempfile::tempdir().expect("a directory");
        let name = |name: &str| directory.path().join(name);
        // Larger than any process number.
        let dead = 4_194_304 + 7;
        let alive = std::process::id();
        let write = |name: &Path| std::fs::write(name, "half").expect("written");
        let gone = [name(&format!(".recount-{dead}-a.partial")), name(&format!(".recount-{dead}-b.partial"))];
        write(&gone[0]);
        std::fs::create_dir(&gone[1]).expect("made");
        write(&gone[1].join("x.parquet"));
        let kept = [
            format!(".recount-{alive}-c.partial"),
            format!(".recount-{dead}-locked.partial"),
            format!(".recount-{dead}-d"),
            ".recount-x-e.partial".to_owned(),
        ];
        let kept = kept.map(|kept| name(&kept));
        for kept in &kept {
            write(kept);
        }
        let elsewhere = File::open(&kept[1]).expect("there");
        elsewhere.lock().expect("as another machine would");
        std::os::unix::fs::symlink(&kept[2], name(&format!(".recount-{dead}-f.partial"))).expect("made");
        crate::write_aside(&name("x"), false, &crate::Access::default(), b"whole").expect("written");
        assert!(gone.iter().all(|gone| !gone.exists()));
        assert!(kept.iter().all(|kept| kept.exists()));
        assert!(name(&format!(".recount-{dead}-f.partial")).exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_output_is_locked_until_it_is_in_place() {
        let directory = tempfile::tempdir().expect("a directory");
        let target = directory.path().join("x");
        let aside = crate::Aside::new(&target, false, &crate::Access::default()).expect("begun");
        let is_locked = |path: &Path| File::open(path).expect("there").try_lock_shared().is_err();
        assert!(is_locked(aside.path()));
        let _open = aside.file().expect("open beyond the end");
        aside.into_place().expect("in place");
        assert!(!is_locked(&target));
        let aside =
            crate::AsideDirectory::for_file(&directory.path().join("y"), false, &crate::Access::default())
                .expect("begun");
        assert!(is_locked(aside.directory()));
    }
}
