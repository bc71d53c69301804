//! A catalogue of captures: one row per file, updated without opening unchanged files
//! (`formats/catalogue.md`).

mod error;
mod read_row;
mod update;

pub use error::CatalogueError;
pub use update::{Catalogue, CatalogueProgress, catalogue};
