//! Every column that tables have: its name, its type, whether it may be null, and the order (`formats/tables.md`).
//!
//! The writers and readers of tables use these columns, as do SQL and the library's batches.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

/// The type of a column (`formats/tables.md#types`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `timestamp[ns, UTC]`
    Time,
    /// `timestamp[ns]`
    LocalTime,
    /// `double`
    Float64,
    /// `dictionary<int32, utf8>`
    Name,
    /// `utf8`
    Text,
    /// `uint64`
    Uint64,
    /// `uint32`
    Uint32,
    /// `int32`
    Int32,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may be null.
    pub nullable: bool,
}

const fn required(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, nullable: false }
}

const fn nullable(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, nullable: true }
}

/// When the sample was taken; the first column of every table with rows of samples.
pub const TIME: Column = required("time", Kind::Time);
/// When the sample was taken, by the clock of the machine in its time zone.
pub const LOCAL_TIME: Column = required("local_time", Kind::LocalTime);
/// Seconds since the previous sample.
pub const INTERVAL: Column = nullable("interval_s", Kind::Float64);
/// How much the values of a row count in a mean over time, in seconds (`formats/rules.md#means`).
pub const WEIGHT: Column = required("weight_s", Kind::Float64);
/// Machine, without leading backslashes.
pub const HOST: Column = nullable("host", Kind::Name);
/// Performance object.
pub const OBJECT: Column = required("object", Kind::Name);
/// Instance, as Windows shows it.
pub const INSTANCE: Column = nullable("instance", Kind::Name);
/// Process id or `UniqueID`.
pub const INSTANCE_ID: Column = nullable("instance_id", Kind::Uint64);
/// Counter.
pub const COUNTER: Column = required("counter", Kind::Name);
/// Cooked value.
pub const VALUE: Column = nullable("value", Kind::Float64);
/// Why there is no value, or `ok`.
pub const STATUS: Column = required("status", Kind::Name);
/// The counter's own raw value.
pub const FIRST: Column = nullable("first", Kind::Uint64);
/// The clock or base for the raw value.
pub const SECOND: Column = nullable("second", Kind::Uint64);

/// Text of a counter of type TEXT.
pub const TEXT: Column = nullable("text", Kind::Text);

/// The tidy table, without [`OptionalColumns`], which follow in the order of its fields.
pub const TIDY: [Column; 9] = [TIME, INTERVAL, WEIGHT, HOST, OBJECT, INSTANCE, COUNTER, VALUE, STATUS];
/// Columns of the tidy table with raw values, after those of [`TIDY`].
pub const TIDY_RAW: [Column; 2] = [FIRST, SECOND];

/// The first columns of an object's table. [`INSTANCE`], [`INSTANCE_ID`] and the counters follow as they are
/// needed, after [`LOCAL_TIME`] if it is wanted.
pub const OBJECT_TABLE: [Column; 4] = [TIME, INTERVAL, WEIGHT, HOST];
/// Names that can't be used for counters in an object's table: its other columns, and those of partitions.
pub const RESERVED: [&str; 8] = [
    TIME.name,
    INTERVAL.name,
    WEIGHT.name,
    HOST.name,
    INSTANCE.name,
    INSTANCE_ID.name,
    LOCAL_TIME.name,
    "date",
];

/// `_nulls`: why values are missing.
pub const NULLS: [Column; 6] = [TIME, HOST, OBJECT, INSTANCE, COUNTER, STATUS];

/// `_counters`: the catalogue.
pub const COUNTERS: [Column; 11] = [
    catalogue::OBJECT,
    catalogue::COUNTER,
    catalogue::PATH,
    catalogue::TYPE,
    catalogue::TYPE_WORD,
    catalogue::UNIT,
    catalogue::DEFAULT_SCALE,
    catalogue::BASE,
    catalogue::HELP,
    catalogue::COLUMN,
    catalogue::FILE,
];

/// `_processes`: a row per process.
pub const PROCESSES: [Column; 29] = [
    nullable("host", Kind::Text),
    nullable("pid", Kind::Uint64),
    nullable("start", Kind::Time),
    nullable("end", Kind::Time),
    required("first_seen", Kind::Time),
    required("last_seen", Kind::Time),
    required("name", Kind::Text),
    required("shown", Kind::Text),
    nullable("parent", Kind::Uint64),
    nullable("executable", Kind::Text),
    nullable("command", Kind::Text),
    nullable("user_id", Kind::Uint32),
    nullable("user", Kind::Text),
    nullable("unit", Kind::Text),
    nullable("container", Kind::Text),
    nullable("container_name", Kind::Text),
    nullable("cgroup", Kind::Text),
    nullable("session", Kind::Uint32),
    nullable("scheduling_class", Kind::Text),
    nullable("cpu_s", Kind::Float64),
    nullable("user_cpu_s", Kind::Float64),
    nullable("privileged_cpu_s", Kind::Float64),
    nullable("bytes_read", Kind::Float64),
    nullable("bytes_written", Kind::Float64),
    nullable("storage_bytes_read", Kind::Float64),
    nullable("storage_bytes_written", Kind::Float64),
    nullable("peak_memory", Kind::Float64),
    nullable("exit_status", Kind::Uint32),
    required("count", Kind::Uint64),
];

