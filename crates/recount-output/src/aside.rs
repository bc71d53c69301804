//! A file that is written under a temporary name and renamed when it is complete.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::partial::{PARTIAL_SUFFIX, hold, partial_prefix, release, remove_abandoned};
use crate::target::{check_target, directory_of, sync_directory};
use crate::{Access, OutputError};

/// A file that is being written. Dropping it removes it.
#[derive(Debug)]
pub struct Aside {
    file: NamedTempFile,
    target: PathBuf,
    force: bool,
}

impl Aside {
    /// Prepares an output at `target`. If it exists, `force` is required, and it must be a regular file. The output is no more
    /// readable than that file, and than `access` allows.
    pub fn new(target: &Path, force: bool, access: &Access) -> Result<Aside, OutputError> {
        check_target(target, force)?;
        let failed = |source| OutputError::Io { path: target.into(), source };
        let file = temporary_file(directory_of(target)).map_err(failed)?;
        access.and_replaced(target).limit(file.path()).map_err(failed)?;
        Ok(Aside { file, target: target.into(), force })
    }

    /// The file, for reading and writing.
    pub fn file(&self) -> Result<File, OutputError> {
        self.file.as_file().try_clone().map_err(|source| self.failed(source))
    }

    /// Its temporary name.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// An error of this output.
    pub fn failed(&self, source: io::Error) -> OutputError {
        OutputError::Io { path: self.target.clone(), source }
    }

    /// Syncs the file and renames it to its final path. Returns its length in bytes.
    pub fn into_place(self) -> Result<u64, OutputError> {
        let Aside { file, target, force } = self;
        // The target may have changed since the first check.
        check_target(&target, force)?;
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AlreadyExists => OutputError::Exists { path: target.clone() },
            _ => OutputError::Io { path: target.clone(), source },
        };
        file.as_file().sync_all().map_err(failed)?;
        // Under its final name others may lock it.
        release(file.as_file());
        let len = file.as_file().metadata().map_err(failed)?.len();
        let moved = if force { file.persist(&target) } else { file.persist_noclobber(&target) };
        moved.map_err(|error| failed(error.error))?;
        sync_directory(directory_of(&target));
        Ok(len)
    }
}

/// Writes a whole file in one step.
pub fn write_aside(target: &Path, force: bool, access: &Access, bytes: &[u8]) -> Result<(), OutputError> {
    let aside = Aside::new(target, force, access)?;
    aside.file()?.write_all(bytes).map_err(|source| aside.failed(source))?;
    aside.into_place().map(|_| ())
}

/// Removes what killed runs left unfinished in a directory, as beginning an output in it does.
pub fn remove_left_over(directory: &Path) {
    // An output is begun, and dropped: its owner is who may remove something.
    drop(temporary_file(directory));
}

fn temporary_file(directory: &Path) -> io::Result<NamedTempFile> {
    let prefix = partial_prefix(directory);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(PARTIAL_SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Apply the process's umask, as for any new file, instead of the 0600 of temporary files.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(directory)?;
    hold(file.as_file());
    if let Ok(own) = file.as_file().metadata() {
        remove_abandoned(directory, &own);
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(target: &Path, force: bool) -> Result<(), String> {
        write_aside(target, force, &Access::default(), b"new").map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_is_replaced_only_with_force() {
        let directory = tempfile::tempdir().expect("a directory");
        let target = directory.path().join("x.parquet");
        assert_eq!(written(&target, false), Ok(()));
        std::fs::write(&target, "old").expect("written");
        assert_eq!(written(&target, false), Err(format!("{} already exists", target.display())));
        assert_eq!(std::fs::read(&target).expect("read"), b"old");
        assert_eq!(written(&target, true), Ok(()));
        assert_eq!(std::fs::read(&target).expect("read"), b"new");
        assert_eq!(std::fs::read_dir(directory.path()).expect("listed").count(), 1, "nothing else is left");
    }

    #[test]
    fn a_directory_and_a_link_are_never_replaced() {
        let directory = tempfile::tempdir().expect("a directory");
        let inside = directory.path().join("inside");
        std::fs::create_dir(&inside).expect("made");
        let error = written(&inside, true).expect_err("refused");
        assert!(error.ends_with("inside is a directory; only regular files are replaced"), "{error}");
        #[cfg(unix)]
        {
            let (file, link) = (directory.path().join("file"), directory.path().join("link"));
            std::fs::write(&file, "old").expect("written");
            std::os::unix::fs::symlink(&file, &link).expect("made");
            let error = written(&link, true).expect_err("refused");
            assert!(error.ends_with("link is a link; only regular files are replaced"), "{error}");
            assert_eq!(std::fs::read(&file).expect("read"), b"old");
        }
    }

    #[cfg(unix)]
    #[test]
    fn another_form_of_a_file_is_as_private_as_the_file() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};

        let directory = tempfile::tempdir().expect("a directory");
        let input = directory.path().join("input");
        std::fs::write(&input, "private").expect("written");
        let umask = !input.metadata().expect("there").mode() & 0o066;
        for (number, mode) in [0o600, 0o640, 0o644, 0o664, 0o400].into_iter().enumerate() {
            std::fs::set_permissions(&input, std::fs::Permissions::from_mode(mode)).expect("set");
            let target = directory.path().join(number.to_string());
            let aside = Aside::new(&target, false, &Access::of_copy(&input)).expect("made");
            aside.into_place().expect("in place");
            assert_eq!(target.metadata().expect("there").mode() & 0o777, mode & !umask, "{mode:o}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_replaces_a_file_is_as_private_as_the_file() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};

        let directory = tempfile::tempdir().expect("a directory");
        let target = directory.path().join("x");
        assert_eq!(written(&target, false), Ok(()));
        let fresh = target.metadata().expect("there").mode() & 0o777;
        for (before, after) in [(0o600, 0o600), (0o640, fresh & 0o640), (0o666, fresh)] {
            std::fs::set_permissions(&target, std::fs::Permissions::from_mode(before)).expect("set");
            assert_eq!(written(&target, true), Ok(()));
            assert_eq!(target.metadata().expect("there").mode() & 0o777, after, "{before:o}");
        }
    }

    #[test]
    fn what_appears_meanwhile_is_kept() {
        let directory = tempfile::tempdir().expect("a directory");
        let target = directory.path().join("x");
        let aside = Aside::new(&target, false, &Access::default()).expect("nothing there");
        std::fs::write(&target, "theirs").expect("written");
        assert!(matches!(aside.into_place(), Err(OutputError::Exists { .. })));
        assert_eq!(std::fs::read(&target).expect("read"), b"theirs");
    }

    #[test]
    fn a_missing_directory_is_named() {
        let error = written(Path::new("/nowhere/at/all/x.csv"), false).expect_err("no directory");
        assert_eq!(error, "/nowhere/at/all/x.csv: the directory /nowhere/at/all does not exist");
    }
}
