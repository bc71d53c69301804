//! Errors of writing tables.

use std::path::PathBuf;

use recount_model::Timestamp;
use recount_output::OutputError;

/// Why tables could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The output can't be created, replaced, or moved into place.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A file system operation failed.
    #[error("{action} {}: {source}", .path.display())]
    Io {
        /// The operation, e.g. `create`.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Parquet encoding failed, or writing the encoded bytes did.
    #[error("{file}: {source}")]
    Parquet {
        /// The table's file.
        file: String,
        /// The encoder's reason.
        source: parquet::errors::ParquetError,
    },
    /// Building or writing an Arrow table failed.
    #[error("{file}: {source}")]
    Arrow {
        /// The table or its file.
        file: String,
        /// Arrow's reason.
        source: arrow_schema::ArrowError,
    },
    /// A sample's time does not fit nanoseconds since 1970 in 64 bits (years 1677 to 2262).
    #[error("object {object}: time {time} ({:#x}) doesn't fit a table, which holds the years 1677 to 2262", .time.0)]
    TimeOutOfRange {
        /// The sample's time.
        time: Timestamp,
        /// The performance object.
        object: String,
    },
    /// A slice begins before the end of the previous one.
    #[error("a slice that begins at {time} came after one that ends at {last}; tables are sorted by time")]
    OutOfOrder {
        /// Where the slice begins.
        time: Timestamp,
        /// Where the previous one ended.
        last: Timestamp,
    },
    /// The parts of a cooked stretch have inconsistent lengths.
    #[error("object {object}: {field} has {found} entries where {expected} are expected")]
    Shape {
        /// The performance object.
        object: String,
        /// Which part.
        field: String,
        /// Expected entries.
        expected: usize,
        /// Entries it has.
        found: usize,
    },
    /// An impossible combination of options.
    #[error("{0}")]
    Options(&'static str),
    /// The sink failed earlier; its contents are incomplete.
    #[error("the tables are incomplete, because writing them failed before")]
    Failed,
}

impl TableError {
    /// For `map_err` on file system calls.
    pub(crate) fn io(
        action: &'static str,
        path: &std::path::Path,
    ) -> impl FnOnce(std::io::Error) -> TableError {
        move |source| TableError::Io { action, path: path.into(), source }
    }

    /// For `map_err` on Parquet calls.
    pub(crate) fn parquet(file: &str) -> impl Fn(parquet::errors::ParquetError) -> TableError {
        move |source| TableError::Parquet { file: file.into(), source }
    }

    /// For `map_err` on Arrow calls.
    pub(crate) fn arrow(file: &str) -> impl Fn(arrow_schema::ArrowError) -> TableError {
        move |source| TableError::Arrow { file: file.into(), source }
    }
}
