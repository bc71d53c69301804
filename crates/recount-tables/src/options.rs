//! What a caller chooses, and what a sink of tables takes and gives back.

use std::path::PathBuf;

use recount_compute::Cooked;

use crate::TableError;

/// Which rows and columns tables have (`formats/tables.md#layouts`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One table; one row per time, host, object, instance and counter.
    #[default]
    Tidy,
    /// A table per performance object; one row per time, host and instance, one column per counter.
    Objects,
}

/// How tables are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileFormat {
    /// Apache Parquet.
    #[default]
    Parquet,
    /// Arrow IPC: the file format, or the stream format where the output is a stream.
    ArrowIpc,
}

/// What files are kept apart by (`formats/tables.md#partitions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartitionKey {
    /// The machine.
    Host,
    /// The day in UTC.
    Date,
}

/// Choices for an output.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// Rows and columns.
    pub layout: Layout,
    /// Encoding.
    pub format: FileFormat,
    /// Whether raw values stand beside the cooked ones. The cooked stretches have to bring them.
    pub raw: bool,
    /// Levels of directories, outermost first; empty: no partitions.
    pub partition_by: Vec<PartitionKey>,
    /// Whether an output that exists is replaced.
    pub force: bool,
    /// Rows at which a Parquet row group is closed.
    pub row_group_rows: usize,
    /// Bytes of encoded data that all open row groups may hold together before the largest is written out.
    pub len_in_progress: usize,
    /// Level of zstd in Parquet files, 1 to 22.
    pub zstd_level: i32,
}

impl Default for TableOptions {
    fn default() -> TableOptions {
        TableOptions {
            layout: Layout::default(),
            format: FileFormat::default(),
            raw: false,
            partition_by: Vec::new(),
            force: false,
            row_group_rows: 1 << 20,
            len_in_progress: 256 << 20,
            // Level 3 saves less than 1 % and takes a fifth longer: see `formats/tables.md#encodings`.
            zstd_level: 1,
        }
    }
}

/// Facts that go into the metadata of every file (`formats/tables.md#metadata`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Keys, such as `recount.source`, and their values.
    pub metadata: Vec<(String, String)>,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Every file, by path.
    pub files: Vec<WrittenFile>,
    /// Rows of the tables of values; `_nulls` and `_counters` aren't counted.
    pub num_rows: u64,
    /// Bytes of all files together.
    pub len_bytes: u64,
}

/// One file of an output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WrittenFile {
    /// Where it is; empty for a stream.
    pub path: PathBuf,
    /// Rows in it.
    pub num_rows: u64,
    /// Its length in bytes.
    pub len_bytes: u64,
}

/// What the pipeline writes cooked values to.
pub trait TableSink: Send {
    /// Takes all cooked stretches of one slice of time. Slices come in ascending time and don't overlap.
    ///
    /// After an error the sink is of no further use: every later call fails.
    fn write(&mut self, slice: Vec<Cooked>) -> Result<(), TableError>;

    /// Completes the files and moves them into place. Until then nothing appears under the output's name;
    /// a sink that is dropped instead leaves nothing behind.
    fn finish(self: Box<Self>, footer: &Footer) -> Result<Written, TableError>;
}
