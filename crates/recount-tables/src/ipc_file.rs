//! One Arrow IPC file or stream.

use std::io::{BufWriter, Write};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use crate::TableError;
use crate::encode::FileSize;
use crate::target::Target;

/// Rows per record batch.
const NUM_BATCH_ROWS: usize = 1 << 16;

/// An Arrow IPC file or stream being written.
///
/// Names are written as plain text: the file format doesn't allow replacing dictionaries, not all readers
/// support growing ones, and with zstd the difference is small.
pub(crate) struct IpcFile {
    file: String,
    schema: SchemaRef,
    writer: Writer,
    waiting: Vec<RecordBatch>,
    num_waiting: usize,
    num_rows: u64,
}

enum Writer {
    File(FileWriter<BufWriter<Counted>>),
    Stream(StreamWriter<BufWriter<Counted>>),
}

impl IpcFile {
    /// Begins a file, or a stream if the target is a stream. `file` is its name in messages.
    pub(crate) fn new(target: Target, schema: &SchemaRef, file: &str) -> Result<IpcFile, TableError> {
        let schema = Arc::new(plain_schema(schema));
        let is_stream = matches!(target, Target::Stream(_));
        let target = BufWriter::new(Counted { target, len_bytes: 0 });
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD));
        let writer = options.and_then(|options| {
            Ok(if is_stream {
                Writer::Stream(StreamWriter::try_new_with_options(target, &schema, options)?)
            } else {
                Writer::File(FileWriter::try_new_with_options(target, &schema, options)?)
            })
        });
        let writer = writer.map_err(TableError::arrow(file))?;
        Ok(IpcFile { file: file.into(), schema, writer, waiting: Vec::new(), num_waiting: 0, num_rows: 0 })
    }

    /// Appends rows.
    pub(crate) fn write(&mut self, batches: &[RecordBatch]) -> Result<(), TableError> {
        for batch in batches {
            let mut ofs = 0;
            while ofs < batch.num_rows() {
                let num = (NUM_BATCH_ROWS - self.num_waiting).min(batch.num_rows() - ofs);
                let part =
                    plain(&batch.slice(ofs, num), &self.schema).map_err(TableError::arrow(&self.file))?;
                self.waiting.push(part);
                (ofs, self.num_waiting) = (ofs + num, self.num_waiting + num);
                if self.num_waiting == NUM_BATCH_ROWS {
                    self.flush()?;
                }
            }
        }
        Ok(())
    }

    /// Memory used by waiting rows, in bytes.
    pub(crate) fn len_in_progress(&self) -> usize {
        self.waiting.iter().map(RecordBatch::get_array_memory_size).sum()
    }

    /// Writes the waiting rows and closes the file until the next ones.
    pub(crate) fn flush(&mut self) -> Result<(), TableError> {
        self.write_waiting().map_err(TableError::arrow(&self.file))
    }

    fn write_waiting(&mut self) -> Result<(), ArrowError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let batch = arrow_select::concat::concat_batches(&self.schema, &self.waiting)?;
        self.waiting.clear();
        self.num_waiting = 0;
        self.num_rows += batch.num_rows() as u64;
        let target = match &mut self.writer {
            Writer::File(writer) => {
                writer.write(&batch)?;
                writer.get_mut()
            }
            Writer::Stream(writer) => {
                writer.write(&batch)?;
                writer.get_mut()
            }
        };
        target.flush()?;
        target.get_mut().target.release();
        Ok(())
    }

    /// Writes the footer and syncs the file. A stream can't store metadata.
    pub(crate) fn finish(mut self, metadata: &[(String, String)]) -> Result<FileSize, TableError> {
        self.flush()?;
        let error = TableError::arrow(&self.file);
        let mut target = match self.writer {
            Writer::File(mut writer) => {
                for (key, value) in metadata {
                    writer.write_metadata(key, value);
                }
                writer.finish().and_then(|()| writer.into_inner()).map_err(&error)?
            }
            Writer::Stream(mut writer) => {
                writer.finish().and_then(|()| writer.into_inner()).map_err(&error)?
            }
        };
        target
            .flush()
            .and_then(|()| target.get_mut().target.complete())
            .map_err(|source| error(source.into()))?;
        Ok(FileSize { num_rows: self.num_rows, len_bytes: target.get_ref().len_bytes })
    }
}

/// Counts the bytes written.
struct Counted {
    target: Target,
    len_bytes: u64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let len = self.target.write(bytes)?;
        self.len_bytes += len as u64;
        Ok(len)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.target.flush()
    }
}

fn plain_schema(schema: &Schema) -> Schema {
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| match field.data_type() {
            DataType::Dictionary(_, values) => field.as_ref().clone().with_data_type(values.as_ref().clone()),
            _ => field.as_ref().clone(),
        })
        .collect();
    Schema::new(fields)
}

fn plain(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(|column| match column.data_type() {
        DataType::Dictionary(..) => {
            let names = column.as_dictionary::<Int32Type>();
            arrow_select::take::take(names.values(), names.keys(), None)
        }
        _ => Ok(Arc::clone(column)),
    });
    RecordBatch::try_new(Arc::clone(schema), columns.collect::<Result<Vec<ArrayRef>, _>>()?)
}
