//! Why the names of a capture can't be replaced.

use std::io;

use recount_capture::CaptureError;
use recount_output::OutputError;

use crate::{ConvertError, Hint, OpenError, PackError, SpanError};

/// Why the names of a capture can't be replaced. In that case, nothing is left under the output's name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedactError {
    /// The input can't be read.
    #[error("{name}: {source}")]
    Input {
        /// The input.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The input can't be opened as a capture.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The names of this format can't be replaced.
    #[error("{name}: the names in this format can't be replaced: {format}")]
    Format {
        /// The input.
        name: String,
        /// Its format.
        format: String,
    },
    /// The key is too short: somebody who has the result could try all keys.
    #[error("the key has {len} bytes, and needs {} at least", super::MIN_LEN_KEY)]
    ShortKey {
        /// Its length.
        len: usize,
    },
    /// A random key can't be made.
    #[error("no random key: {0}")]
    NoKey(io::Error),
    /// The log can't be read or written.
    #[error("{name}: {source}")]
    Log {
        /// The log.
        name: String,
        /// What is wrong.
        source: CaptureError,
    },
    /// The result doesn't have the same samples.
    #[error("{name}: the result would have other samples ({what})")]
    Differs {
        /// The input.
        name: String,
        /// How.
        what: String,
    },
    /// The tables or the text can't be written.
    #[error(transparent)]
    Convert(#[from] ConvertError),
    /// The tables or the text have no samples that can be written.
    #[error(transparent)]
    Span(#[from] SpanError),
    /// The result can't be packed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The output can't be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl Hint for RedactError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            RedactError::Input { .. } => Some("check the path and its permissions"),
            RedactError::Open(error) => Some(error.hint()),
            RedactError::Format { .. } => Some(
                "recount convert it to Parquet or .blg first, then redact that; unpack a compressed file before",
            ),
            RedactError::ShortKey { .. } => Some("make one: head -c 32 /dev/urandom > names.key"),
            RedactError::Convert(error) => error.hint(),
            RedactError::Span(error) => error.hint(),
            RedactError::Pack(error) => error.hint(),
            RedactError::Output(error) => error.hint(),
            RedactError::Differs { .. } => Some("recount convert it to Parquet, then redact that"),
            _ => None,
        }
    }
}
