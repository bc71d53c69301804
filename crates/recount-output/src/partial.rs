//! Unfinished outputs: their names, and how to remove them when a signal prevents drops.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Directories in which this process has begun outputs.
static DIRECTORIES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

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

/// Removes this process's unfinished outputs, for when a signal ends it. Nothing may be written afterwards.
pub fn remove_partial() {
    let directories = DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner);
    for directory in &*directories {
        let Ok(inside) = std::fs::read_dir(directory) else { continue };
        for entry in inside.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&prefix()) && name.ends_with(PARTIAL_SUFFIX) {
                let path = entry.path();
                // Ignore failures: nobody is left to report them to.
                let _ =
                    if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            }
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
        remove_partial();
        let mut left: Vec<PathBuf> = std::fs::read_dir(directory.path())
            .expect("listed")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        left.sort();
        let mut others = others.to_vec();
        others.sort();
        assert_eq!(left, others);
    }
}
