//! The layouts of tables.

pub(crate) mod catalogue;
pub(crate) mod columns;
pub(crate) mod nulls;
mod object_rows;
pub(crate) mod object_table;
pub(crate) mod objects;
pub(crate) mod tidy;
mod tidy_rows;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};

/// Time of a sample: UTC, never null, always the first column.
pub(crate) fn time_field() -> Field {
    Field::new("time", DataType::Timestamp(TimeUnit::Nanosecond, Some(Arc::from("UTC"))), false)
}

/// The footer's metadata with the layout's name.
pub(crate) fn with_layout(footer: &crate::Footer, layout: &str) -> Vec<(String, String)> {
    let mut metadata = footer.metadata.clone();
    if !metadata.iter().any(|(key, _)| key == "recount.layout") {
        metadata.push(("recount.layout".into(), layout.into()));
    }
    metadata
}
