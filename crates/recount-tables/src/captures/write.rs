//! Writes the catalogue's file.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, BooleanArray, Int64Array, ListArray, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::schema::{KEY, VERSION, captures_schema, element};
use super::{CaptureRow, Names};

/// Rows encoded at a time.
const NUM_ROWS: usize = 8 << 10;

/// Writes a catalogue as a Parquet file, with its rows in this order.
pub fn write_captures(out: impl Write + Send, rows: &[CaptureRow]) -> Result<(), ParquetError> {
    let properties = WriterProperties::builder()
        .set_created_by(concat!("recount version ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_key_value_metadata(Some(vec![KeyValue::new(KEY.to_owned(), VERSION.to_owned())]));
    let mut writer = ArrowWriter::try_new(out, captures_schema(), Some(properties.build()))?;
    for rows in rows.chunks(NUM_ROWS) {
        writer.write(&captures_batch(rows)?)?;
    }
    writer.close().map(drop)
}

/// Rows in columns.
pub fn captures_batch(rows: &[CaptureRow]) -> Result<RecordBatch, ArrowError> {
    let columns: Vec<ArrayRef> = vec![
        texts(rows, |row| Some(&row.path)),
        numbers(rows, |row| Some(row.size)),
        times(rows, |row| row.modified),
        texts(rows, |row| row.etag.as_deref()),
        texts(rows, |row| row.format.as_deref()),
        texts(rows, |row| row.capture_id.as_deref()),
        lists(rows, |row| &row.hosts),
        times(rows, |row| row.begin),
        times(rows, |row| row.end),
        flags(rows, |row| row.is_zone_unknown),
        numbers(rows, |row| row.samples),
        lists(rows, |row| &row.objects),
        flags(rows, |row| row.is_complete),
        numbers(rows, |row| Some(row.findings)),
        texts(rows, |row| row.health.as_deref()),
        texts(rows, |row| Some(&row.version)),
    ];
    RecordBatch::try_new(captures_schema(), columns)
}

fn texts<'r>(rows: &'r [CaptureRow], of: impl Fn(&'r CaptureRow) -> Option<&'r str>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<StringArray>())
}

fn numbers(rows: &[CaptureRow], of: impl Fn(&CaptureRow) -> Option<i64>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<Int64Array>())
}

fn times(rows: &[CaptureRow], of: impl Fn(&CaptureRow) -> Option<i64>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
}

fn flags(rows: &[CaptureRow], of: impl Fn(&CaptureRow) -> bool) -> ArrayRef {
    Arc::new(rows.iter().map(|row| Some(of(row))).collect::<BooleanArray>())
}

fn lists(rows: &[CaptureRow], of: impl Fn(&CaptureRow) -> &Names) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new()).with_field(element());
    for row in rows {
        lists.append_value(of(row).iter().map(Some));
    }
    let lists: ListArray = lists.finish();
    Arc::new(lists)
}