/// The columns that describe the columns of a table.
pub const DESCRIPTION: [Column; 4] = [
    required("column", Kind::Text),
    required("type", Kind::Text),
    nullable("unit", Kind::Text),
    nullable("counter_type", Kind::Text),
];

/// Name of the column of a counter's texts in an object's table, next to that of its values.
pub fn texts_of(column: &str) -> String {
    format!("{column} (text)")
}

/// Columns of the catalogue (`formats/tables.md#counters`).
pub mod catalogue {
    use super::{Column, Kind, nullable, required};

    /// Performance object.
    pub const OBJECT: Column = required("object", Kind::Text);
    /// Counter.
    pub const COUNTER: Column = required("counter", Kind::Text);
    /// Counter path that matches it on every host.
    pub const PATH: Column = required("path", Kind::Text);
    /// Name of its type.
    pub const TYPE: Column = nullable("type", Kind::Text);
    /// Its type as a number.
    pub const TYPE_WORD: Column = nullable("type_word", Kind::Uint32);
    /// Unit of its values.
    pub const UNIT: Column = nullable("unit", Kind::Text);
    /// Power of ten by which a chart multiplies.
    pub const DEFAULT_SCALE: Column = required("default_scale", Kind::Int32);
    /// Counter whose raw value is the base.
    pub const BASE: Column = nullable("base", Kind::Text);
    /// Explanation.
    pub const HELP: Column = nullable("help", Kind::Text);
    /// Column of its values in the object's table.
    pub const COLUMN: Column = nullable("column", Kind::Text);
    /// File of the object's table.
    pub const FILE: Column = nullable("file", Kind::Text);
}

/// Name of the table of [`COUNTERS`].
pub(crate) const COUNTERS_TABLE: &str = "_counters";
/// The catalogue of the objects layout, by which a directory of such tables is recognised.
pub const CATALOGUE_FILE: &str = "_counters.parquet";
/// Name of the table of [`NULLS`].
pub(crate) const NULLS_TABLE: &str = "_nulls";
/// Its file in Parquet.
pub(crate) const NULLS_FILE: &str = "_nulls.parquet";

/// Value of [`key::ZONE`] for local times of an unknown zone.
pub const UNKNOWN_ZONE: &str = "unknown";

/// Keys of the metadata in every file (`formats/tables.md#metadata`).
pub mod key {
    /// Version of recount that wrote the file.
    pub const VERSION: &str = "recount.version";
    /// Names of the captures.
    pub const SOURCE: &str = "recount.source";
    /// Their formats.
    pub const FORMAT: &str = "recount.format";
    /// Their machines.
    pub const HOST: &str = "recount.host";
    /// Their operating systems.
    pub const OS: &str = "recount.os";
    /// Their time zones.
    pub const ZONE: &str = "recount.zone";
    /// Name of the [`Layout`](crate::Layout).
    pub const LAYOUT: &str = "recount.layout";
    /// Whether values are multiplied by their counters' default scales.
    pub const SCALED: &str = "recount.scaled";
    /// Types of those counters of a tidy table for which null means more than that there is no value.
    pub const TYPES: &str = "recount.types";
    /// Number of findings while reading the captures.
    pub const FINDINGS: &str = "recount.findings";
    /// Checksum of all these keys and values.
    pub const CHECKSUM: &str = "recount.checksum";
}

impl Kind {
    /// The type in Arrow.
    pub fn data_type(self) -> DataType {
        match self {
            Kind::Time => DataType::Timestamp(TimeUnit::Nanosecond, Some(Arc::from("UTC"))),
            Kind::LocalTime => DataType::Timestamp(TimeUnit::Nanosecond, None),
            Kind::Float64 => DataType::Float64,
            Kind::Name => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            Kind::Text => DataType::Utf8,
            Kind::Uint64 => DataType::UInt64,
            Kind::Uint32 => DataType::UInt32,
            Kind::Int32 => DataType::Int32,
        }
    }
}

impl Column {
    /// The column in Arrow.
    pub fn field(self) -> Field {
        Field::new(self.name, self.kind.data_type(), self.nullable)
    }
}

/// The schema of a table with these columns.
pub fn schema(columns: &[Column]) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(|column| column.field()).collect::<Vec<_>>()))
}

/// The columns that the tidy table has only if they are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptionalColumns {
    /// [`LOCAL_TIME`].
    pub local_time: bool,
    /// [`TIDY_RAW`].
    pub raw: bool,
    /// [`TEXT`].
    pub texts: bool,
}

/// The schema of the tidy table.
pub fn tidy(optional: OptionalColumns) -> SchemaRef {
    let local_time: &[Column] = if optional.local_time { &[LOCAL_TIME] } else { &[] };
    let raw: &[Column] = if optional.raw { &TIDY_RAW } else { &[] };
    let texts: &[Column] = if optional.texts { &[TEXT] } else { &[] };
    schema(&[&TIDY, local_time, raw, texts].concat())
}
