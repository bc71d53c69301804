//! `_nulls`: why values are missing from the objects layout (`formats/tables.md#nulls`).

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, TimestampNanosecondArray};
use arrow_schema::ArrowError;
use recount_model::{Cooked, CookedColumn, Status};

use super::names::{Names, dictionary};
use crate::schema::{NULLS, schema};

/// The missing values of a slice, by time; `None` if there are none. `times` are those of the stretches, in nanoseconds.
pub(crate) fn nulls(slice: &[Cooked], times: &[Vec<i64>]) -> Result<Option<RecordBatch>, ArrowError> {
    let mut rows = NullRows::default();
    for (time, stretch, row) in incomplete(slice, times) {
        rows.append(&slice[stretch], stretch, row, time);
    }
    if rows.times.is_empty() { Ok(None) } else { rows.build().map(Some) }
}

/// The samples in which a value is missing, in the order of the table: time, stretch and row of each.
fn incomplete(slice: &[Cooked], times: &[Vec<i64>]) -> Vec<(i64, usize, usize)> {
    let mut found = Vec::new();
    for (stretch, (cooked, times)) in slice.iter().zip(times).enumerate() {
        let mut is_incomplete = vec![false; times.len()];
        for (_, all) in columns(cooked) {
            let rows = all.chunks(cooked.instances.len().max(1));
            for (is_incomplete, statuses) in is_incomplete.iter_mut().zip(rows) {
                *is_incomplete |= has_null(statuses);
            }
        }
        let rows = is_incomplete.iter().enumerate().filter(|(_, is_incomplete)| **is_incomplete);
        found.extend(rows.map(|(row, _)| (times[row], stretch, row)));
    }
    found.sort_unstable();
    found
}

/// Columns with their statuses. Bases have no value column that could be null.
fn columns(cooked: &Cooked) -> impl Iterator<Item = (&CookedColumn, &[Status])> {
    let columns = cooked.columns.iter().filter(|column| !cooked.object.counters[column.counter].is_base());
    columns.filter_map(|column| Some((column, &**column.status.as_ref()?)))
}

/// Counts to the end without an early exit, so that the compiler vectorises the comparison: most rows have all of their values.
fn has_null(statuses: &[Status]) -> bool {
    statuses.iter().filter(|status| !status.has_value()).count() > 0
}

/// The rows of the table.
#[derive(Default)]
struct NullRows {
    times: Vec<i64>,
    /// Host, object, instance, counter and status.
    names: [Names; 5],
    keys: [Vec<Option<i32>>; 5],
    /// By stretch.
    known: HashMap<usize, Keys>,
    /// By status.
    statuses: [Option<i32>; Status::ALL.len()],
}

/// Keys of names of one stretch, as far as they were needed.
struct Keys {
    host: Option<i32>,
    object: i32,
    instances: Vec<Option<i32>>,
    counters: Vec<Option<i32>>,
}

impl NullRows {
    /// Appends the missing values of one sample.
    fn append(&mut self, cooked: &Cooked, stretch: usize, row: usize, time: i64) {
        let num_instances = cooked.instances.len();
        let columns: Vec<_> = columns(cooked)
            .filter_map(|(column, all)| {
                Some((column, all.get(row * num_instances..(row + 1) * num_instances)?))
            })
            .filter(|(_, statuses)| has_null(statuses))
            .collect();
        let [hosts, objects, instances, counters, statuses] = &mut self.names;
        let known = self.known.entry(stretch).or_insert_with(|| Keys {
            host: Some(&*cooked.host).filter(|host| !host.is_empty()).map(|host| hosts.key(host)),
            object: objects.key(&cooked.object.name),
            instances: vec![None; num_instances],
            counters: vec![None; cooked.object.counters.len()],
        });
        for (at, instance) in cooked.instances.iter().enumerate() {
            for (column, of_row) in &columns {
                let status = of_row[at];
                if status.has_value() || !column.covers(at) {
                    continue;
                }
                let instance = cooked
                    .object
                    .instanced
                    .then(|| *known.instances[at].get_or_insert_with(|| instances.key(&instance.shown())));
                let counter = *known.counters[column.counter]
                    .get_or_insert_with(|| counters.key(&cooked.object.counters[column.counter].name));
                let status =
                    *self.statuses[status as usize].get_or_insert_with(|| statuses.key(status.as_str()));
                self.times.push(time);
                let row = [known.host, Some(known.object), instance, Some(counter), Some(status)];
                for (keys, key) in self.keys.iter_mut().zip(row) {
                    keys.push(key);
                }
            }
        }
    }

    fn build(self) -> Result<RecordBatch, ArrowError> {
        let times = TimestampNanosecondArray::from(self.times).with_timezone("UTC");
        let mut columns = vec![Arc::new(times) as ArrayRef];
        for (keys, names) in self.keys.into_iter().zip(self.names) {
            columns.push(dictionary(Int32Array::from(keys), &names.values())?);
        }
        RecordBatch::try_new(schema(&NULLS), columns)
    }
}
