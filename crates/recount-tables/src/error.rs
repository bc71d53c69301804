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
    #[error("{file}: {}", said(source))]
    Parquet {
        /// The table's file.
        file: String,
        /// The encoder's reason.
        source: parquet::errors::ParquetError,
    },
    /// Building or writing an Arrow table failed.
    #[error("{file}: {}", said(source))]
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

/// What an error of Parquet or Arrow says, without the libraries' names and words, which each layer puts before it.
pub(crate) fn said(error: &impl std::fmt::Display) -> String {
    const LAYERS: [&str; 7] = [
        "Parquet error: ",
        "Parquet argument error: ",
        "Arrow: ",
        "External: ",
        "External error: ",
        "Io error: ",
        "EOF: ",
    ];
    let text = error.to_string();
    let mut said = text.as_str();
    while let Some(rest) = LAYERS.iter().find_map(|layer| said.strip_prefix(layer)) {
        said = rest;
    }
    said.to_owned()
}

#[cfg(test)]
mod tests {
    use parquet::errors::ParquetError;

    use super::*;

    #[test]
    fn the_name_of_the_library_is_not_said() {
        for nested in ["x", "Parquet error: x", "Parquet argument error: Parquet error: x"] {
            assert_eq!(said(&ParquetError::General(nested.to_owned())), "x");
        }
        let full = || std::io::Error::other("no space left");
        assert_eq!(said(&ParquetError::from(full())), "no space left");
        let source = ParquetError::External(Box::new(full()));
        let error = TableError::Parquet { file: "out.parquet".to_owned(), source };
        assert_eq!(error.to_string(), "out.parquet: no space left");
    }
}
