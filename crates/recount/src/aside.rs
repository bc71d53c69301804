//! A file that is written beside its place, and moved there when it is whole.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use recount_tables::{PARTIAL_SUFFIX, partial_prefix};
use tempfile::NamedTempFile;

/// Why an output can't be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// Something is there already.
    #[error("{}: is there already", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// Something is there that isn't an ordinary file.
    #[error("{}: is no ordinary file, and is not replaced", path.display())]
    NoFile {
        /// The output.
        path: PathBuf,
    },
    /// It is an input, or another output.
    #[error("{}: is {what}", path.display())]
    Taken {
        /// The output.
        path: PathBuf,
        /// What it is already.
        what: &'static str,
    },
    /// There is no directory to put it into.
    #[error("{}: there is no directory {}", path.display(), directory.display())]
    NoDirectory {
        /// The output.
        path: PathBuf,
        /// The directory.
        directory: PathBuf,
    },
    /// The system failed to write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The output.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A file that is being written. Dropping it removes it.
pub(crate) struct Aside {
    file: NamedTempFile,
    target: PathBuf,
    force: bool,
}

impl Aside {
    /// Prepares an output at `target`, which may be there only with `force`, and then has to be a file.
    pub(crate) fn new(target: &Path, force: bool) -> Result<Aside, OutputError> {
        let failed = |source| OutputError::Io { path: target.into(), source };
        match target.symlink_metadata() {
            Ok(_) if !force => return Err(OutputError::Exists { path: target.into() }),
            Ok(found) if found.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
            // A device, a pipe or a link would be gone, with a file in its place.
            Ok(found) if !found.is_file() => return Err(OutputError::NoFile { path: target.into() }),
            _ => {}
        }
        let directory = directory_of(target);
        if !directory.is_dir() {
            return Err(OutputError::NoDirectory { path: target.into(), directory: directory.into() });
        }
        let file = file_in(directory).map_err(failed)?;
        Ok(Aside { file, target: target.into(), force })
    }

    /// The file, to be read and written.
    pub(crate) fn file(&self) -> Result<File, OutputError> {
        self.file.as_file().try_clone().map_err(|source| self.failed(source))
    }

    /// An error of this output.
    pub(crate) fn failed(&self, source: io::Error) -> OutputError {
        OutputError::Io { path: self.target.clone(), source }
    }

    /// Makes it last, and moves it to its place.
    pub(crate) fn into_place(self) -> Result<(), OutputError> {
        let Aside { file, target, force } = self;
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AlreadyExists => OutputError::Exists { path: target.clone() },
            _ => OutputError::Io { path: target.clone(), source },
        };
        into_place(file, &target, force).map_err(failed)?;
        Ok(())
    }
}

/// Says at once that outputs can't be written, and not after all the work; and that one is an input, or another output.
pub fn check_outputs<'a>(
    targets: impl IntoIterator<Item = &'a Path>,
    inputs: &[PathBuf],
    force: bool,
) -> Result<(), OutputError> {
    // What isn't there yet is told by its directory.
    let place = |path: &Path| {
        let directory = directory_of(path).canonicalize().ok()?;
        path.canonicalize().ok().or_else(|| Some(directory.join(path.file_name()?)))
    };
    let inputs: Vec<PathBuf> = inputs.iter().filter_map(|input| place(input)).collect();
    let mut known: Vec<PathBuf> = Vec::new();
    for target in targets {
        let taken = |what| OutputError::Taken { path: target.into(), what };
        Aside::new(target, force).map(drop)?;
        let Some(place) = place(target) else { continue };
        if inputs.contains(&place) {
            return Err(taken("an input: it would be lost"));
        }
        if known.contains(&place) {
            return Err(taken("named for two outputs"));
        }
        known.push(place);
    }
    Ok(())
}

/// Writes a file that is there whole or not at all, and replaces one only with `force`.
pub fn write_aside(target: &Path, force: bool, bytes: &[u8]) -> Result<(), OutputError> {
    let aside = Aside::new(target, force)?;
    aside.file()?.write_all(bytes).map_err(|source| aside.failed(source))?;
    aside.into_place()
}

/// A file that goes away unless it is moved into place.
pub(crate) fn file_in(directory: &Path) -> io::Result<NamedTempFile> {
    let prefix = partial_prefix(directory);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(PARTIAL_SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the process's mask leaves, as any new file gets, not the 0600 of temporary ones.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

/// Makes a file last, and moves it to its place. Its length in bytes.
pub(crate) fn into_place(file: NamedTempFile, target: &Path, force: bool) -> io::Result<u64> {
    file.as_file().sync_all()?;
    let len = file.as_file().metadata()?.len();
    let moved = if force { file.persist(target) } else { file.persist_noclobber(target) };
    moved.map_err(|error| error.error)?;
    sync_directory(directory_of(target));
    Ok(len)
}

/// The directory that a file is in.
pub(crate) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a new name last through a crash, where the system knows how. Not an error if it doesn't: the bytes are synced.
fn sync_directory(directory: &Path) {
    #[cfg(unix)]
    if let Ok(opened) = File::open(directory) {
        let _ = opened.sync_all();
    }
    #[cfg(not(unix))]
    let _ = directory;
}
