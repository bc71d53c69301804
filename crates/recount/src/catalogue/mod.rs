//! A catalogue of captures: a row per file, brought up to date without opening what did not change
//! (`formats/catalogue.md`).

mod error;
mod read_row;
mod update;

pub use error::CatalogueError;
pub use update::{Catalogue, CatalogueProgress, catalogue};
