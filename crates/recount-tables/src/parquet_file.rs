//! One Parquet file, whose columns are encoded in parallel.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{
    ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriterOptions, compute_leaves,
};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use rayon::prelude::*;

use crate::TableError;
use crate::encode::{Encode, FileSize};
use crate::footer_checksum::checksum;
use crate::page_checksum::PagesOfColumns;
use crate::schema::key;
use crate::target::Target;

/// Maximum size of a dictionary of numbers, in bytes. Counters that are constant or have few values fit; for
/// others, hashing every value would be wasted, so this is less than Parquet's usual 1 MiB.
const LEN_NUMBER_DICTIONARY: usize = 128 << 10;

/// Rows after which a page is closed whatever its length.
const NUM_PAGE_ROWS: usize = 20_000;

/// Memory that a compressor keeps between pages (zstd at a low level), which the encoders don't count.
const LEN_COMPRESSOR: usize = 512 << 10;

/// From this number of columns on, a row group is closed before any of its pages is full. A compressor is
/// created with a column's first page and kept until the row group is closed, which takes gigabytes for
/// thousands of columns.
const NUM_WIDE_COLUMNS: usize = 256;

/// Rows collected before they are encoded, and their maximum memory. Columns are encoded one by one, and each
/// encoder has a dictionary that must be loaded into the caches again, so encoding many rows at a time is
/// better.
const NUM_WAITING_ROWS: usize = 64 << 10;
const LEN_WAITING: usize = 16 << 20;

/// A Parquet file being written.
pub(crate) struct ParquetFile {
    file: String,
    schema: SchemaRef,
    writer: SerializedFileWriter<Target>,
    factory: ArrowRowGroupWriterFactory,
    /// Encoders of the open row group, one per column; empty when none is open.
    columns: Vec<ArrowColumnWriter>,
    /// Their finished pages.
    pages: PagesOfColumns,
    /// Rows of the open row group that are not yet encoded, and their memory.
    waiting: Vec<RecordBatch>,
    num_waiting_rows: usize,
    len_waiting: usize,
    /// Number of rows in the open row group, including those waiting.
    num_group_rows: usize,
    num_rows: u64,
    max_group_rows: usize,
}

impl ParquetFile {
    /// Begins a file. `file` is its name in messages.
    pub(crate) fn new(
        target: Target,
        schema: SchemaRef,
        file: &str,
        encode: &Encode,
    ) -> Result<ParquetFile, TableError> {
        let error = TableError::parquet(file);
        let is_wide = schema.fields().len() >= NUM_WIDE_COLUMNS;
        let max_group_rows =
            encode.row_group_rows.min(if is_wide { NUM_PAGE_ROWS - 1 } else { usize::MAX }).max(1);
        let pages = PagesOfColumns::default();
        let options = ArrowWriterOptions::new()
            .with_properties(properties(&schema, encode).map_err(&error)?)
            .with_page_store_factory(Arc::new(pages.clone()));
        let (writer, factory) = ArrowWriter::try_new_with_options(target, schema.clone(), options)
            .and_then(ArrowWriter::into_serialized_writer)
            .map_err(&error)?;
        Ok(ParquetFile {
            file: file.into(),
            schema,
            writer,
            factory,
            columns: Vec::new(),
            pages,
            waiting: Vec::new(),
            num_waiting_rows: 0,
            len_waiting: 0,
            num_group_rows: 0,
            num_rows: 0,
            max_group_rows,
        })
    }

    /// Appends rows.
    pub(crate) fn write(&mut self, batches: &[RecordBatch]) -> Result<(), TableError> {
        for batch in batches {
            let mut ofs = 0;
            while ofs < batch.num_rows() {
                let room = self.max_group_rows - self.num_group_rows;
                let num = room.min(batch.num_rows() - ofs);
                self.push(batch.slice(ofs, num));
                ofs += num;
                if num == room {
                    self.flush()?;
                }
            }
        }
        let is_enough = self.num_waiting_rows >= NUM_WAITING_ROWS || self.len_waiting >= LEN_WAITING;
        if is_enough { self.encode() } else { Ok(()) }
    }

    fn push(&mut self, batch: RecordBatch) {
        let num_rows = batch.num_rows();
        self.num_waiting_rows += num_rows;
        self.num_group_rows += num_rows;
        self.num_rows += num_rows as u64;
        self.len_waiting += batch.get_array_memory_size();
        self.waiting.push(batch);
    }

