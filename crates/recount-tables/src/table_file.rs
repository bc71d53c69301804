//! A file of a table, in any format.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::encode::{Encode, FileSize};
use crate::ipc_file::IpcFile;
use crate::parquet_file::ParquetFile;
use crate::target::Target;
use crate::{FileFormat, TableError};

/// A file being written.
pub(crate) enum TableFile {
    Parquet(ParquetFile),
    Ipc(IpcFile),
}

impl TableFile {
    /// Begins a file. `file` is its name in messages.
    pub(crate) fn new(
        target: Target,
        schema: &SchemaRef,
        file: &str,
        encode: &Encode,
    ) -> Result<TableFile, TableError> {
        Ok(match encode.format {
            FileFormat::Parquet => {
                TableFile::Parquet(ParquetFile::new(target, schema.clone(), file, encode)?)
            }
            FileFormat::ArrowIpc => TableFile::Ipc(IpcFile::new(target, schema, file)?),
        })
    }

    /// Appends rows.
    pub(crate) fn write(&mut self, batches: &[RecordBatch]) -> Result<(), TableError> {
        match self {
            TableFile::Parquet(file) => file.write(batches),
            TableFile::Ipc(file) => file.write(batches),
        }
    }

    /// Memory used by rows not yet written, in bytes.
    pub(crate) fn len_in_progress(&self) -> usize {
        match self {
            TableFile::Parquet(file) => file.len_in_progress(),
            TableFile::Ipc(file) => file.len_in_progress(),
        }
    }

    /// Writes the rows in memory.
    pub(crate) fn flush(&mut self) -> Result<(), TableError> {
        match self {
            TableFile::Parquet(file) => file.flush(),
            TableFile::Ipc(file) => file.flush(),
        }
    }

    /// Completes and syncs the file.
    pub(crate) fn finish(self, metadata: &[(String, String)]) -> Result<FileSize, TableError> {
        match self {
            TableFile::Parquet(file) => file.finish(metadata),
            TableFile::Ipc(file) => file.finish(metadata),
        }
    }
}

/// Reads a file back, batch by batch.
pub(crate) fn read_back(
    path: &Path,
    encode: &Encode,
    mut each: impl FnMut(RecordBatch) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let file = std::fs::File::open(path).map_err(TableError::io("read back", path))?;
    let name = path.display().to_string();
    match encode.format {
        FileFormat::Parquet => {
            let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file)
                .and_then(|builder| builder.with_batch_size(1 << 16).build())
                .map_err(TableError::parquet(&name))?;
            for batch in reader {
                each(batch.map_err(TableError::arrow(&name))?)?;
            }
        }
        FileFormat::ArrowIpc => {
            let reader = arrow_ipc::reader::FileReader::try_new_buffered(file, None)
                .map_err(TableError::arrow(&name))?;
            for batch in reader {
                each(batch.map_err(TableError::arrow(&name))?)?;
            }
        }
    }
    Ok(())
}
