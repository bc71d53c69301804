//! A tidy table, read back (`formats/tables.md#tidy`).

use std::collections::HashMap;
use std::sync::Arc;

use parquet::errors::ParquetError;
use recount_compute::Cooked;
use recount_model::{FindingKind, Health, Status};

use super::TableInputError;
use super::blocks::{BlockCut, cut};
use super::interned::NONE;
use super::lanes::Lanes;
use super::nulls::StatusNames;
use super::object_table::ReadContext;
use super::parquet_input::ColumnRequest;
use super::row_times::RowTimes;
use super::rows::{Numbers, PRESENT};
use super::sampled_file::{ReadSample, SampledFile, leave_out};
use super::tidy_rows::TidyRows;
use super::tidy_stretch::{Definitions, build};
use crate::known_types::types_in;
use crate::schema::{self, Column, key};

/// The columns read; their positions follow.
const READ: [Column; 6] =
    [schema::INTERVAL, schema::OBJECT, schema::INSTANCE, schema::COUNTER, schema::VALUE, schema::STATUS];
const INTERVAL: usize = 0;
const OBJECT: usize = 1;
const INSTANCE: usize = 2;
const COUNTER: usize = 3;
const VALUE: usize = 4;
const STATUS: usize = 5;

/// The files of a tidy table: one, or one per partition.
pub(super) struct TidyTable {
    files: Vec<TidyFile>,
    definitions: Definitions,
}

struct TidyFile {
    sampled: SampledFile,
    wanted: Arc<[ColumnRequest]>,
    /// Positions of columns that a file may lack.
    at_weights: Option<usize>,
    at_texts: Option<usize>,
    at_host: usize,
}

impl TidyTable {
    pub(super) fn new() -> TidyTable {
        TidyTable { files: Vec::new(), definitions: Definitions::new() }
    }

    /// Adds a file of the table.
    pub(super) fn add(&mut self, sampled: SampledFile) -> Result<(), TableInputError> {
        let file = &sampled.file;
        let columns = READ.into_iter().map(|column| file.required(column));
        let mut wanted = columns.collect::<Result<Vec<_>, _>>()?;
        let mut place = |column: Option<ColumnRequest>| {
            wanted.extend(column);
            column.map(|_| wanted.len() - 1)
        };
        let at_weights = place(file.optional(schema::WEIGHT)?);
        let at_texts = place(file.optional(schema::TEXT)?);
        let at_host = place(sampled.host.wanted()).unwrap_or_default();
        self.definitions.know(file.metadata(key::TYPES).into_iter().flat_map(types_in));
        self.files.push(TidyFile { wanted: wanted.into(), at_weights, at_texts, at_host, sampled });
        Ok(())
    }

    /// Adds to the bytes that samples take once they are decoded.
    pub(super) fn add_lengths(&self, len_samples: &mut [u32]) {
        for file in &self.files {
            let len_row = file.wanted.iter().map(|wanted| wanted.kind.len_row()).sum();
            file.sampled.index.add_lengths(len_row, len_samples);
        }
    }

    /// Reads samples. What can't be read is noted and left out.
    pub(super) fn read(&self, reading: ReadContext<'_>, health: &mut Health) -> Vec<Cooked> {
        let mut cooked = Vec::new();
        for file in &self.files {
            match file.read(reading, health) {
                Ok(Some((rows, samples))) => self.finish(file, &rows, samples, reading, &mut cooked, health),
                Ok(None) => {}
                Err(source) => leave_out(&file.sampled.file.name, &source, health),
            }
        }
        cooked
    }

