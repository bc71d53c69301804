//! Errors of marking.

use recount_capture::MarkLogError;

use crate::{Hint, OpenError, SpanError};

/// Why a time can't be marked. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarkError {
    /// The log can't be marked.
    #[error(transparent)]
    Log(#[from] MarkLogError),
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
            MarkError::Log(error) => error.hint(),
            MarkError::NoSamples { .. } => Some("give the time itself: --at 2013-02-20T02:55:00Z"),
            MarkError::Span(error) => error.hint(),
            MarkError::Open(error) => Some(error.hint()),
        }
    }
}

impl Hint for MarkLogError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            MarkLogError::Input { .. } => Some("check the path and its permissions"),
            MarkLogError::NotALog { .. } => {
                Some("recount info FILE shows what it is; marks are for logs of recount record")
            }
            MarkLogError::Packed { .. } => {
                Some("only logs of recount record can be marked; recount unpack restores the file")
            }
            MarkLogError::Log { .. } => Some("recount verify FILE shows what is damaged"),
            MarkLogError::Beside { .. } => {
                Some("marks wait in a directory next to the log: check its permissions")
            }
            _ => None,
        }
    }
}
