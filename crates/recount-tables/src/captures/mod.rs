//! The catalogue of captures: a row per file (`formats/catalogue.md`).

mod read;
mod row;
mod schema;
mod write;

pub use read::{CatalogueReadError, read_captures};
pub use row::{CaptureRow, Names, SharedNames};
pub(crate) use schema::KEY as CATALOGUE_KEY;
pub use schema::captures_schema;
pub use write::{captures_batch, write_captures};
