//! A single batch as a Parquet file.

use std::io::Write;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

/// Writes a batch of any columns as a Parquet file.
pub fn write_parquet(out: impl Write + Send, batch: &RecordBatch) -> Result<(), ParquetError> {
    let properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?)).build();
    let mut writer = ArrowWriter::try_new(out, batch.schema(), Some(properties))?;
    writer.write(batch)?;
    writer.close().map(drop)
}
