//! From cooked stretches to Arrow batches: the only place where values become rows and columns
//! (`formats/tables.md`).
//!
//! Table files, SQL, and the library's readers all use these batches. Columns are defined in
//! [`crate::schema`].

pub(crate) mod catalogue;
pub(crate) mod columns;
mod description;
mod names;
pub(crate) mod nulls;
mod object_rows;
mod objects;
mod raw;
mod shared_rows;
mod tidy;

pub use description::fixed_description;
pub use objects::{ObjectBatches, catalogue_batch};
pub use raw::RawColumn;
pub use tidy::tidy_batches;

use arrow_array::RecordBatch;
use recount_model::Cooked;

use crate::TableError;
use crate::slice::nanos;

/// The missing values of a slice with their reasons ([`crate::schema::NULLS`]), by time; `None` if there are none.
pub fn nulls_batch(slice: &[Cooked]) -> Result<Option<RecordBatch>, TableError> {
    let times: Vec<Vec<i64>> = slice.iter().map(nanos).collect::<Result<_, _>>()?;
    nulls::nulls(slice, &times).map_err(TableError::arrow("nulls"))
}
