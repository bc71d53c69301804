//! What can be wrong with a mark.

use std::io;
use std::path::PathBuf;

use recount_capture::CaptureError;

use super::MAX_LEN_MARK;
use crate::{OpenError, UnknownMark};

/// Why a time can't be marked. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarkError {
    /// The log can't be read.
    #[error("{name}: {source}")]
    Input {
        /// The log.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// Another format.
    #[error("{name}: only a capture log (.rcap) can be marked")]
    NotALog {
        /// The capture.
        name: String,
    },
    /// A packed file stays what it is, byte for byte.
    #[error("{name}: holds a packed file, which has no place for marks")]
    Packed {
        /// The log.
        name: String,
    },
    /// The log can't be read, or can't be written to.
    #[error("{name}: {source}")]
    Log {
        /// The log.
        name: String,
        /// What is wrong.
        source: CaptureError,
    },
    /// The text is too long for a mark, is empty or has a NUL.
    #[error("the text of a mark has 1 to {MAX_LEN_MARK} bytes and no NUL; this one has {len} bytes")]
    Text {
        /// Its length in bytes.
        len: usize,
    },
    /// There can't be a mark beside the log.
    #[error("{}: {source}", directory.display())]
    Beside {
        /// Where marks wait for a log's writer.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The time is relative to the samples, of which there are none.
    #[error("{name}: has no sample yet from which that time could count")]
    NoSamples {
        /// The log.
        name: String,
    },
    /// The time is relative to a mark that doesn't exist.
    #[error(transparent)]
    Unknown(#[from] UnknownMark),
    /// The log can't be opened for the times of its samples.
    #[error(transparent)]
    Open(#[from] OpenError),
}
