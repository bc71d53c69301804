//! Options of the caller, and the inputs and results of a sink of tables.

use std::path::PathBuf;

use recount_compute::Cooked;
use recount_output::Access;

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

impl Layout {
    /// Its name in files ([`key::LAYOUT`](crate::schema::key::LAYOUT)).
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Tidy => "tidy",
            Layout::Objects => "objects",
        }
    }
}

/// How tables are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileFormat {
    /// Apache Parquet.
    #[default]
    Parquet,
    /// Arrow IPC: the file format, or the stream format if the output is a stream.
    ArrowIpc,
}

/// Keys by which rows are split into files (`formats/tables.md#partitions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartitionKey {
    /// The machine.
    Host,
    /// The day in UTC.
    Date,
}

/// Choices for an output.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// Rows and columns.
    pub layout: Layout,
    /// Encoding.
    pub format: FileFormat,
    /// Whether tables of values have a column of local times.
    pub local_time: bool,
    /// Whether to include raw values next to the cooked ones. The cooked stretches must have them.
    pub raw: bool,
    /// Whether the tidy layout has a column of texts from the start. Without it, a file gets the column with the first
    /// text, at the cost of copying the table once at the end, and a stream leaves texts out.
    pub texts: bool,
    /// Levels of directories, outermost first; empty for no partitions.
    pub partition_by: Vec<PartitionKey>,
    /// Whether to replace an existing output.
    pub force: bool,
    /// Whoever may not read what is converted, may not read the output.
    pub access: Access,
    /// Number of rows at which a Parquet row group is closed.
    pub row_group_rows: usize,
    /// Maximum bytes of encoded data in all open row groups together; beyond that the largest is written.
    pub len_in_progress: usize,
    /// Level of zstd in Parquet files, 1 to 22.
    pub zstd_level: i32,
}

impl Default for TableOptions {
    fn default() -> TableOptions {
        TableOptions {
            layout: Layout::default(),
            format: FileFormat::default(),
            local_time: false,
            raw: false,
            texts: false,
            partition_by: Vec::new(),
            force: false,
            access: Access::default(),
            row_group_rows: 1 << 20,
            len_in_progress: 256 << 20,
            // Level 3 saves less than 1 % and takes 20 % longer: see `formats/tables.md#encodings`.
            zstd_level: 1,
        }
    }
}

/// Facts for the metadata of every file (`formats/tables.md#metadata`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Keys, such as `recount.source`, and their values.
    pub metadata: Vec<(String, String)>,
}

/// The result of writing.
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
    /// Its path; empty for a stream.
    pub path: PathBuf,
    /// Rows in it.
    pub num_rows: u64,
    /// Its length in bytes.
    pub len_bytes: u64,
}

/// A target for the pipeline's cooked values.
pub trait TableSink: Send {
    /// Writes all cooked stretches of one slice of time. Slices must be in time order and not overlap.
    ///
    /// After an error the sink is unusable: every later call fails.
    fn write(&mut self, slice: Vec<Cooked>) -> Result<(), TableError>;

    /// Completes the files and moves them into place. Until then nothing exists under the output's name;
    /// dropping the sink instead leaves nothing.
    fn finish(self: Box<Self>, footer: &Footer) -> Result<Written, TableError>;
}
