//! Why a file can't be packed or unpacked.

use std::io;

use recount_capture::CaptureError;
use recount_compute::Cancelled;
use recount_output::OutputError;

use crate::Hint;

/// Why a file can't be packed or unpacked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The input can't be read.
    #[error("{name}: {source}")]
    Input {
        /// The input.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The input isn't a single file.
    #[error("{name}: is {kind}; pack takes single files")]
    NotOneFile {
        /// The input.
        name: String,
        /// What it is.
        kind: &'static str,
    },
    /// The input is a capture log, which gains nothing by being packed.
    #[error("{name}: is already a capture log")]
    AlreadyLog {
        /// The input.
        name: String,
    },
    /// Standard input has no name from which to make the output's.
    #[error("-o is required when reading standard input")]
    NoName,
    /// The work was cancelled by its callback.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The output can't be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The log can't be written or read.
    #[error("{name}: {source}")]
    Log {
        /// The log.
        name: String,
        /// What is wrong.
        source: CaptureError,
    },
    /// Unpacking what was written doesn't restore the input: the file changed in the meantime, or memory or disk are
    /// faulty.
    #[error(
        "{name}: the log doesn't read back as the file ({what}): the file changed meanwhile, or memory or disk are faulty"
    )]
    NotProven {
        /// The input.
        name: String,
        /// How.
        what: String,
    },
    /// Parts of the packed file are lost.
    #[error("{name}: the packed file can't be restored: {what}")]
    Incomplete {
        /// The log.
        name: String,
        /// What is missing.
        what: String,
    },
    /// The log holds neither a packed file nor samples.
    #[error("{name}: holds neither a packed file nor samples")]
    Nothing {
        /// The log.
        name: String,
    },
}

impl Hint for PackError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            PackError::Input { .. } => Some("check the path and its permissions"),
            PackError::NotOneFile { .. } => Some("pack each of its files: recount pack FILE..."),
            PackError::Output(error) => error.hint(),
            PackError::AlreadyLog { .. } => {
                Some("copy the log as it is; if its recorder was killed, recount repair makes it small")
            }
            PackError::Incomplete { .. } => {
                Some("what is left of it can still be read: other commands read the log as it is")
            }
            PackError::Log { .. } => Some(
                "recount info FILE shows what it is; recount verify FILE, what is damaged in a capture log",
            ),
            _ => None,
        }
    }
}
