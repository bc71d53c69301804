//! Tables of cooked counter values: Parquet and Arrow IPC files that every analysis tool reads.
//!
//! Two layouts, specified in `formats/tables.md`:
//!
//! - [`Layout::Tidy`]: one table, one row per time, host, object, instance and counter.
//! - [`Layout::Objects`]: a table per performance object with a column per counter, a catalogue of the
//!   counters, and the reasons for missing values.
//!
//! [`create`] begins an output. [`TableSink::write`] takes slice after slice of cooked stretches, and
//! [`TableSink::finish`] completes the files and moves them into place: an output appears whole or not at
//! all.
//!
//! ```
//! use recount_tables::{Footer, TableOptions, create};
//!
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("empty.parquet");
//! let mut sink = create(&path, &TableOptions::default(), &[])?;
//! sink.write(Vec::new())?;
//! assert!(!path.exists());
//! let written = sink.finish(&Footer::default())?;
//! assert_eq!(written.num_rows, 0);
//! assert!(path.exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch_file;
pub mod batches;
mod captures;
mod create;
mod encode;
mod error;
mod footer_checksum;
mod ipc_file;
mod known_types;
mod layout;
mod options;
mod page_checksum;
mod parquet_file;
mod partition;
pub mod processes;
mod safe_name;
pub mod schema;
mod slice;
mod table;
mod table_file;
mod table_input;
mod target;

pub use batch_file::{ParquetContents, read_parquet, write_parquet};
pub use captures::{
    CaptureRow, CatalogueReadError, Names, SharedNames, captures_batch, captures_schema, read_captures,
    write_captures,
};
pub use create::{create, create_stream};
pub use error::TableError;
pub use layout::is_table;
pub use options::{FileFormat, Footer, Layout, PartitionKey, TableOptions, TableSink, Written, WrittenFile};
pub use safe_name::{FileNames, MAX_LEN_NAME, safe_name};
pub use schema::CATALOGUE_FILE;
pub use table_input::{InputFile, ParquetTables, TableInputError};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
