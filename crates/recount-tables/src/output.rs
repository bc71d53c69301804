//! Outputs that appear at once and whole, or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir, TempPath};

use crate::TableError;
use crate::partial::{PARTIAL_SUFFIX, partial_prefix};

/// What an output's name will stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One file.
    File,
    /// A directory of files.
    Directory,
}

/// A directory beside an output's place, in which the output is built. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct Aside {
    target: PathBuf,
    kind: Kind,
    force: bool,
    dir: TempDir,
}

impl Aside {
    /// Prepares an output at `target`.
    ///
    /// Fails if something is there already and `force` isn't given, and, given `force`, if what is there is not
    /// something that recount may have written: a mistyped name must not cost anyone a home directory.
    pub(crate) fn new(target: &Path, kind: Kind, force: bool) -> Result<Aside, TableError> {
        check_target(target, kind, force)?;
        let parent = parent_of(target);
        let dir = tempdir_in(parent, kind).map_err(TableError::io("create a directory in", parent))?;
        Ok(Aside { target: target.into(), kind, force, dir })
    }

    /// Where to build: the directory that becomes the output, or that holds the file that does.
    pub(crate) fn directory(&self) -> &Path {
        self.dir.path()
    }

    /// Moves what was built into place: the whole directory, or, if the output is a file, `built`, named from
    /// there. The files are expected to be synced.
    pub(crate) fn commit(self, built: &Path) -> Result<PathBuf, TableError> {
        let Aside { target, kind, force, dir } = self;
        check_target(&target, kind, force)?;
        match kind {
            Kind::File => commit_file(&dir.path().join(built), &target, force)?,
            Kind::Directory => commit_directory(dir, &target)?,
        }
        sync_directory(parent_of(&target));
        Ok(target)
    }
}

fn parent_of(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn tempdir_in(directory: &Path, kind: Kind) -> std::io::Result<TempDir> {
    let prefix = partial_prefix(directory);
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(PARTIAL_SUFFIX);
    #[cfg(unix)]
    if kind == Kind::Directory {
        use std::os::unix::fs::PermissionsExt;
        // The directory becomes the output: it gets what the process's mask leaves, not the 0700 of temporary ones.
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    #[cfg(not(unix))]
    let _ = kind;
    builder.tempdir_in(directory)
}

fn check_target(target: &Path, kind: Kind, force: bool) -> Result<(), TableError> {
    let Ok(found) = fs::symlink_metadata(target) else { return Ok(()) };
    if !force {
        return Err(TableError::Exists(target.into()));
    }
    match (kind, found.is_dir()) {
        (Kind::Directory, true) => check_only_tables(target, target),
        (Kind::File, false) if found.is_file() || found.is_symlink() => Ok(()),
        _ => Err(TableError::NotReplaced(target.into())),
    }
}

/// Whether a directory holds nothing but what recount writes.
fn check_only_tables(whole: &Path, directory: &Path) -> Result<(), TableError> {
    for entry in fs::read_dir(directory).map_err(TableError::io("list", directory))? {
        let entry = entry.map_err(TableError::io("list", directory))?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(TableError::io("look at", directory))?);
        let is_table =
            path.extension().is_some_and(|extension| extension == "parquet" || extension == "arrow");
        if kind.is_dir() {
            check_only_tables(whole, &path)?;
        } else if !(kind.is_file() && is_table) {
            return Err(TableError::NotTables { directory: whole.into(), found: path });
        }
    }
    Ok(())
}

fn commit_file(built: &Path, target: &Path, force: bool) -> Result<(), TableError> {
    if force {
        return fs::rename(built, target).map_err(TableError::io("replace", target));
    }
    let built = TempPath::try_from_path(built).map_err(TableError::io("move to", target))?;
    built.persist_noclobber(target).map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => TableError::Exists(target.into()),
        _ => TableError::io("move to", target)(error.error),
    })
}

fn commit_directory(dir: TempDir, target: &Path) -> Result<(), TableError> {
    sync_directory(dir.path());
    // What is there stays beside until the new one is in place, and comes back if that fails.
    let old = match fs::symlink_metadata(target) {
        Ok(_) => {
            let aside = tempdir_in(parent_of(target), Kind::File)
                .map_err(TableError::io("create a directory beside", target))?;
            let kept = aside.path().join("old");
            fs::rename(target, &kept).map_err(TableError::io("move aside", target))?;
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
                // Better a stray directory than a lost one.
                let _ = aside.keep();
            }
            Err(TableError::io("move to", target)(error))
        }
    }
}

/// Makes a rename last through a crash, where the system knows how. Not an error if it doesn't: the data is synced.
fn sync_directory(directory: &Path) {
    #[cfg(unix)]
    if let Ok(opened) = fs::File::open(directory) {
        let _ = opened.sync_all();
    }
    #[cfg(not(unix))]
    let _ = directory;
}
