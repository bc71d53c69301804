//! A table being written: its partitions, and the files of each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, new_null_array};
use arrow_schema::{ArrowError, SchemaRef};

use crate::encode::{Encode, FileSize};
use crate::partition::{Partition, file_schema, split};
use crate::table_file::{TableFile, read_back};
use crate::target::Target;
use crate::{PartitionKey, TableError, WrittenFile};

/// Maximum memory for rows being copied from parts to the final file, in bytes: several tables are copied at
/// a time.
const MAX_LEN_COPIED: usize = 64 << 20;

/// A table being written. If columns are added, each partition continues in another part; at the end the
/// parts are merged into one file with all columns.
pub(crate) struct Table {
    /// The directory in which the output is built.
    root: PathBuf,
    /// File below `root`, or, with partitions, directory; without extension.
    name: String,
    /// The name in messages of the only file, if it gets another name in the end.
    final_name: Option<String>,
    keys: Vec<PartitionKey>,
    encode: Encode,
    schema: SchemaRef,
    version: usize,
    partitions: BTreeMap<Partition, Vec<TablePart>>,
}

/// A file with the columns of one version of the table.
struct TablePart {
    version: usize,
    path: PathBuf,
    file: TableFile,
}

impl Table {
    /// A table without rows, and without files until there are rows.
    pub(crate) fn new(
        root: &Path,
        name: &str,
        schema: SchemaRef,
        keys: &[PartitionKey],
        encode: Encode,
    ) -> Table {
        Table {
            root: root.into(),
            name: name.into(),
            final_name: None,
            keys: keys.into(),
            encode,
            schema,
            version: 0,
            partitions: BTreeMap::new(),
        }
    }

    /// Names the only file as the user does, in messages.
    pub(crate) fn called(self, path: &Path) -> Table {
        Table { final_name: Some(path.display().to_string()), ..self }
    }

    /// The columns of the next batches.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Adds columns. Earlier rows get nulls in them.
    pub(crate) fn set_schema(&mut self, schema: SchemaRef) -> Result<(), TableError> {
        self.flush()?;
        self.schema = schema;
        self.version += 1;
        Ok(())
    }

    /// Makes sure that an unpartitioned table has a file even without rows.
    pub(crate) fn begin(&mut self) -> Result<(), TableError> {
        self.part(&Partition::default()).map(|_| ())
    }

    /// Appends rows, which must be sorted by time and not earlier than the previous ones.
    pub(crate) fn write(&mut self, batches: &[RecordBatch]) -> Result<(), TableError> {
        if self.keys.is_empty() {
            return if batches.is_empty() {
                Ok(())
            } else {
                self.part(&Partition::default())?.file.write(batches)
            };
        }
        let mut split_up: BTreeMap<Partition, Vec<RecordBatch>> = BTreeMap::new();
        for batch in batches {
            for (partition, batch) in split(batch, &self.keys).map_err(TableError::arrow(&self.name))? {
                split_up.entry(partition).or_default().push(batch);
            }
        }
        for (partition, batches) in &split_up {
            self.part(partition)?.file.write(batches)?;
        }
        Ok(())
    }

    /// The part for rows with the current columns.
    fn part(&mut self, partition: &Partition) -> Result<&mut TablePart, TableError> {
        let version = self.version;
        let is_begun = self.partitions.get(partition).and_then(|parts| parts.last());
        if is_begun.is_none_or(|part| part.version != version) {
            let path = with_suffix(&self.path(partition), &format!(".~{version}"));
            let schema = file_schema(&self.schema, &self.keys);
            let name = self.name_in_messages(partition);
            let file = TableFile::new(Target::file(&path), &schema, &name, &self.encode)?;
            self.partitions.entry(partition.clone()).or_default().push(TablePart { version, path, file });
        }
        match self.partitions.get_mut(partition).and_then(|parts| parts.last_mut()) {
            Some(part) => Ok(part),
            None => Err(TableError::Failed),
        }
    }

