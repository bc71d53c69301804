//! Errors.

use std::io;

use recount_model::Timestamp;

/// Why values could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetricsError {
    /// The output, or the file that values wait in, can't be written or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A time that nanoseconds of 64 bits can't hold.
    #[error("{time}: a time outside the years 1677 to 2262 can't be written")]
    TimeOutOfRange {
        /// The time of the sample.
        time: Timestamp,
    },
}
