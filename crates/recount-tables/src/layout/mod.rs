//! The layouts of tables.

pub(crate) mod catalogue;
pub(crate) mod nulls;
pub(crate) mod object_table;
pub(crate) mod objects;
pub(crate) mod tidy;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::schema::key;

/// Whether a file name is one that recount writes into directories of tables.
pub fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet" || extension == "arrow")
}

/// The footer's metadata with the layout's name.
pub(crate) fn with_layout(footer: &crate::Footer, layout: crate::Layout) -> Vec<(String, String)> {
    let mut metadata = footer.metadata.clone();
    if !metadata.iter().any(|(name, _)| name == key::LAYOUT) {
        metadata.push((key::LAYOUT.into(), layout.name().into()));
    }
    metadata
}
