//! Why an output can't be written.

use std::io;
use std::path::PathBuf;

/// Why an output can't be written. Whatever has its name is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The output exists, and `force` was not given.
    #[error("{} already exists", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// Something of another kind exists: a link, a device, a directory instead of a file, or a file instead
    /// of a directory.
    #[error("{} is {what}; only regular files are replaced", path.display())]
    NotReplaced {
        /// The output.
        path: PathBuf,
        /// What exists.
        what: &'static str,
    },
    /// A directory to be replaced holds a file that this program doesn't write.
    #[error("{} is not replaced: it holds {}, which recount did not write", directory.display(), found.display())]
    ForeignFile {
        /// The output.
        directory: PathBuf,
        /// The first such file.
        found: PathBuf,
    },
    /// The output is also an input, or another output.
    #[error("{} is also {what}", path.display())]
    Taken {
        /// The output.
        path: PathBuf,
        /// What else it is.
        what: &'static str,
    },
    /// The output is `-`, which means standard output elsewhere.
    #[error("this can't be written to standard output: name a file (./- is one called -)")]
    Stdio,
    /// The directory for the output doesn't exist.
    #[error("{}: the directory {} does not exist", path.display(), directory.display())]
    NoDirectory {
        /// The output.
        path: PathBuf,
        /// The directory.
        directory: PathBuf,
    },
    /// The system failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The output.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl From<OutputError> for io::Error {
    fn from(error: OutputError) -> io::Error {
        let kind = match error {
            OutputError::Io { source, .. } => return source,
            OutputError::Exists { .. } => io::ErrorKind::AlreadyExists,
            OutputError::NoDirectory { .. } => io::ErrorKind::NotFound,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, error)
    }
}
