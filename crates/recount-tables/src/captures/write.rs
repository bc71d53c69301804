//! Writes the catalogue's file.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, BooleanArray, Int64Array, ListArray, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::ArrowError;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::schema::{KEY, VERSION, captures_schema, element};
use super::{CaptureRow, Names};
use crate::page_checksum::write_with_checksums;

/// Rows encoded at a time.
const NUM_ROWS: usize = 8 << 10;

/// Writes a catalogue as a Parquet file, with its rows in this order.
pub fn write_captures(out: impl Write + Send, rows: &[CaptureRow]) -> Result<(), ParquetError> {
    let properties = WriterProperties::builder()
        .set_created_by(concat!("recount version ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_key_value_metadata(Some(vec![KeyValue::new(KEY.to_owned(), VERSION.to_owned())]));
    let batches = rows.chunks(NUM_ROWS).map(|rows| Ok(captures_batch(rows)?));
    write_with_checksums(out, &captures_schema(), properties.build(), batches)
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

#[cfg(test)]
mod tests {
    use parquet::file::metadata::ColumnChunkMetaData;

    use super::*;
    use crate::read_captures;

    fn rows(num: usize) -> Vec<CaptureRow> {
        let mut names = super::super::SharedNames::default();
        let row = |number: usize| CaptureRow {
            path: format!("/captures/TAPE-{number}"),
            size: number as i64,
            modified: None,
            etag: None,
            format: None,
            capture_id: None,
            hosts: names.share((0..number % 3).map(|host| format!("HOST{host}")).collect()),
            begin: Some(number as i64),
            end: Some(2 * number as i64),
            is_zone_unknown: number.is_multiple_of(2),
            samples: Some(7),
            objects: Names::default(),
            is_complete: true,
            findings: 0,
            health: None,
            version: "1".to_owned(),
        };
        (0..num).map(row).collect()
    }

    fn read(bytes: &[u8]) -> Result<Vec<CaptureRow>, String> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        read_captures(file).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_are_read_back() {
        for num in [0, 1, 5, NUM_ROWS + 3] {
            let mut bytes = Vec::new();
            write_captures(&mut bytes, &rows(num)).expect("written");
            assert_eq!(read(&bytes).as_ref(), Ok(&rows(num)), "{num}");
        }
    }

    /// Any bit of the pages: their headers and their data.
    #[test]
    fn a_flipped_bit_in_a_page_is_noticed() {
        let mut bytes = Vec::new();
        write_captures(&mut bytes, &rows(5)).expect("written");
        let reader =
            parquet::file::serialized_reader::SerializedFileReader::new(bytes::Bytes::from(bytes.clone()));
        let metadata = parquet::file::reader::FileReader::metadata(&reader.expect("Parquet")).clone();
        let end: i64 = metadata.row_group(0).columns().iter().map(ColumnChunkMetaData::compressed_size).sum();
        let mut num_noticed = 0;
        for at in 4..4 + end as usize {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            match read(&damaged) {
                Err(_) => num_noticed += 1,
                // Statistics in a page's header aren't read.
                Ok(found) => assert_eq!(found, rows(5), "byte {at}"),
            }
        }
        assert!(num_noticed > end / 4, "{num_noticed} of {end}");
    }
}