    /// Encodes the waiting rows.
    fn encode(&mut self) -> Result<(), TableError> {
        let batches = std::mem::take(&mut self.waiting);
        (self.num_waiting_rows, self.len_waiting) = (0, 0);
        if batches.is_empty() {
            return Ok(());
        }
        let error = TableError::parquet(&self.file);
        if self.columns.is_empty() {
            let index = self.writer.flushed_row_groups().len();
            self.columns = self.factory.create_column_writers(index).map_err(&error)?;
        }
        // No column is nested, so there is one encoder per column.
        let schema = &self.schema;
        self.columns
            .par_iter_mut()
            .enumerate()
            .try_for_each(|(at, column)| {
                for batch in &batches {
                    for leaf in compute_leaves(schema.field(at), batch.column(at))? {
                        column.write(&leaf)?;
                    }
                }
                Ok::<(), ParquetError>(())
            })
            .map_err(&error)
    }

    /// Memory used by the open row group, in bytes.
    pub(crate) fn len_in_progress(&self) -> usize {
        let len_compressor = if self.num_group_rows >= NUM_PAGE_ROWS { LEN_COMPRESSOR } else { 0 };
        let encoders = self.columns.iter().map(|column| column.memory_size() + len_compressor);
        encoders.sum::<usize>() + self.len_waiting
    }

    /// Writes the open row group and closes the file until the next one.
    pub(crate) fn flush(&mut self) -> Result<(), TableError> {
        self.encode()?;
        if self.columns.is_empty() {
            return Ok(());
        }
        let error = TableError::parquet(&self.file);
        let columns = std::mem::take(&mut self.columns);
        self.num_group_rows = 0;
        let chunks: Vec<_> = columns
            .into_par_iter()
            .map(ArrowColumnWriter::close)
            .collect::<Result<_, _>>()
            .map_err(&error)?;
        let mut group = self.writer.next_row_group().map_err(&error)?;
        for (chunk, pages) in chunks.into_iter().zip(self.pages.take()) {
            let (bytes, close) = pages.complete(chunk).map_err(&error)?;
            group.append_column(&bytes, close).map_err(&error)?;
        }
        group.close().map_err(&error)?;
        self.writer.flush().map_err(|source| error(source.into()))?;
        self.writer.inner_mut().release();
        Ok(())
    }

    /// Writes the footer and syncs the file.
    pub(crate) fn finish(mut self, metadata: &[(String, String)]) -> Result<FileSize, TableError> {
        self.flush()?;
        let error = TableError::parquet(&self.file);
        let checksum = checksum(metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())));
        for (key, value) in metadata.iter().chain([&(key::CHECKSUM.to_owned(), checksum)]) {
            self.writer.append_key_value_metadata(KeyValue::new(key.clone(), value.clone()));
        }
        self.writer.finish().map_err(&error)?;
        let len_bytes = self.writer.bytes_written() as u64;
        self.writer.flush().map_err(|source| error(source.into()))?;
        self.writer.inner_mut().complete().map_err(|source| error(source.into()))?;
        Ok(FileSize { num_rows: self.num_rows, len_bytes })
    }
}

/// How each column is encoded (`formats/tables.md#encodings`).
fn properties(schema: &SchemaRef, encode: &Encode) -> Result<WriterProperties, ParquetError> {
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("recount version ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(encode.zstd_level)?))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_data_page_row_count_limit(NUM_PAGE_ROWS)
        // Row groups are closed by `ParquetFile` itself.
        .set_max_row_group_row_count(None);
    for (at, field) in schema.fields().iter().enumerate() {
        let path = || ColumnPath::new(vec![field.name().clone()]);
        match field.data_type() {
            DataType::Timestamp(..) => {
                builder = builder
                    .set_column_dictionary_enabled(path(), false)
                    .set_column_encoding(path(), Encoding::DELTA_BINARY_PACKED);
                if at == 0 {
                    let by_time = SortingColumn { column_idx: 0, descending: false, nulls_first: false };
                    builder = builder.set_sorting_columns(Some(vec![by_time]));
                }
            }
            DataType::Float64 => {
                builder = builder.set_column_dictionary_page_size_limit(path(), LEN_NUMBER_DICTIONARY);
            }
            DataType::UInt64 => {
                builder = builder
                    .set_column_dictionary_page_size_limit(path(), LEN_NUMBER_DICTIONARY)
                    .set_column_encoding(path(), Encoding::DELTA_BINARY_PACKED);
            }
            _ => {}
        }
    }
    Ok(builder.build())
}