    fn finish(
        &self,
        file: &TidyFile,
        rows: &TidyRows,
        samples: Vec<ReadSample>,
        reading: ReadContext<'_>,
        cooked: &mut Vec<Cooked>,
        health: &mut Health,
    ) {
        let mut blocks = Vec::new();
        let mut by = TidyCut { rows };
        for sample in samples {
            cut(sample.sample, sample.rows, &rows.times, &mut by, &mut blocks);
        }
        let mut selected: HashMap<u32, bool> = HashMap::new();
        let mut num_nameless = 0;
        let mut lanes = Lanes::default();
        for block in blocks {
            if block.object == NONE {
                num_nameless += block.num_rows;
                continue;
            }
            let is_selected = *selected.entry(block.object).or_insert_with(|| {
                reading.selection.may_match_object_anywhere(&reading.names.name(block.object))
            });
            if is_selected {
                lanes.push(block, |first, block| rows.is_alike(first, block));
            }
        }
        if num_nameless > 0 {
            let what = format!(
                "{}: expected names of object and counter in each row, found none in {num_nameless}: rows left out",
                file.sampled.file.name
            );
            health.note(FindingKind::Dropped, None, what);
        }
        for stretch in lanes.finish() {
            build(&self.definitions, rows, &stretch, reading, cooked);
        }
    }
}

impl TidyFile {
    fn read(
        &self,
        reading: ReadContext<'_>,
        health: &mut Health,
    ) -> Result<Option<(TidyRows, Vec<ReadSample>)>, ParquetError> {
        let read = self.sampled.read(reading.samples, &self.wanted, reading.windows, reading.names)?;
        let Some((mut rows, samples)) = read else { return Ok(None) };
        let mut values = rows.take_numbers(VALUE);
        let mut statuses = StatusNames::default();
        let mut num_contradictions = 0_u64;
        for (row, id) in rows.names(STATUS).iter().enumerate() {
            let status = statuses.of(*id, reading.names);
            num_contradictions += values.explain(row, status);
        }
        statuses.report(&self.sampled.file.name, health);
        if num_contradictions > 0 {
            let what = format!(
                "{}: expected a value where the status is `ok`, `since-start` or `hides-fall` and nowhere else, found {num_contradictions} rows that \
                 differ: read as without a value",
                self.sampled.file.name
            );
            health.note(FindingKind::Damaged, None, what);
        }
        let intervals = rows.take_numbers(INTERVAL);
        let weights = self.at_weights.map(|at| rows.take_numbers(at));
        let times = RowTimes::new(intervals, weights, &self.sampled.file.name, health);
        let rows = TidyRows {
            texts: self.at_texts.map(|at| rows.take_texts(at)).unwrap_or_default(),
            times,
            hosts: self.sampled.host.hosts(&mut rows, self.at_host),
            objects: rows.take_names(OBJECT),
            instances: rows.take_names(INSTANCE),
            counters: rows.take_names(COUNTER),
            values,
        };
        Ok(Some((rows, samples)))
    }
}

impl Numbers {
    /// Records why a row has no value; returns 1 if value and status contradict each other.
    fn explain(&mut self, row: usize, status: Status) -> u64 {
        let is_null = self.mark(row) != PRESENT;
        if !is_null && status == Status::Ok {
            return 0;
        }
        let is_sound = is_null != status.has_value();
        let num_rows = self.values.len();
        let marks = self.marks.get_or_insert_with(|| vec![PRESENT; num_rows]);
        if !is_null && is_sound {
            marks[row] = status as u8;
            return 0;
        }
        marks[row] = if status.has_value() { Status::InvalidData as u8 } else { status as u8 };
        self.values[row] = 0.0;
        u64::from(!is_sound)
    }
}

/// Cuts rows where the host or the object changes, where rows with and without instances meet, and where the
/// first counter is repeated.
struct TidyCut<'a> {
    rows: &'a TidyRows,
}

impl TidyCut<'_> {
    fn cell(&self, row: usize) -> (u32, u32) {
        (self.rows.instances[row], self.rows.counters[row])
    }
}

impl BlockCut for TidyCut<'_> {
    fn key(&self, row: usize) -> (u32, u32) {
        let object = if self.rows.counters[row] == NONE { NONE } else { self.rows.objects[row] };
        (self.rows.hosts.of(row), object)
    }

    fn belongs(&mut self, first: usize, row: usize) -> bool {
        // Two adjacent rows of one counter are two counters with that name.
        let comes_again = self.cell(row) == self.cell(first) && self.cell(row - 1) != self.cell(first);
        !comes_again
            && self.key(row) == self.key(first)
            && (self.rows.instances[row] == NONE) == (self.rows.instances[first] == NONE)
    }
}
