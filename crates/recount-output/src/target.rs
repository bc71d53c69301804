//! Which outputs may be written.

use std::path::{Path, PathBuf};

use crate::OutputError;

/// Checks that a file can be written to `target`: its directory exists, and the file doesn't, or, with
/// `force`, is a regular file.
pub fn check_target(target: &Path, force: bool) -> Result<(), OutputError> {
    if target.as_os_str() == "-" {
        return Err(OutputError::Stdio);
    }
    if let Ok(found) = target.symlink_metadata() {
        if !force {
            return Err(OutputError::Exists { path: target.into() });
        }
        if !found.is_file() {
            return Err(OutputError::NotReplaced { path: target.into(), what: kind_of(&found) });
        }
    }
    check_directory(target)
}

/// Checks that the directory of an output exists.
pub fn check_directory(target: &Path) -> Result<(), OutputError> {
    let directory = directory_of(target);
    if directory.is_dir() {
        return Ok(());
    }
    Err(OutputError::NoDirectory { path: target.into(), directory: directory.into() })
}

pub(crate) fn kind_of(found: &std::fs::Metadata) -> &'static str {
    if found.is_dir() {
        "a directory"
    } else if found.is_symlink() {
        "a link"
    } else if found.is_file() {
        "a file"
    } else {
        "not a regular file"
    }
}

/// Checks before the work begins that each output can be written and that none is an input or another output.
pub fn check_outputs<'a>(
    targets: impl IntoIterator<Item = &'a Path>,
    inputs: &[PathBuf],
    force: bool,
) -> Result<(), OutputError> {
    let mut known: Vec<PathBuf> = Vec::new();
    for target in targets {
        check_target(target, force)?;
        check_not_input(target, inputs)?;
        let Some(place) = place(target) else { continue };
        if known.contains(&place) {
            return Err(OutputError::Taken { path: target.into(), what: "another output" });
        }
        known.push(place);
    }
    Ok(())
}

/// Checks that an output is none of the inputs.
pub fn check_not_input(
    target: &Path,
    inputs: impl IntoIterator<Item = impl AsRef<Path>>,
) -> Result<(), OutputError> {
    let Some(output) = place(target) else { return Ok(()) };
    if inputs.into_iter().any(|input| place(input.as_ref()).as_ref() == Some(&output)) {
        return Err(OutputError::Taken { path: target.into(), what: "an input, which would be lost" });
    }
    Ok(())
}

/// Identifies a file. One that doesn't exist yet is identified by its directory.
fn place(path: &Path) -> Option<PathBuf> {
    let directory = directory_of(path).canonicalize().ok()?;
    path.canonicalize().ok().or_else(|| Some(directory.join(path.file_name()?)))
}

/// The directory that a file is in.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a new name survive a crash, if the system supports it. It isn't an error if not: the data is synced.
pub(crate) fn sync_directory(directory: &Path) {
    #[cfg(unix)]
    if let Ok(opened) = std::fs::File::open(directory) {
        let _ = opened.sync_all();
    }
    #[cfg(not(unix))]
    let _ = directory;
}
