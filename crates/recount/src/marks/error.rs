//! Errors of marking.

use std::io;
use std::path::PathBuf;

use recount_capture::CaptureError;

use super::MAX_LEN_MARK;
use crate::{Hint, OpenError, SpanError};

/// Why a time can't be marked. Nothing was changed.
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
    /// The file isn't a capture log.
    #[error("{name}: only a capture log (.rcap) can be marked")]
    NotALog {
        /// The capture.
        name: String,
    },
    /// The log holds a packed file, which must not change.
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
    /// The mark can't be left next to the log.
    #[error("{}: {source}", directory.display())]
    Beside {
        /// Where marks wait for a log's writer.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The time is relative to the samples, and there are none yet.
    #[error("{name}: has no samples yet; give an absolute time")]
    NoSamples {
        /// The log.
        name: String,
    },
    /// The time is relative to a mark that doesn't exist, or has no meaning in the log for another reason.
    #[error(transparent)]
    Span(#[from] SpanError),
    /// The log can't be opened to read the times of its samples.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl Hint for MarkError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            MarkError::Input { .. } => Some("check the path and its permissions"),
            MarkError::NotALog { .. } => {
                Some("recount info FILE shows what it is; marks are for logs of recount record")
            }
            MarkError::Packed { .. } => {
                Some("only logs of recount record can be marked; recount unpack restores the file")
            }
            MarkError::Log { .. } => Some("recount verify FILE shows what is damaged"),
            MarkError::Beside { .. } => {
                Some("marks wait in a directory next to the log: check its permissions")
            }
            MarkError::NoSamples { .. } => Some("give the time itself: --at 2013-02-20T02:55:00Z"),
            MarkError::Text { .. } => None,
            MarkError::Span(error) => error.hint(),
            MarkError::Open(error) => Some(error.hint()),
        }
    }
}
