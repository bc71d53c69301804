//! Why a file can't be read as a performance log at all. Damage inside a readable log is reported in its
//! `Health`.

use recount_model::Place;

/// Why a file isn't a `.blg`, or contains nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlgError {
    /// Not an ETL container.
    #[error(
        "{place}: found {found:#x} where a trace file has its buffer size (a multiple of 512, at least 1024); this is not a Windows performance log, or its first buffer is destroyed"
    )]
    NotATrace {
        /// Where the size was expected.
        place: Place,
        /// The value found there.
        found: u32,
    },
    /// Shorter than a buffer header.
    #[error(
        "the file has {len} bytes where the header of a trace buffer takes 72; it is empty or was cut off"
    )]
    TooShort {
        /// Bytes of the file.
        len: usize,
    },
    /// An event trace without performance data.
    #[error(
        "an event trace (.etl; buffers: {num_buffers}) without events of the performance counter provider {{933F3BB3-943E-490D-9CED-3CBB14C14479}}: not a performance log, or all of its events are lost"
    )]
    NoCounters {
        /// Buffers of the file.
        num_buffers: usize,
    },
    /// The dump could not be written.
    #[error("the dump could not be written")]
    Write(#[from] std::fmt::Error),
}

impl BlgError {
    pub(crate) fn not_a_trace(file: &[u8]) -> BlgError {
        match crate::le::u32_at(file, 0) {
            Some(found) if file.len() >= 72 => {
                BlgError::NotATrace { place: Place::field("buffer", 0, "BufferSize", 0), found }
            }
            _ => BlgError::TooShort { len: file.len() },
        }
    }
}
