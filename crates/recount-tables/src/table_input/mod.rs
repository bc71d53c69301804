//! Tables that `recount convert` wrote, as an input (`formats/tables.md`, "Reading back").
//!
//! ```text
//! files -> time columns -> samples, and where their rows are            (opening)
//! rows of a slice -> blocks (of one sample) -> stretches -> cooked      (reading)
//! ```
//!
//! Rows of an object's table are in the order of the capture, so those of consecutive samples with the same
//! instances already form the matrix of [`recount_model::Cooked`]: a column of values is copied once, as a
//! whole.

mod blocks;
mod catalogue;
mod content_reader;
mod damaged_page;
mod error;
mod feed;
mod guard;
mod instance_tables;
mod interned;
mod lanes;
mod nulls;
mod object_rows;
mod object_stretch;
mod object_table;
mod parquet_input;
mod row_index;
mod row_times;
mod rows;
mod sampled_file;
mod tables;
mod tidy_file;
mod tidy_rows;
mod tidy_shape;
mod tidy_stretch;
mod times;
mod windows;

pub use error::TableInputError;
pub(crate) use guard::guarded;
pub use tables::{InputFile, ParquetTables};
