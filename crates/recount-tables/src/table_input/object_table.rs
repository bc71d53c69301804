//! The table of one performance object, read back (`formats/tables.md#objects`).

use std::collections::HashMap;
use std::sync::Arc;

use parquet::errors::ParquetError;
use recount_compute::Cooked;
use recount_model::{CounterDef, FindingKind, Health, ObjectDef, SampleTime, Selection};

use super::TableInputError;
use super::blocks::{Block, BlockCut, cut};
use super::catalogue::CatalogueObject;
use super::instance_tables::InstanceTables;
use super::interned::{Interned, NONE};
use super::lanes::Lanes;
use super::nulls::Nulls;
use super::object_rows::ObjectRows;
use super::object_stretch::StretchBuilder;
use super::parquet_input::ColumnRequest;
use super::row_times::RowTimes;
use super::sampled_file::{SampledFile, leave_out};
use super::windows::Windows;
use crate::schema;

/// How many instance tables of an object are kept: slices are read in parallel.
const MAX_INSTANCE_TABLES: usize = 8;

/// The table of one performance object: one file, or one per partition.
pub(super) struct ObjectTable {
    /// Number of the object's name.
    pub(super) name: u32,
    /// The definition, for rows with and without an instance.
    pub(super) object: Arc<ObjectDef>,
    pub(super) not_instanced: Arc<ObjectDef>,
    pub(super) instances: InstanceTables,
    files: Vec<ObjectFile>,
}

/// A file and the positions of its columns.
struct ObjectFile {
    sampled: SampledFile,
    interval: ColumnRequest,
    weight: Option<ColumnRequest>,
    instance: Option<ColumnRequest>,
    instance_id: Option<ColumnRequest>,
    /// Columns of values, by ascending index of their counter.
    values: Vec<(usize, ColumnRequest)>,
    /// Columns of texts, by the index of their counter.
    texts: HashMap<usize, ColumnRequest>,
}

/// Everything else needed for reading.
#[derive(Clone, Copy)]
pub(super) struct ReadContext<'a> {
    pub(super) samples: &'a [u32],
    pub(super) times: &'a [SampleTime],
    pub(super) selection: &'a Selection,
    pub(super) windows: &'a Windows,
    pub(super) names: &'a Interned,
}

impl ObjectTable {
    pub(super) fn new(entry: &CatalogueObject, name: u32) -> ObjectTable {
        let with = |instanced| {
            if entry.object.instanced == instanced {
                Arc::clone(&entry.object)
            } else {
                Arc::new(ObjectDef { instanced, ..(*entry.object).clone() })
            }
        };
        ObjectTable {
            name,
            object: with(true),
            not_instanced: with(false),
            instances: InstanceTables::keeping(MAX_INSTANCE_TABLES),
            files: Vec::new(),
        }
    }

    /// Adds a file of the table.
    pub(super) fn add(
        &mut self,
        entry: &CatalogueObject,
        sampled: SampledFile,
    ) -> Result<(), TableInputError> {
        let file = &sampled.file;
        let (mut values, mut texts) = (Vec::new(), HashMap::new());
        for (counter, column) in entry.columns.iter().enumerate() {
            if let Some(column) = column {
                values.push((counter, file.values(column)?));
                if entry.object.counters.get(counter).is_some_and(CounterDef::is_text)
                    && let Some(wanted) = file.texts(&schema::texts_of(column))?
                {
                    texts.insert(counter, wanted);
                }
            }
        }
        // Before there were weights, a counter could have a column of that name.
        let is_counter = entry.columns.iter().flatten().any(|column| **column == *schema::WEIGHT.name);
        self.files.push(ObjectFile {
            interval: file.required(schema::INTERVAL)?,
            weight: if is_counter { None } else { file.optional(schema::WEIGHT)? },
            instance: file.optional(schema::INSTANCE)?,
            instance_id: file.optional(schema::INSTANCE_ID)?,
            values,
            texts,
            sampled,
        });
        Ok(())
    }

    /// Adds to the decoded size of samples.
    pub(super) fn add_lengths(&self, len_samples: &mut [u32]) {
        for file in &self.files {
            let of_sample = [Some(file.interval), file.weight, file.sampled.host.wanted()];
            let columns = [file.instance, file.instance_id].into_iter().chain(of_sample);
            let of_values = file.values.iter().map(|(_, wanted)| wanted).chain(file.texts.values()).copied();
            let len_row = columns.flatten().chain(of_values).map(|wanted| wanted.kind.len_row()).sum();
            file.sampled.index.add_lengths(len_row, len_samples);
        }
    }

    /// Reads samples. Unreadable data is reported and left out.
    pub(super) fn read(&self, reading: ReadContext<'_>, nulls: &Nulls, health: &mut Health) -> Vec<Cooked> {
        let mut cooked = Vec::new();
        for file in &self.files {
            match file.read(self, reading, health) {
                Ok(Some((rows, blocks))) => {
                    self.finish(file, rows, &blocks, reading, nulls, &mut cooked, health);
                }
                Ok(None) => {}
                Err(source) => leave_out(&file.sampled.file.name, &source, health),
            }
        }
        cooked
    }

