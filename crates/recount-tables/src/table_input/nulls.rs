//! `_nulls`: why values are missing (`formats/tables.md#nulls`).

use std::collections::HashMap;
use std::sync::Arc;

use parquet::errors::ParquetError;
use recount_model::{FindingKind, Health, Status};

use super::TableInputError;
use super::blocks::Block;
use super::interned::Interned;
use super::parquet_input::{ColumnRequest, ParquetInput};
use super::row_index::{RowIndex, joined};
use super::rows::{Numbers, UNEXPLAINED};
use super::windows::Windows;
use crate::schema;

const HOST: usize = 0;
const OBJECT: usize = 1;
const INSTANCE: usize = 2;
const COUNTER: usize = 3;
const STATUS: usize = 4;

/// The table, opened.
pub(super) struct NullsFile {
    pub(super) file: ParquetInput,
    pub(super) index: RowIndex,
    wanted: Arc<[ColumnRequest]>,
    /// Its number in the windows.
    number: usize,
}

/// Why a value is missing. Names are numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Null {
    sample: u32,
    instance: u32,
    counter: u32,
    status: Status,
}

/// The missing values of some samples, by host and object, in the order of the table.
#[derive(Debug, Default)]
pub(super) struct Nulls {
    by_key: HashMap<(u32, u32), Vec<Null>>,
}

impl NullsFile {
    pub(super) fn new(
        file: ParquetInput,
        index: RowIndex,
        number: usize,
    ) -> Result<NullsFile, TableInputError> {
        // The time of each row is known from the index.
        let columns = schema::NULLS.into_iter().filter(|column| *column != schema::TIME);
        let wanted: Vec<ColumnRequest> =
            columns.map(|column| file.required(column)).collect::<Result<_, _>>()?;
        Ok(NullsFile { file, index, wanted: wanted.into(), number })
    }

    /// Reads the missing values of samples, for the selected objects.
    pub(super) fn read(
        &self,
        samples: &[u32],
        windows: &Windows,
        names: &Interned,
        is_wanted: impl Fn(u32) -> bool,
        health: &mut Health,
    ) -> Result<Nulls, ParquetError> {
        let found = self.index.rows_of(samples);
        let rows = windows.read(&self.file, self.number, &joined(&found), &self.wanted, names)?;
        let mut nulls = Nulls::default();
        let mut statuses = StatusNames::default();
        let mut row = 0;
        for of_sample in found {
            for _ in of_sample.rows {
                let object = rows.names(OBJECT)[row];
                if is_wanted(object) {
                    nulls.by_key.entry((rows.names(HOST)[row], object)).or_default().push(Null {
                        sample: of_sample.sample,
                        instance: rows.names(INSTANCE)[row],
                        counter: rows.names(COUNTER)[row],
                        // A reason exists because there is no value, even if it says otherwise.
                        status: statuses.of(rows.names(STATUS)[row], names).max(Status::InvalidData),
                    });
                }
                row += 1;
            }
        }
        statuses.report(&self.file.name, health);
        Ok(nulls)
    }
}

/// Statuses, by the numbers of their names.
#[derive(Default)]
pub(super) struct StatusNames {
    known: HashMap<u32, Status>,
    /// Names that aren't those of a status.
    unknown: Vec<Arc<str>>,
    last: Option<(u32, Status)>,
}

impl StatusNames {
    /// The status with a name. An unknown one at least means that there is no trustworthy value.
    pub(super) fn of(&mut self, id: u32, names: &Interned) -> Status {
        if let Some((last, status)) = self.last
            && last == id
        {
            return status;
        }
        let status = *self.known.entry(id).or_insert_with(|| {
            let name = names.name(id);
            let known = Status::ALL.into_iter().find(|status| status.as_str() == &*name);
            known.unwrap_or_else(|| {
                self.unknown.push(name);
                Status::InvalidData
            })
        });
        self.last = Some((id, status));
        status
    }

    /// Reports unknown names.
    pub(super) fn report(self, file: &str, health: &mut Health) {
        for name in self.unknown {
            let what =
                format!("{file}: expected one of the known statuses, found `{name}`: read as invalid-data");
            health.note(FindingKind::Odd, None, what);
        }
    }
}

impl Nulls {
    /// Whether no value is missing.
    pub(super) fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Assigns reasons to the nulls of an object's columns, for the blocks of one host, in order. `columns`
    /// maps the number of a counter's name to its columns. Returns how many reasons have no null.
    pub(super) fn explain(
        &self,
        blocks: &[Block],
        instances: &[u32],
        columns: &HashMap<u32, Vec<usize>>,
        values: &mut [Numbers],
    ) -> u64 {
        let Some(first) = blocks.first() else { return 0 };
        let Some(all) = self.by_key.get(&(first.host, first.object)) else { return 0 };
        let mut rest = all.as_slice();
        let mut num_left = 0;
        for blocks in blocks.chunk_by(|one, next| one.sample == next.sample) {
            let sample = blocks[0].sample;
            rest = &rest[rest.partition_point(|null| null.sample < sample)..];
            let (of_sample, behind) = rest.split_at(rest.partition_point(|null| null.sample == sample));
            rest = behind;
            let mut explaining = Explaining { blocks, instances, columns, values, by_instance: None };
            num_left += explaining.explain(of_sample);
        }
        num_left
    }
}

/// The rows of one host in one sample.
struct Explaining<'a> {
    blocks: &'a [Block],
    instances: &'a [u32],
    columns: &'a HashMap<u32, Vec<usize>>,
    values: &'a mut [Numbers],
    /// Rows of each instance, built once the order turns out to be different.
    by_instance: Option<HashMap<u32, Vec<usize>>>,
}

impl Explaining<'_> {
    fn explain(&mut self, nulls: &[Null]) -> u64 {
        let mut num_left = 0;
        // Both tables have the same order, so one pass over the rows finds all.
        let blocks = self.blocks;
        let mut rows = blocks.iter().flat_map(Block::rows).peekable();
        for null in nulls {
            let Some(columns) = self.columns.get(&null.counter) else { continue };
            let mut is_found = false;
            while let Some(&row) = rows.peek() {
                is_found = self.instances[row] == null.instance && self.mark(row, columns, null.status);
                if is_found {
                    break;
                }
                rows.next();
            }
            if !is_found && !self.look_up(null, columns) {
                num_left += 1;
            }
        }
        num_left
    }

    /// Marks the first null of a row that doesn't have a reason yet.
    fn mark(&mut self, row: usize, columns: &[usize], status: Status) -> bool {
        for column in columns {
            let marks = self.values.get_mut(*column).and_then(|numbers| numbers.marks.as_mut());
            if let Some(mark) =
                marks.and_then(|marks| marks.get_mut(row)).filter(|mark| **mark == UNEXPLAINED)
            {
                *mark = status as u8;
                return true;
            }
        }
        false
    }

    fn look_up(&mut self, null: &Null, columns: &[usize]) -> bool {
        let by_instance = self.by_instance.take().unwrap_or_else(|| {
            let mut by_instance: HashMap<u32, Vec<usize>> = HashMap::new();
            for row in self.blocks.iter().flat_map(Block::rows) {
                by_instance.entry(self.instances[row]).or_default().push(row);
            }
            by_instance
        });
        let rows = by_instance.get(&null.instance).map_or(&[][..], Vec::as_slice);
        let is_found = rows.iter().any(|row| self.mark(*row, columns, null.status));
        self.by_instance = Some(by_instance);
        is_found
    }
}
