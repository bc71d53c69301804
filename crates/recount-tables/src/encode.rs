//! How files are encoded, and what a finished one holds.

use crate::{FileFormat, TableOptions};

/// How files are encoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encode {
    pub(crate) format: FileFormat,
    pub(crate) row_group_rows: usize,
    pub(crate) zstd_level: i32,
}

impl Encode {
    pub(crate) fn of(options: &TableOptions) -> Encode {
        let TableOptions { format, row_group_rows, zstd_level, .. } = *options;
        Encode { format, row_group_rows, zstd_level }
    }

    /// The extension of file names, without the dot.
    pub(crate) fn extension(self) -> &'static str {
        match self.format {
            FileFormat::Parquet => "parquet",
            FileFormat::ArrowIpc => "arrow",
        }
    }
}

/// The contents of a finished file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileSize {
    pub(crate) num_rows: u64,
    pub(crate) len_bytes: u64,
}
