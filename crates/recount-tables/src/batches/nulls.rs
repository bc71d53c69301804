//! `_nulls`: why values are missing from the objects layout (`formats/tables.md#nulls`).

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, TimestampNanosecondArray};
use arrow_schema::ArrowError;
use recount_model::Cooked;
use recount_model::Status;

use super::names::{Names, dictionary};
use crate::schema::{NULLS, schema};

/// A missing value; `counter` and `instance` by index.
#[derive(Clone, Copy)]
struct Null {
    time: i64,
    stretch: usize,
    instance: usize,
    counter: usize,
    status: Status,
}

/// The missing values of a slice, by time; `None` if there are none. `times` are those of the stretches, in nanoseconds.
pub(crate) fn nulls(slice: &[Cooked], times: &[Vec<i64>]) -> Result<Option<RecordBatch>, ArrowError> {
    let mut nulls = Vec::new();
    for (stretch, (cooked, times)) in slice.iter().zip(times).enumerate() {
        collect(stretch, cooked, times, &mut nulls);
    }
    if nulls.is_empty() {
        return Ok(None);
    }
    nulls.sort_by_key(|null| (null.time, null.stretch, null.instance));
    build(slice, &nulls).map(Some)
}

fn collect(stretch: usize, cooked: &Cooked, times: &[i64], nulls: &mut Vec<Null>) {
    let num_instances = cooked.instances.len();
    for column in &cooked.columns {
        // Bases have no value column that could be null.
        let Some(all) = column.status.as_ref().filter(|_| !cooked.object.counters[column.counter].is_base())
        else {
            continue;
        };
        // Most rows have all of their values and are skipped at once.
        for (statuses, &time) in all.chunks(num_instances.max(1)).zip(times) {
            // Counts to the end of the row without an early exit, so that the compiler vectorises the
            // comparison.
            if statuses.iter().filter(|&&status| status != Status::Ok).count() == 0 {
                continue;
            }
            for (instance, &status) in statuses.iter().enumerate() {
                if status != Status::Ok && column.covers(instance) {
                    nulls.push(Null { time, stretch, instance, counter: column.counter, status });
                }
            }
        }
    }
}

fn build(slice: &[Cooked], nulls: &[Null]) -> Result<RecordBatch, ArrowError> {
    let mut names: [Names; 5] = Default::default();
    let mut keys: [Vec<Option<i32>>; 5] = Default::default();
    for null in nulls {
        let cooked = &slice[null.stretch];
        let instance = cooked.object.instanced.then(|| cooked.instances[null.instance].shown());
        let row = [
            Some(&*cooked.host).filter(|host| !host.is_empty()),
            Some(&*cooked.object.name),
            instance.as_deref(),
            Some(&*cooked.object.counters[null.counter].name),
            Some(null.status.as_str()),
        ];
        for ((keys, names), value) in keys.iter_mut().zip(&mut names).zip(row) {
            keys.push(value.map(|value| names.key(value)));
        }
    }
    let times: TimestampNanosecondArray = nulls.iter().map(|null| Some(null.time)).collect();
    let mut columns = vec![Arc::new(times.with_timezone("UTC")) as ArrayRef];
    for (keys, names) in keys.into_iter().zip(names) {
        columns.push(dictionary(Int32Array::from(keys), &names.values())?);
    }
    RecordBatch::try_new(schema(&NULLS), columns)
}
