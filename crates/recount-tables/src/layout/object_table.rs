//! The table of one performance object.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use recount_model::Cooked;

use crate::batches::ObjectBatches;
use crate::batches::catalogue::CatalogueEntry;
use crate::encode::Encode;
use crate::table::Table;
use crate::{PartitionKey, TableError, WrittenFile};

/// What all tables of an output have in common.
#[derive(Debug)]
pub(crate) struct Common {
    pub(crate) root: PathBuf,
    pub(crate) keys: Vec<PartitionKey>,
    pub(crate) encode: Encode,
}

/// The table of one performance object. It has no file until it has rows.
pub(crate) struct ObjectTable {
    /// File name, without extension.
    stem: String,
    pub(crate) batches: ObjectBatches,
    table: Option<Table>,
}

impl ObjectTable {
    pub(crate) fn new(stem: String, batches: ObjectBatches) -> ObjectTable {
        ObjectTable { stem, batches, table: None }
    }

    /// Appends the stretches of a slice, each with its times in nanoseconds.
    pub(crate) fn write(
        &mut self,
        slice: Vec<(Cooked, Vec<i64>)>,
        common: &Common,
    ) -> Result<(), TableError> {
        let batches = self.batches.build(slice)?;
        let Some(schema) = batches.first().map(RecordBatch::schema) else { return Ok(()) };
        let Some(table) = &mut self.table else {
            let new = Table::new(&common.root, &self.stem, schema, &common.keys, common.encode);
            return self.table.insert(new).write(&batches);
        };
        if table.schema().fields().len() < schema.fields().len() {
            table.set_schema(schema)?;
        }
        table.write(&batches)
    }

    pub(crate) fn table_mut(&mut self) -> Option<&mut Table> {
        self.table.as_mut()
    }

    pub(crate) fn len_in_progress(&self) -> usize {
        self.table.as_ref().map_or(0, Table::len_in_progress)
    }

    /// Completes the files; returns the counters with the file or directory that contains them.
    pub(crate) fn finish(
        self,
        common: &Common,
        metadata: &[(String, String)],
    ) -> Result<Finished, TableError> {
        let files = self.table.map(|table| table.finish(metadata)).transpose()?.unwrap_or_default();
        let file = (!files.is_empty()).then(|| {
            if common.keys.is_empty() {
                format!("{}.{}", self.stem, common.encode.extension())
            } else {
                format!("{}/", self.stem)
            }
        });
        let entries = self.batches.into_entries().into_iter().map(|mut entry| {
            // Without rows there is no file, and therefore no column.
            entry.column = entry.column.filter(|_| file.is_some());
            (entry, file.clone())
        });
        Ok(Finished { files, entries: entries.collect() })
    }
}

/// A finished table.
pub(crate) struct Finished {
    pub(crate) files: Vec<WrittenFile>,
    pub(crate) entries: Vec<(CatalogueEntry, Option<String>)>,
}
