//! Batches of any columns as a Parquet file.

use std::collections::HashMap;
use std::io::Write;

use arrow_array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::table_input::guarded;

/// Writes a batch of any columns as a Parquet file. The metadata of its schema becomes that of the file.
pub fn write_parquet(out: impl Write + Send, batch: &RecordBatch) -> Result<(), ParquetError> {
    let schema = batch.schema();
    let mut entries: Vec<KeyValue> =
        schema.metadata().iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
    entries.sort_by(|one, other| one.key.cmp(&other.key));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_key_value_metadata((!entries.is_empty()).then_some(entries))
        .build();
    let mut writer = ArrowWriter::try_new(out, batch.schema(), Some(properties))?;
    writer.write(batch)?;
    writer.close().map(drop)
}

/// The entries of a file's metadata, and its batches.
pub type ParquetContents = (HashMap<String, String>, Vec<RecordBatch>);

/// Reads a file that [`write_parquet`] wrote, whole. Damage is an error.
pub fn read_parquet(bytes: Vec<u8>) -> Result<ParquetContents, ParquetError> {
    guarded(|| {
        let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes))?;
        let entries = reader.metadata().file_metadata().key_value_metadata().into_iter().flatten();
        let entries = entries.filter_map(|entry| Some((entry.key.clone(), entry.value.clone()?))).collect();
        let batches = reader.with_batch_size(1 << 16).build()?.collect::<Result<_, _>>()?;
        Ok((entries, batches))
    })
}
