//! The table of one performance object.

use std::path::PathBuf;
use std::sync::Arc;

use recount_compute::Cooked;
use recount_model::ObjectDef;

use super::catalogue::{Entry, base_of};
use super::columns::{Columns, Slots};
use super::object_rows::Stretches;
use crate::table::Table;
use crate::table_file::Encode;
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
    columns: Columns,
    entries: Vec<Entry>,
    table: Option<Table>,
}

impl ObjectTable {
    pub(crate) fn new(stem: String, raw: bool) -> ObjectTable {
        ObjectTable { stem, columns: Columns::new(raw), entries: Vec::new(), table: None }
    }

    /// Makes columns for counters of a definition, and lists them in the catalogue.
    pub(crate) fn learn(&mut self, object: &Arc<ObjectDef>, counters: &[usize]) -> Vec<Slots> {
        self.columns.add_instances(object.instanced, false);
        let (slots, added) = self.columns.add(object, counters);
        for new in added {
            self.list(object, new.counter, new.column);
            // One that is shown has a row of its own.
            let base = base_of(object, new.counter).filter(|base| object.counters[*base].is_hidden());
            if let Some(base) = base {
                self.list(object, base, None);
            }
        }
        slots
    }

    fn list(&mut self, object: &Arc<ObjectDef>, counter: usize, column: Option<String>) {
        let is_listed = |entry: &Entry| entry.names(&object.counters[counter]);
        if column.is_some() || !self.entries.iter().any(is_listed) {
            self.entries.push(Entry::new(object, counter, column));
        }
    }

    /// Appends the stretches of a slice, each with its times in nanoseconds.
    pub(crate) fn write(
        &mut self,
        slice: Vec<(Cooked, Vec<i64>)>,
        common: &Common,
    ) -> Result<(), TableError> {
        let slice: Vec<_> = slice.into_iter().filter(|(cooked, _)| cooked.num_cells() > 0).collect();
        let num_columns = self.columns.num();
        let mut slots = Vec::with_capacity(slice.len());
        for (cooked, _) in &slice {
            let counters: Vec<usize> = cooked.columns.iter().map(|column| column.counter).collect();
            slots.push(self.learn(&cooked.object, &counters));
            self.columns.add_instances(false, cooked.instances.iter().any(|instance| instance.id.is_some()));
        }
        if slice.is_empty() {
            return Ok(());
        }
        let has_grown = self.columns.num() > num_columns;
        let stretches = Stretches::new(slice, slots);
        let schema = match &mut self.table {
            Some(table) => {
                if has_grown {
                    table.set_schema(self.columns.schema())?;
                }
                Arc::clone(table.schema())
            }
            None => self.columns.schema(),
        };
        let batches = stretches.build(&self.columns, &schema).map_err(TableError::arrow(&self.stem))?;
        if batches.is_empty() {
            return Ok(());
        }
        let new = || Table::new(&common.root, &self.stem, schema, &common.keys, common.encode);
        self.table.get_or_insert_with(new).write(&batches)
    }

    pub(crate) fn table_mut(&mut self) -> Option<&mut Table> {
        self.table.as_mut()
    }

    pub(crate) fn len_in_progress(&self) -> usize {
        self.table.as_ref().map_or(0, Table::len_in_progress)
    }

    /// Completes the files; gives the counters with the file or directory that holds them.
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
        let entries = self.entries.into_iter().map(|mut entry| {
            // Without rows there is no file, and so no column.
            entry.column = entry.column.filter(|_| file.is_some());
            (entry, file.clone())
        });
        Ok(Finished { files, entries: entries.collect() })
    }
}

/// What a table came to.
pub(crate) struct Finished {
    pub(crate) files: Vec<WrittenFile>,
    pub(crate) entries: Vec<(Entry, Option<String>)>,
}
