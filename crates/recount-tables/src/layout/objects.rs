//! The layout by objects: a table per performance object (`formats/tables.md#objects`).

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use recount_model::Cooked;
use recount_model::ObjectDef;
use recount_output::AsideDirectory;

use super::nulls::Nulls;
use super::object_table::{Common, Finished, ObjectTable};
use super::{catalogue, is_table, with_layout};
use crate::batches::ObjectBatches;
use crate::encode::Encode;
use crate::partition::day_of;
use crate::safe_name::FileNames;
use crate::slice::{SliceCheck, nanos};
use crate::{Footer, Layout, PartitionKey, TableError, TableOptions, TableSink, Written};

/// Writes the layout by objects.
pub(crate) struct ObjectsSink {
    common: Common,
    local_time: bool,
    raw: bool,
    len_in_progress: usize,
    check: SliceCheck,
    tables: Vec<ObjectTable>,
    by_object: HashMap<Arc<str>, usize>,
    file_names: FileNames,
    nulls: Nulls,
    failed: bool,
    /// The last field, so that it is removed last: dropping a file may write buffered data.
    aside: AsideDirectory,
}

impl ObjectsSink {
    /// Writes to a directory. See [`crate::create`] for `known`.
    pub(crate) fn create(
        path: &Path,
        options: &TableOptions,
        known: &[(Arc<str>, Arc<ObjectDef>)],
    ) -> Result<ObjectsSink, TableError> {
        let aside = AsideDirectory::for_directory(path, options.force, &options.access, is_table)?;
        let encode = Encode::of(options);
        let mut sink = ObjectsSink {
            nulls: Nulls::new(aside.directory(), encode),
            common: Common { root: aside.directory().into(), keys: options.partition_by.clone(), encode },
            aside,
            local_time: options.local_time,
            raw: options.raw,
            len_in_progress: options.len_in_progress,
            check: SliceCheck::default(),
            tables: Vec::new(),
            by_object: HashMap::new(),
            file_names: FileNames::default(),
            failed: false,
        };
        for (_, object) in known {
            let at = sink.table(object);
            sink.tables[at].batches.learn(object, |counter| options.raw || !counter.is_hidden());
        }
        Ok(sink)
    }

    /// Index of an object's table.
    fn table(&mut self, object: &ObjectDef) -> usize {
        if let Some(&at) = self.by_object.get(&object.name) {
            return at;
        }
        let at = self.tables.len();
        let batches = ObjectBatches::new(self.raw);
        let batches = if self.local_time { batches.with_local_time() } else { batches };
        self.tables.push(ObjectTable::new(self.file_names.give(&object.name), batches));
        self.by_object.insert(Arc::clone(&object.name), at);
        at
    }

    fn try_write(&mut self, slice: Vec<Cooked>) -> Result<(), TableError> {
        self.check.accept(&slice)?;
        let times: Vec<Vec<i64>> = slice.iter().map(nanos).collect::<Result<_, _>>()?;
        let Some(first) = times.iter().flatten().min().copied() else { return Ok(()) };
        if self.common.keys.contains(&PartitionKey::Date) {
            let day = day_of(first);
            let tables = self.tables.par_iter_mut().filter_map(ObjectTable::table_mut);
            tables.try_for_each(|table| table.flush_before(day))?;
        }
        self.nulls.write(&slice, &times)?;
        let tables: Vec<usize> = slice.iter().map(|cooked| self.table(&cooked.object)).collect();
        let mut by_table: Vec<Vec<(Cooked, Vec<i64>)>> = Vec::new();
        by_table.resize_with(self.tables.len(), Vec::new);
        for (at, stretch) in tables.into_iter().zip(slice.into_iter().zip(times)) {
            by_table[at].push(stretch);
        }
        let common = &self.common;
        let work = self.tables.par_iter_mut().zip(by_table);
        work.try_for_each(|(table, slice)| table.write(slice, common))?;
        self.keep_to_budget()
    }

    /// Writes the largest row groups until the others fit the budget.
    fn keep_to_budget(&mut self) -> Result<(), TableError> {
        if self.nulls.len_in_progress() > self.len_in_progress / 4 {
            self.nulls.flush()?;
        }
        let mut open: Vec<(usize, &mut ObjectTable)> =
            self.tables.iter_mut().map(|table| (table.len_in_progress(), table)).collect();
        let mut len_total: usize = open.iter().map(|(len, _)| len).sum();
        if len_total <= self.len_in_progress {
            return Ok(());
        }
        open.sort_by_key(|(len, _)| std::cmp::Reverse(*len));
        for (len, table) in open {
            if len_total <= self.len_in_progress {
                break;
            }
            if let Some(table) = table.table_mut() {
                table.flush()?;
            }
            len_total -= len;
        }
        Ok(())
    }
}

impl TableSink for ObjectsSink {
    fn write(&mut self, slice: Vec<Cooked>) -> Result<(), TableError> {
        if self.failed {
            return Err(TableError::Failed);
        }
        let result = self.try_write(slice);
        self.failed = result.is_err();
        result
    }

    fn finish(self: Box<Self>, footer: &Footer) -> Result<Written, TableError> {
        if self.failed {
            return Err(TableError::Failed);
        }
        let metadata = with_layout(footer, Layout::Objects);
        let ObjectsSink { aside, common, tables, nulls, .. } = *self;
        let finished = tables
            .into_par_iter()
            .map(|table| table.finish(&common, &metadata))
            .collect::<Result<Vec<Finished>, _>>()?;
        let mut written = Written::default();
        let mut entries = Vec::new();
        for table in finished {
            written.num_rows += table.files.iter().map(|file| file.num_rows).sum::<u64>();
            written.files.extend(table.files);
            entries.extend(table.entries);
        }
        written.files.extend(nulls.finish(&metadata)?);
        written.files.extend(catalogue::write(&entries, &common.root, common.encode, &metadata)?);
        written.len_bytes = written.files.iter().map(|file| file.len_bytes).sum();
        let target = aside.commit(Path::new(""))?;
        for file in &mut written.files {
            file.path = target.join(&file.path);
        }
        Ok(written)
    }
}
