//! Why a log can't be parsed or written.

use std::io;

use recount_blg::BlgError;
use recount_blg::structure::record::RecordError;
use recount_bytes::FormatError;
use recount_model::{Health, Place};

/// Why a log can't be represented so that writing restores its bytes, or why it can't be written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error(transparent)]
    Blg(#[from] BlgError),
    /// A structure that can't be read.
    #[error("{place}: {what}")]
    Damaged { place: Place, what: String },
    /// A byte that a writer would write differently: an unusual order, or a length that differs from the
    /// computed one.
    #[error("{place}: found {found:#04x} where writing gives {expected:#04x}")]
    Unlike { place: Place, expected: u8, found: u8 },
    /// A buffer whose events have grown beyond its size.
    #[error("buffer {buffer}: its events end at {len_used} bytes where a buffer has {len_buffer}")]
    Overfull { buffer: usize, len_used: usize, len_buffer: u32 },
    /// An event with a fragment that its message doesn't have, or a message without all of its fragments.
    #[error("message {message}: {num_events} events carry it where it has {num_fragments} fragments")]
    Fragments { message: usize, num_events: usize, num_fragments: usize },
    /// A structure that can't be read or written.
    #[error(transparent)]
    Block(#[from] FormatError),
    #[error("the log could not be written")]
    Io(#[from] io::Error),
}

impl LogError {
    /// A structure of that name at `ofs` that can't be read.
    pub(super) fn damaged(structure: &'static str, ofs: usize, what: impl Into<String>) -> LogError {
        LogError::Damaged { place: Place::structure(structure, ofs as u64), what: what.into() }
    }

    /// The same with its offsets mapped.
    pub(super) fn map_ofs(self, map: impl Fn(u64) -> u64) -> LogError {
        match self {
            LogError::Damaged { place, what } => LogError::Damaged { place: place.map_ofs(map), what },
            LogError::Block(error) => LogError::Block(error.map_ofs(map)),
            other => other,
        }
    }
}

impl From<RecordError> for LogError {
    fn from(error: RecordError) -> LogError {
        let ofs = error.ofs as u64;
        LogError::Damaged { place: Place::field("record", ofs, error.field, ofs), what: error.what }
    }
}

/// Findings of a reader are errors here.
pub(super) fn sound(health: &Health) -> Result<(), LogError> {
    match health.findings().first() {
        None => Ok(()),
        Some(finding) => {
            let place = finding.place.clone().unwrap_or_default();
            Err(LogError::Damaged { place, what: finding.what.clone() })
        }
    }
}
