//! Rows of the table of one performance object.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, SchemaRef};
use recount_model::Cooked;
use recount_model::{CounterDef, ObjectDef};

use super::catalogue::{self, CatalogueEntry, base_of};
use super::columns::{Columns, Keep, Slots};
use super::object_rows::Stretches;
use crate::TableError;
use crate::slice::nanos;

/// Builds the rows of the table of one performance object (`formats/tables.md#objects`). Columns are added as
/// new counters appear: [`ObjectBatches::schema`] is that of the last batch.
pub struct ObjectBatches {
    columns: Columns,
    entries: Vec<CatalogueEntry>,
    keep: Option<Box<Keep>>,
}

impl fmt::Debug for ObjectBatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectBatches").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl ObjectBatches {
    /// Without counters. `raw` says whether there are columns of raw values next to the cooked ones.
    pub fn new(raw: bool) -> ObjectBatches {
        ObjectBatches { columns: Columns::new(raw), entries: Vec::new(), keep: None }
    }

    /// Adds a column of local times.
    #[must_use]
    pub fn with_local_time(mut self) -> ObjectBatches {
        self.columns.add_local_time();
        self
    }

    /// Adds columns for instances and their ids, even if the object turns out to have none.
    #[must_use]
    pub fn with_instances(mut self) -> ObjectBatches {
        self.columns.add_instances(true, true);
        self
    }

    /// Keeps only the columns whose names satisfy `keep`. The rows are the same.
    #[must_use]
    pub fn keeping(mut self, keep: impl Fn(&str) -> bool + Send + Sync + 'static) -> ObjectBatches {
        self.keep = Some(Box::new(keep));
        self
    }

    /// Adds columns for those counters of a definition that satisfy `wanted`, before there are values.
    pub fn learn(&mut self, object: &Arc<ObjectDef>, wanted: impl Fn(&CounterDef) -> bool) {
        let counters: Vec<usize> =
            (0..object.counters.len()).filter(|&counter| wanted(&object.counters[counter])).collect();
        self.slots(object, &counters);
    }

    /// Names of all columns, including those that are left out.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields().iter().map(|field| field.name().as_str())
    }

    pub(super) fn fields(&self) -> &[Field] {
        self.columns.fields()
    }

    /// The counter whose values a column holds; `None`: the column doesn't hold values.
    pub fn counter_of(&self, column: &str) -> Option<&CounterDef> {
        self.entries.iter().find(|entry| entry.column.as_deref() == Some(column)).map(CatalogueEntry::def)
    }

    /// The columns, without those that are left out.
    pub fn schema(&mut self) -> SchemaRef {
        self.columns.schema(self.keep.as_deref())
    }

    /// The rows of the object's stretches in a slice, sorted by time.
    pub fn batches(&mut self, slice: Vec<Cooked>) -> Result<Vec<RecordBatch>, TableError> {
        let timed = slice.into_iter().map(|cooked| nanos(&cooked).map(|times| (cooked, times)));
        self.build(timed.collect::<Result<_, _>>()?)
    }

    /// Like [`ObjectBatches::batches`], for stretches with their times in nanoseconds.
    pub(crate) fn build(&mut self, slice: Vec<(Cooked, Vec<i64>)>) -> Result<Vec<RecordBatch>, TableError> {
        let slice: Vec<_> = slice.into_iter().filter(|(cooked, _)| cooked.num_cells() > 0).collect();
        let Some(name) = slice.first().map(|(cooked, _)| Arc::clone(&cooked.object.name)) else {
            return Ok(Vec::new());
        };
        let mut slots = Vec::with_capacity(slice.len());
        for (cooked, _) in &slice {
            let counters: Vec<usize> = cooked.columns.iter().map(|column| column.counter).collect();
            slots.push(self.slots(&cooked.object, &counters));
            self.columns.add_instances(false, cooked.instances.iter().any(|instance| instance.id.is_some()));
        }
        let kept = self.columns.kept(self.keep.as_deref());
        let schema = self.schema();
        Stretches::new(slice, slots).build(&self.columns, &kept, &schema).map_err(TableError::arrow(&name))
    }

    /// The columns of a definition's counters; new ones are added to the catalogue.
    fn slots(&mut self, object: &Arc<ObjectDef>, counters: &[usize]) -> Vec<Slots> {
        self.columns.add_instances(object.instanced, false);
        let (slots, added) = self.columns.add(object, counters);
        for new in added {
            self.list(object, new.counter, new.column);
            // A counter that is shown has its own row.
            let base = base_of(object, new.counter).filter(|base| object.counters[*base].is_hidden());
            if let Some(base) = base {
                self.list(object, base, None);
            }
        }
        slots
    }

    fn list(&mut self, object: &Arc<ObjectDef>, counter: usize, column: Option<String>) {
        let is_listed = |entry: &CatalogueEntry| entry.names(&object.counters[counter]);
        if column.is_some() || !self.entries.iter().any(is_listed) {
            self.entries.push(CatalogueEntry::new(object, counter, column));
        }
    }

    /// The counters seen so far, each with its column.
    pub(crate) fn into_entries(self) -> Vec<CatalogueEntry> {
        self.entries
    }
}

/// The catalogue of the counters of several tables ([`crate::schema::COUNTERS`]), which have no files.
pub fn catalogue_batch<'a>(
    tables: impl IntoIterator<Item = &'a ObjectBatches>,
) -> Result<RecordBatch, TableError> {
    let entries = tables.into_iter().flat_map(|table| &table.entries);
    let entries: Vec<(CatalogueEntry, Option<String>)> = entries.map(|entry| (entry.clone(), None)).collect();
    catalogue::build(&entries).map_err(TableError::arrow("counters"))
}
