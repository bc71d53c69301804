//! The time that arrow-rs needs to write the final arrays of `convert`: the minimum for any conversion.
//!
//! The arrays come from the files that `convert` wrote, read back batch by batch outside the measured time.
//! Each table is written by one plain `ArrowWriter`, with the encodings that `convert` uses
//! (`formats/tables.md#encodings`), or with the defaults of arrow-rs (no compression, dictionaries of up to 1
//! MiB).

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::convert::{memory_directory, to_parquet};
use crate::measured::Measured;

/// Rows per batch: enough to make the fixed cost of a call negligible.
const NUM_BATCH_ROWS: usize = 65_536;

/// How the tables are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encodings {
    /// As `convert` does.
    OfConvert,
    /// As arrow-rs does by itself.
    OfArrow,
}

/// Writes the tables of the log again and measures only the writing.
pub(crate) fn run(log: &Path, encodings: Encodings) -> Result<Measured> {
    let directory = tempfile::tempdir_in(memory_directory())?;
    let (tables, copies) = (directory.path().join("tables"), directory.path().join("copies"));
    to_parquet(log, &tables)?;
    fs::create_dir(&copies)?;
    let mut total = Written::default();
    for entry in fs::read_dir(&tables)? {
        let entry = entry?;
        let written = rewrite(&entry.path(), &copies.join(entry.file_name()), encodings)?;
        total.time += written.time;
        total.num_values += written.num_values;
        total.len_bytes += written.len_bytes;
    }
    let mut measured = Measured::default();
    measured.set_time("seconds", total.time);
    measured.set("values", total.num_values as f64);
    measured.set("written bytes", total.len_bytes as f64);
    Ok(measured)
}

#[derive(Default)]
struct Written {
    time: Duration,
    /// Numbers that are not null, without the columns that every row has (time, interval, id).
    num_values: u64,
    len_bytes: u64,
}

fn rewrite(from: &Path, to: &Path, encodings: Encodings) -> Result<Written> {
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(File::open(from)?)?.with_batch_size(NUM_BATCH_ROWS);
    let schema = builder.schema().clone();
    let reader = builder.build()?;
    let mut written = Written::default();
    let properties = match encodings {
        Encodings::OfConvert => properties(&schema)?,
        Encodings::OfArrow => WriterProperties::default(),
    };
    let begun = Instant::now();
    let mut writer = ArrowWriter::try_new(File::create(to)?, schema.clone(), Some(properties))?;
    written.time += begun.elapsed();
    for batch in reader {
        let batch = batch?;
        written.num_values += num_values(&batch);
        let begun = Instant::now();
        writer.write(&batch)?;
        written.time += begun.elapsed();
    }
    let begun = Instant::now();
    writer.into_inner()?.sync_all()?;
    written.time += begun.elapsed();
    written.len_bytes = fs::metadata(to)?.len();
    Ok(written)
}

fn num_values(batch: &RecordBatch) -> u64 {
    let schema = batch.schema();
    let columns = batch.columns().iter().zip(schema.fields());
    let counters =
        columns.filter(|(_, field)| *field.data_type() == DataType::Float64 && field.name() != "interval_s");
    counters.map(|(column, _)| (column.len() - column.null_count()) as u64).sum()
}

fn properties(schema: &SchemaRef) -> Result<WriterProperties> {
    const LEN_NUMBER_DICTIONARY: usize = 128 << 10;
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_data_page_row_count_limit(20_000)
        .set_max_row_group_row_count(Some(1 << 20));
    for field in schema.fields() {
        let path = || ColumnPath::new(vec![field.name().clone()]);
        builder = match field.data_type() {
            DataType::Timestamp(..) => builder
                .set_column_dictionary_enabled(path(), false)
                .set_column_encoding(path(), Encoding::DELTA_BINARY_PACKED),
            DataType::Float64 => builder.set_column_dictionary_page_size_limit(path(), LEN_NUMBER_DICTIONARY),
            DataType::UInt64 => builder
                .set_column_dictionary_page_size_limit(path(), LEN_NUMBER_DICTIONARY)
                .set_column_encoding(path(), Encoding::DELTA_BINARY_PACKED),
            _ => builder,
        };
    }
    Ok(builder.build())
}
