//! Reads the catalogue's file.

use std::fs::File;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;

use super::schema::{KEY, VERSION, captures_schema};
use super::{CaptureRow, Names, SharedNames};
use crate::table_input::guarded;

/// Why a file can't be read as a catalogue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueReadError {
    /// The file isn't Parquet, or is damaged.
    #[error("expected a catalogue of captures, a Parquet file: {0}")]
    Parquet(#[from] ParquetError),
    /// The file is Parquet, but not a catalogue.
    #[error("expected a catalogue of captures, found a Parquet file of something else")]
    Other,
}

/// Reads a catalogue; no rows if its columns are those of another version.
pub fn read_captures(file: File) -> Result<Vec<CaptureRow>, CatalogueReadError> {
    let builder = guarded(|| ParquetRecordBatchReaderBuilder::try_new(file))?;
    let metadata = builder.metadata().file_metadata().key_value_metadata();
    let version = metadata.into_iter().flatten().find(|entry| entry.key == KEY);
    match version.and_then(|entry| entry.value.as_deref()) {
        None => return Err(CatalogueReadError::Other),
        Some(VERSION) if builder.schema().fields() == captures_schema().fields() => {}
        Some(_) => return Ok(Vec::new()),
    }
    let (mut rows, mut names) = (Vec::new(), SharedNames::default());
    let mut batches = builder.build()?;
    while let Some(batch) = guarded(|| Ok(batches.next().transpose()?))? {
        rows_of(&batch, &mut names, &mut rows);
    }
    Ok(rows)
}

/// Columns of the types of the schema, which was compared.
fn rows_of(batch: &RecordBatch, names: &mut SharedNames, rows: &mut Vec<CaptureRow>) {
    let column = |name: &str| batch.column_by_name(name);
    let text = |name: &str, row: usize| {
        let column = column(name)?.as_string::<i32>();
        column.is_valid(row).then(|| column.value(row).to_owned())
    };
    let number = |name: &str, row: usize| {
        let column = column(name)?.as_primitive::<Int64Type>();
        column.is_valid(row).then(|| column.value(row))
    };
    let time = |name: &str, row: usize| {
        let column = column(name)?.as_primitive::<TimestampMicrosecondType>();
        column.is_valid(row).then(|| column.value(row))
    };
    let flag = |name: &str, row: usize| column(name).is_some_and(|column| column.as_boolean().value(row));
    let mut list = |name: &str, row: usize| -> Names {
        let Some(column) = column(name) else { return Names::default() };
        let values = column.as_list::<i32>().value(row);
        names.share(values.as_string::<i32>().iter().flatten().map(str::to_owned).collect())
    };
    rows.extend((0..batch.num_rows()).map(|row| CaptureRow {
        path: text("path", row).unwrap_or_default(),
        size: number("size", row).unwrap_or_default(),
        modified: time("modified", row),
        etag: text("etag", row),
        format: text("format", row),
        capture_id: text("capture_id", row),
        hosts: list("hosts", row),
        begin: time("begin", row),
        end: time("end", row),
        is_zone_unknown: flag("is_zone_unknown", row),
        samples: number("samples", row),
        objects: list("objects", row),
        is_complete: flag("is_complete", row),
        findings: number("findings", row).unwrap_or_default(),
        health: text("health", row),
        version: text("version", row).unwrap_or_default(),
    }));
}
