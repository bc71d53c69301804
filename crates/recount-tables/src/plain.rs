//! Tables of any columns as Parquet: for answers, which have no layout of their own.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, TimestampNanosecondArray,
    UInt64Array,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

/// Values of a column, one per row.
#[derive(Clone, Debug, PartialEq)]
pub enum PlainColumn {
    /// `double`
    Numbers(Vec<Option<f64>>),
    /// `int64`
    Whole(Vec<Option<i64>>),
    /// `uint64`
    Counts(Vec<Option<u64>>),
    /// `bool`
    Bools(Vec<Option<bool>>),
    /// `utf8`
    Texts(Vec<Option<String>>),
    /// `timestamp[ns, UTC]`: nanoseconds since 1970.
    Times(Vec<Option<i64>>),
}

/// Writes a table; all columns have as many rows.
pub fn write_plain(
    out: &mut (dyn Write + Send),
    columns: Vec<(String, PlainColumn)>,
) -> Result<(), ParquetError> {
    let arrays = columns.into_iter().map(|(name, column)| (name, array(column), true));
    let batch = RecordBatch::try_from_iter_with_nullable(arrays)?;
    let properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?)).build();
    let mut writer = ArrowWriter::try_new(out, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close().map(drop)
}

fn array(column: PlainColumn) -> ArrayRef {
    match column {
        PlainColumn::Numbers(values) => Arc::new(Float64Array::from(values)),
        PlainColumn::Whole(values) => Arc::new(Int64Array::from(values)),
        PlainColumn::Counts(values) => Arc::new(UInt64Array::from(values)),
        PlainColumn::Bools(values) => Arc::new(BooleanArray::from(values)),
        PlainColumn::Texts(values) => Arc::new(StringArray::from(values)),
        PlainColumn::Times(values) => Arc::new(TimestampNanosecondArray::from(values).with_timezone("UTC")),
    }
}
