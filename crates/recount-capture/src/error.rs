//! Errors of capture logs.

use std::io;

use recount_model::Place;

use crate::bytes::Short;

/// Why a log can't be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The system failed to read or write.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Nothing in the input is a frame of a capture log.
    #[error("byte 0x0: expected a frame of a capture log (8d 52 43 46), found none in the whole input")]
    NotACapture,
    /// A later version of the format.
    #[error(
        "the capture log has format version {found}, this program reads up to {known}: a later recount wrote it, \
         so read it with that one"
    )]
    Version {
        /// The file's.
        found: u16,
        /// The newest that this program reads.
        known: u16,
    },
    /// A requested part is damaged.
    #[error("{place}: {what}")]
    Damaged {
        /// The part.
        place: Place,
        /// What was expected and found.
        what: String,
    },
    /// Marks can only be appended to a closed log: any other may have a writer, which has to add them.
    #[error("the log is not closed: its recorder is still running, or was killed")]
    NotClosed,
    /// A log of that length may not have more records.
    #[error("the log has as many records as its length allows, {max}")]
    TooMany {
        /// The most.
        max: u64,
    },
    /// A record is larger than the format allows.
    #[error("a record of {len} bytes is too large for a capture log, which takes up to {max}")]
    TooLarge {
        /// Its length.
        len: usize,
        /// The most.
        max: usize,
    },
    /// The dump could not be written.
    #[error("the dump could not be written")]
    Write(#[from] std::fmt::Error),
}

impl CaptureError {
    /// A copy of this error, for another record.
    pub(crate) fn again(&self) -> CaptureError {
        match self {
            CaptureError::Damaged { place, what } => {
                CaptureError::Damaged { place: place.clone(), what: what.clone() }
            }
            other => CaptureError::Io(io::Error::other(other.to_string())),
        }
    }

    /// The fault of a field in a structure that starts at `ofs` in the file.
    pub(crate) fn at(structure: &'static str, ofs: u64, fault: Short) -> CaptureError {
        let place = Place::field(structure, ofs, fault.field, ofs + fault.ofs as u64);
        CaptureError::Damaged { place, what: fault.what }
    }
}

impl From<CaptureError> for io::Error {
    fn from(error: CaptureError) -> io::Error {
        match error {
            CaptureError::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}
