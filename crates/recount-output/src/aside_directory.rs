//! A directory that is filled under a temporary name. The output is the directory itself or a file in it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir, TempPath};

use crate::partial::{PARTIAL_SUFFIX, hold, partial_prefix, remove_abandoned};
use crate::target::{check_directory, check_target, directory_of, kind_of, sync_directory};
use crate::{Access, OutputError};

/// A directory next to the output's final path, in which the output is built. Dropping it removes it.
#[derive(Debug)]
pub struct AsideDirectory {
    target: PathBuf,
    kind: Kind,
    force: bool,
    dir: TempDir,
    /// Whom it may be readable for.
    access: Access,
    /// Locked: its process lives.
    _held: Option<File>,
}

/// What the output will be.
#[derive(Clone, Copy, Debug)]
enum Kind {
    File,
    /// With the test for files that the program may have written.
    Directory(fn(&Path) -> bool),
}

impl AsideDirectory {
    /// For an output that is a single file.
    pub fn for_file(target: &Path, force: bool, access: &Access) -> Result<AsideDirectory, OutputError> {
        AsideDirectory::new(target, Kind::File, force, access)
    }

    /// For an output that is a directory. With `force` it replaces an existing directory, but only if
    /// `is_own` is true for all files in it: a mistyped name must not cost anyone a home directory.
    pub fn for_directory(
        target: &Path,
        force: bool,
        access: &Access,
        is_own: fn(&Path) -> bool,
    ) -> Result<AsideDirectory, OutputError> {
        AsideDirectory::new(target, Kind::Directory(is_own), force, access)
    }

    /// The output is no more readable than what it replaces, and than `access` allows.
    fn new(target: &Path, kind: Kind, force: bool, access: &Access) -> Result<AsideDirectory, OutputError> {
        check(target, kind, force)?;
        let dir = temporary_directory(directory_of(target), kind).map_err(failed(target))?;
        let access = access.and_replaced(target);
        // Before there is anything in it.
        access.limit(dir.path()).map_err(failed(target))?;
        // On Windows a directory can't be opened like this, nor a lock taken.
        let held = if cfg!(windows) { None } else { File::open(dir.path()).ok() };
        held.iter().for_each(hold);
        if let Ok(own) = dir.path().metadata() {
            remove_abandoned(directory_of(target), &own);
        }
        Ok(AsideDirectory { target: target.into(), kind, force, dir, access, _held: held })
    }

    /// Whether the output is one file.
    pub fn becomes_file(&self) -> bool {
        matches!(self.kind, Kind::File)
    }

    /// Where to build the output: the directory that becomes the output, or that holds the output file.
    pub fn directory(&self) -> &Path {
        self.dir.path()
    }

    /// Moves the output into place: the whole directory or, if the output is a file, `built`, a path relative
    /// to the directory. The files are expected to be synced.
    pub fn commit(self, built: &Path) -> Result<PathBuf, OutputError> {
        let AsideDirectory { target, kind, force, dir, access, _held } = self;
        check(&target, kind, force)?;
        access.limit_all(&dir.path().join(built)).map_err(failed(&target))?;
        match kind {
            Kind::File => commit_file(&dir.path().join(built), &target, force)?,
            Kind::Directory(_) => commit_directory(dir, &target)?,
        }
        sync_directory(directory_of(&target));
        Ok(target)
    }
}

fn failed(target: &Path) -> impl Fn(io::Error) -> OutputError + use<> {
    let path = target.to_path_buf();
    move |source| OutputError::Io { path: path.clone(), source }
}

fn check(target: &Path, kind: Kind, force: bool) -> Result<(), OutputError> {
    let Kind::Directory(is_own) = kind else { return check_target(target, force) };
    let Ok(found) = target.symlink_metadata() else { return check_directory(target) };
    if !force {
        return Err(OutputError::Exists { path: target.into() });
    }
    if !found.is_dir() {
        return Err(OutputError::NotReplaced { path: target.into(), what: kind_of(&found) });
    }
    check_own_files(target, is_own)
}

/// Refuses a directory that holds, at any depth, a file that isn't ours by its path (`is_own`).
pub fn check_own_files(directory: &Path, is_own: fn(&Path) -> bool) -> Result<(), OutputError> {
    check_inside(directory, directory, is_own)
}

fn check_inside(whole: &Path, directory: &Path, is_own: fn(&Path) -> bool) -> Result<(), OutputError> {
    for entry in fs::read_dir(directory).map_err(failed(directory))? {
        let entry = entry.map_err(failed(directory))?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed(directory))?);
        if kind.is_dir() {
            check_inside(whole, &path, is_own)?;
        } else if !(kind.is_file() && is_own(&path)) {
            return Err(OutputError::ForeignFile { directory: whole.into(), found: path });
        }
    }
    Ok(())
}

fn temporary_directory(parent: &Path, kind: Kind) -> io::Result<TempDir> {
    let prefix = partial_prefix(parent);
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(PARTIAL_SUFFIX);
    #[cfg(unix)]
    if let Kind::Directory(_) = kind {
        use std::os::unix::fs::PermissionsExt;
        // The directory becomes the output: apply the process's umask instead of the 0700 of temporary
        // directories.
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    #[cfg(not(unix))]
    let _ = kind;
    builder.tempdir_in(parent)
}

fn commit_file(built: &Path, target: &Path, force: bool) -> Result<(), OutputError> {
    if force {
        return fs::rename(built, target).map_err(failed(target));
    }
    let built = TempPath::try_from_path(built).map_err(failed(target))?;
    built.persist_noclobber(target).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => OutputError::Exists { path: target.into() },
        _ => failed(target)(error.error),
    })
}

fn commit_directory(dir: TempDir, target: &Path) -> Result<(), OutputError> {
    sync_directory(dir.path());
    // The old directory is kept next to the new one until that is in place, and restored if the move fails.
    let old = match fs::symlink_metadata(target) {
        Ok(_) => {
            let aside = temporary_directory(directory_of(target), Kind::File).map_err(failed(target))?;
            let kept = aside.path().join("old");
            fs::rename(target, &kept).map_err(failed(target))?;
            Some((aside, kept))
        }
        Err(_) => None,
    };
    let built = dir.path().to_path_buf();
    match fs::rename(&built, target) {
        Ok(()) => {
            // Nothing is left under the temporary name; the guard must not look for it.
            let _ = dir.keep();
            Ok(())
        }
        Err(error) => {
            if let Some((aside, kept)) = old
                && fs::rename(&kept, target).is_err()
            {
                // A stray directory is better than a lost one.
                let _ = aside.keep();
            }
            Err(failed(target)(error))
        }
    }
}
