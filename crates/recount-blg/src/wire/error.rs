//! Why a log can't be taken apart or put together.

use std::io;

use recount_blocks::BlockError;
use recount_model::Place;

use crate::BlgError;

/// Why a log has no form that gives its bytes back, or a form no bytes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// No log at all.
    #[error(transparent)]
    Blg(#[from] BlgError),
    /// A structure that can't be read.
    #[error("{place}: {what}")]
    Damaged {
        /// Where.
        place: Place,
        /// What was found, and what was expected.
        what: String,
    },
    /// A byte that a writer would put otherwise: an unusual order, or a length that isn't the one worked out.
    #[error("{place}: found {found:#04x} where writing gives {expected:#04x}")]
    Unlike {
        /// Where.
        place: Place,
        /// What writing gives.
        expected: u8,
        /// What the file has.
        found: u8,
    },
    /// A buffer whose events have grown beyond its size.
    #[error("buffer {buffer}: its events end at {len_used} bytes where a buffer has {len_buffer}")]
    Overfull {
        /// Which, from 0.
        buffer: usize,
        /// Bytes to the end of the events, header included.
        len_used: usize,
        /// Bytes of a buffer.
        len_buffer: u32,
    },
    /// An event that carries a fragment which its message doesn't have, or a message not carried whole.
    #[error("message {message}: {num_events} events carry it where it has {num_fragments} fragments")]
    Fragments {
        /// Which, from 0.
        message: usize,
        /// Fragments that the events name.
        num_events: usize,
        /// Fragments that the message is cut in.
        num_fragments: usize,
    },
    /// A number that its field can't hold.
    #[error("{structure}.{field}: {value} is too large")]
    TooLarge {
        /// Structure.
        structure: &'static str,
        /// Field.
        field: &'static str,
        /// The number.
        value: usize,
    },
    /// A `PERF_DATA_BLOCK` that can't be written.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// The output refused.
    #[error("the log could not be written")]
    Io(#[from] io::Error),
}

impl From<WireError> for io::Error {
    fn from(error: WireError) -> io::Error {
        match error {
            WireError::Io(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        }
    }
}