    /// File of a partition, below the root, with `/`.
    fn file_name(&self, partition: &Partition) -> String {
        let extension = self.encode.extension();
        if self.keys.is_empty() {
            return format!("{}.{extension}", self.name);
        }
        let above = if self.name.is_empty() { String::new() } else { format!("{}/", self.name) };
        format!("{above}{}/part-0.{extension}", partition.directory)
    }

    fn name_in_messages(&self, partition: &Partition) -> String {
        self.final_name.clone().unwrap_or_else(|| self.file_name(partition))
    }

    fn path(&self, partition: &Partition) -> PathBuf {
        self.file_name(partition).split('/').fold(self.root.clone(), |path, name| path.join(name))
    }

    /// Memory used by rows not yet written, in bytes.
    pub(crate) fn len_in_progress(&self) -> usize {
        self.partitions.values().flatten().map(|part| part.file.len_in_progress()).sum()
    }

    /// Writes the rows in memory.
    pub(crate) fn flush(&mut self) -> Result<(), TableError> {
        self.partitions.values_mut().flatten().try_for_each(|part| part.file.flush())
    }

    /// Writes the rows of days before `day`: they are complete.
    pub(crate) fn flush_before(&mut self, day: i64) -> Result<(), TableError> {
        let past =
            self.partitions.iter_mut().filter(|(partition, _)| partition.day.is_some_and(|of| of < day));
        past.flat_map(|(_, parts)| parts).try_for_each(|part| part.file.flush())
    }

    /// Completes every file. Returned paths are relative to the root.
    pub(crate) fn finish(mut self, metadata: &[(String, String)]) -> Result<Vec<WrittenFile>, TableError> {
        let mut written = Vec::with_capacity(self.partitions.len());
        for (partition, mut parts) in std::mem::take(&mut self.partitions) {
            let path = self.path(&partition);
            let size = match parts.pop() {
                Some(only) if parts.is_empty() && only.version == self.version => {
                    let size = only.file.finish(metadata)?;
                    fs::rename(&only.path, &path).map_err(TableError::io("move to", &path))?;
                    size
                }
                last => {
                    parts.extend(last);
                    self.unite(parts, &path, &self.name_in_messages(&partition), metadata)?
                }
            };
            let FileSize { num_rows, len_bytes } = size;
            written.push(WrittenFile { path: self.file_name(&partition).into(), num_rows, len_bytes });
        }
        Ok(written)
    }

    /// Merges parts with fewer columns into one file with all columns.
    fn unite(
        &self,
        parts: Vec<TablePart>,
        path: &Path,
        name: &str,
        metadata: &[(String, String)],
    ) -> Result<FileSize, TableError> {
        let schema = file_schema(&self.schema, &self.keys);
        let mut whole = TableFile::new(Target::file(path), &schema, name, &self.encode)?;
        for part in parts {
            part.file.finish(&[])?;
            read_back(&part.path, &self.encode, |batch| {
                let batch = widen(&batch, &schema).map_err(TableError::arrow(name))?;
                whole.write(&[batch])?;
                if whole.len_in_progress() > MAX_LEN_COPIED { whole.flush() } else { Ok(()) }
            })?;
            fs::remove_file(&part.path).map_err(TableError::io("remove", &part.path))?;
        }
        whole.finish(metadata)
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The batch with all columns of `schema`; missing ones become null.
fn widen(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = schema.fields().iter().map(|field| match batch.column_by_name(field.name()) {
        Some(column) => Arc::clone(column),
        None => new_null_array(field.data_type(), batch.num_rows()),
    });
    let columns = columns.collect();
    // Batches read from an IPC file have plain text instead of dictionaries; the writer accepts both.
    let fields: Vec<_> = schema
        .fields()
        .iter()
        .zip(&columns)
        .map(|(field, column): (_, &arrow_array::ArrayRef)| {
            field.as_ref().clone().with_data_type(column.data_type().clone())
        })
        .collect();
    RecordBatch::try_new(Arc::new(arrow_schema::Schema::new(fields)), columns)
}