    #[expect(clippy::too_many_arguments, reason = "what was read, what explains it, and where it goes")]
    fn finish(
        &self,
        file: &ObjectFile,
        mut rows: ObjectRows,
        blocks: &[Block],
        reading: ReadContext<'_>,
        nulls: &Nulls,
        cooked: &mut Vec<Cooked>,
        health: &mut Health,
    ) {
        let num_left = self.explain(&mut rows, blocks, reading.names, nulls);
        if num_left > 0 {
            let what = format!(
                "{}: expected a null for each reason in _nulls, found none for {num_left}: reasons left out",
                file.sampled.file.name
            );
            health.note(FindingKind::Odd, None, what);
        }
        rows.find_holes();
        let mut lanes = Lanes::default();
        for block in blocks {
            lanes.push(*block, |first, block| rows.is_alike(first, block));
        }
        let stretches = lanes.finish();
        let is_only = stretches.len() == 1;
        let mut builder = StretchBuilder {
            object: &self.object,
            not_instanced: &self.not_instanced,
            instances: &self.instances,
            rows,
            times: reading.times,
            names: reading.names,
        };
        cooked.extend(stretches.iter().map(|stretch| builder.build(stretch, is_only)));
    }

    /// Assigns reasons to nulls; returns how many reasons are left.
    fn explain(&self, rows: &mut ObjectRows, blocks: &[Block], names: &Interned, nulls: &Nulls) -> u64 {
        if rows.values.iter().all(|values| values.marks.is_none()) && nulls.is_empty() {
            return 0;
        }
        let mut columns: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, counter) in rows.counters.iter().enumerate() {
            let name = self.object.counters.get(*counter).map_or("", |counter| &counter.name);
            columns.entry(names.id(name)).or_default().push(at);
        }
        let no_instances;
        let instances = if rows.instances.is_empty() {
            no_instances = vec![NONE; rows.num_rows];
            &no_instances
        } else {
            &rows.instances
        };
        let mut of_hosts: Vec<Vec<Block>> = Vec::new();
        let mut at_host: HashMap<u32, usize> = HashMap::new();
        for block in blocks {
            let at = *at_host.entry(block.host).or_insert(of_hosts.len());
            if at == of_hosts.len() {
                of_hosts.push(Vec::new());
            }
            of_hosts[at].push(*block);
        }
        let explain = |blocks: &Vec<Block>| nulls.explain(blocks, instances, &columns, &mut rows.values);
        of_hosts.iter().map(explain).sum()
    }
}

impl ObjectFile {
    fn read(
        &self,
        table: &ObjectTable,
        reading: ReadContext<'_>,
        health: &mut Health,
    ) -> Result<Option<(ObjectRows, Vec<Block>)>, ParquetError> {
        let object = &table.object;
        let is_selected = |counter: usize| {
            let name = object.counters.get(counter).map_or("", |counter| &counter.name);
            reading.selection.may_match_counter(&object.name, name)
        };
        let selected: Vec<&(usize, ColumnRequest)> =
            self.values.iter().filter(|(counter, _)| is_selected(*counter)).collect();
        if selected.is_empty() {
            return Ok(None);
        }
        let mut wanted = vec![self.interval];
        let mut place = |column: Option<ColumnRequest>| {
            wanted.extend(column);
            wanted.len() - 1
        };
        let at_weight = self.weight.map(|column| place(Some(column)));
        let at_host = place(self.sampled.host.wanted());
        let at_instance = self.instance.map(|column| place(Some(column)));
        let at_id = self.instance_id.map(|column| place(Some(column)));
        let at_values = wanted.len();
        wanted.extend(selected.iter().map(|(_, wanted)| *wanted));
        let num_wanted = wanted.len();
        let at_texts: Vec<Option<usize>> = selected
            .iter()
            .map(|(counter, _)| {
                wanted.push(*self.texts.get(counter)?);
                Some(wanted.len() - 1)
            })
            .collect();
        let read = self.sampled.read(reading.samples, &wanted.into(), reading.windows, reading.names)?;
        let Some((mut rows, samples)) = read else { return Ok(None) };
        let intervals = rows.take_numbers(0);
        let weights = at_weight.map(|at| rows.take_numbers(at));
        let times = RowTimes::new(intervals, weights, &self.sampled.file.name, health);
        let rows = ObjectRows {
            num_rows: rows.num_rows,
            times,
            hosts: self.sampled.host.hosts(&mut rows, at_host),
            instances: at_instance.map(|at| rows.take_names(at)).unwrap_or_default(),
            ids: at_id.map(|at| rows.take_ids(at)).unwrap_or_default(),
            counters: selected.iter().map(|(counter, _)| *counter).collect(),
            values: (at_values..num_wanted).map(|at| rows.take_numbers(at)).collect(),
            texts: at_texts.into_iter().map(|at| Some(rows.take_texts(at?))).collect(),
            with_holes: Vec::new(),
        };
        let mut blocks = Vec::with_capacity(samples.len());
        let mut by = ObjectCut { rows: &rows, object: table.name };
        for sample in samples {
            cut(sample.sample, sample.rows, &rows.times, &mut by, &mut blocks);
        }
        Ok(Some((rows, blocks)))
    }
}

/// Cuts rows where the host changes, where rows with and without instances meet, and where the first instance
/// is repeated.
struct ObjectCut<'a> {
    rows: &'a ObjectRows,
    object: u32,
}

impl BlockCut for ObjectCut<'_> {
    fn key(&self, row: usize) -> (u32, u32) {
        (self.rows.hosts.of(row), self.object)
    }

    fn belongs(&mut self, first: usize, row: usize) -> bool {
        let (of_first, of_row) = (self.rows.instance(first), self.rows.instance(row));
        of_first != of_row
            && (of_first.0 == NONE) == (of_row.0 == NONE)
            && self.rows.hosts.of(first) == self.rows.hosts.of(row)
    }
}
