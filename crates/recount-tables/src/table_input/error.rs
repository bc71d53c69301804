//! Why tables can't be read back. Lesser damage is reported in `Health`.

use parquet::errors::ParquetError;

/// Why an input can't be read as tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableInputError {
    /// Damaged Parquet, or an encoding that isn't supported.
    #[error("{file}: {}", crate::error::said(source))]
    Parquet {
        /// The file.
        file: String,
        /// The decoder's reason.
        source: ParquetError,
    },
    /// The facts in the footer are damaged: time zone, types and scales can't be trusted.
    #[error(
        "{file}: expected metadata with the checksum {stated} in the footer, found {computed}: it is damaged; write \
         the file again from its capture"
    )]
    Metadata {
        /// The file.
        file: String,
        /// The checksum in the file.
        stated: String,
        /// That of what is there.
        computed: String,
    },
    /// A table lacks a column.
    #[error("{file}: expected a column `{column}` of type {expected}, found none; its columns are {found}")]
    NoColumn {
        /// The file.
        file: String,
        /// The column that is missing.
        column: String,
        /// The expected type.
        expected: &'static str,
        /// The existing columns.
        found: String,
    },
    /// A column has another type.
    #[error("{file}: expected the column `{column}` to be of type {expected}, found {found}")]
    ColumnType {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// The expected type.
        expected: &'static str,
        /// The actual type.
        found: String,
    },
    /// A catalogue of captures.
    #[error("{file} is a catalogue of captures, not a capture")]
    Catalogue {
        /// The file.
        file: String,
    },
    /// The table of one object without its catalogue.
    #[error("{file}: this is a table of one object or a catalogue, not a tidy table")]
    OneOfSeveral {
        /// The file.
        file: String,
    },
    /// A row has no value in a required column.
    #[error("{file}: expected a value in each row of the column `{column}`, found null in row {row}")]
    Null {
        /// The file.
        file: String,
        /// The column.
        column: &'static str,
        /// The row, counted from 0.
        row: u64,
    },
    /// Rows are not in time order.
    #[error("{file}: expected rows sorted by time, found row {row}, which is earlier than the previous one")]
    Unsorted {
        /// The file.
        file: String,
        /// The row, counted from 0.
        row: u64,
    },
    /// A time that doesn't fit.
    #[error("{file}: expected times in the years 1677 to 2262, found another in row {row}")]
    TimeOutOfRange {
        /// The file.
        file: String,
        /// The row, counted from 0.
        row: u64,
    },
    /// More samples than can be numbered.
    #[error("expected less than 2^32 samples, found {0}")]
    TooManySamples(usize),
    /// There are no table files.
    #[error("expected files of tables, found none")]
    NoFiles,
}
