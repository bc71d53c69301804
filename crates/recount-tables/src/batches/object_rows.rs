//! From cooked stretches of one object to batches of its table.

use std::sync::Arc;

use arrow_array::types::UInt64Type;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Float64Array, PrimitiveArray, RecordBatch,
    RecordBatchOptions, StringArray, TimestampNanosecondArray, UInt64Array, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::{
    concat::concat_batches,
    filter::filter_record_batch,
    interleave::{interleave, interleave_record_batch},
};
use recount_model::{Cooked, CookedColumn};

use super::columns::{Columns, Slots};
use super::names::{Names, dictionary};
use super::raw::RawColumn;
use super::shared_rows::{PendingRow, SharedRows};
use crate::slice::{are_apart, order};

/// Batches with fewer rows are combined before encoding: a call to the encoders costs about as much as
/// copying this many rows.
const FEW_ROWS: usize = 512;

/// The stretches of one object in a slice, with names looked up.
pub(super) struct Stretches {
    all: Vec<ObjectStretch>,
    hosts: ArrayRef,
    instances: ArrayRef,
}

struct ObjectStretch {
    cooked: Cooked,
    times: Vec<i64>,
    slots: Vec<Slots>,
    host: Option<i32>,
    instances: Vec<Option<i32>>,
}

impl Stretches {
    /// Looks up names. `slots` are the columns of each stretch's counters.
    pub(super) fn new(slice: Vec<(Cooked, Vec<i64>)>, slots: Vec<Vec<Slots>>) -> Stretches {
        let (mut hosts, mut instances) = (Names::default(), Names::default());
        let stretches = slice.into_iter().zip(slots).map(|((cooked, times), slots)| ObjectStretch {
            host: (!cooked.host.is_empty()).then(|| hosts.key(&cooked.host)),
            instances: cooked
                .instances
                .iter()
                .map(|instance| cooked.object.instanced.then(|| instances.key(&instance.shown())))
                .collect(),
            cooked,
            times,
            slots,
        });
        let all = stretches.collect();
        Stretches { all, hosts: hosts.values(), instances: instances.values() }
    }

    /// Batches, sorted by time. `kept` says which of all columns are in the schema.
    pub(super) fn build(
        self,
        columns: &Columns,
        kept: &[bool],
        schema: &SchemaRef,
    ) -> Result<Vec<RecordBatch>, ArrowError> {
        let Stretches { all, hosts, instances } = self;
        let times: Vec<Vec<i64>> = all.iter().map(|stretch| stretch.times.clone()).collect();
        let times: Vec<&[i64]> = times.iter().map(Vec::as_slice).collect();
        let covered: Vec<Option<Vec<bool>>> = all.iter().map(ObjectStretch::covered).collect();
        let are_apart = are_apart(&times);
        let columns_of = |stretch: &ObjectStretch| {
            let mut has_column = vec![false; kept.len()];
            stretch.slots.iter().flat_map(|slots| slots.all()).for_each(|at| has_column[at] = true);
            has_column
        };
        let (has_columns, shared) = if are_apart {
            (Vec::new(), SharedRows::default())
        } else {
            let has_columns: Vec<Vec<bool>> = all.iter().map(columns_of).collect();
            let parts = order(&times).into_iter().flat_map(|(at, sample)| {
                let covered = covered[at].as_deref();
                all[at].parts(sample, covered).map(move |part| PendingRow { cell: (at, part.cell.1), ..part })
            });
            let shared = SharedRows::new(parts, &has_columns);
            (has_columns, shared)
        };
        let batches = all
            .into_iter()
            .map(|stretch| stretch.build(columns, kept, schema, &hosts, &instances))
            .collect::<Result<Vec<_>, _>>()?;
        if !are_apart {
            let batches: Vec<&RecordBatch> = batches.iter().collect();
            let merged = if shared.are_single() {
                interleave_record_batch(&batches, &shared.rows)?
            } else {
                let kept = (0..kept.len()).filter(|at| kept[*at]);
                let arrays = kept.enumerate().map(|(at, column)| {
                    let arrays: Vec<&dyn Array> = batches.iter().map(|batch| &**batch.column(at)).collect();
                    interleave(&arrays, &shared.cells(column, &has_columns))
                });
                let options = RecordBatchOptions::new().with_row_count(Some(shared.rows.len()));
                let arrays = arrays.collect::<Result<_, _>>()?;
                RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)?
            };
            return Ok(Some(merged).filter(|merged| merged.num_rows() > 0).into_iter().collect());
        }
        let filtered = batches.into_iter().zip(&covered).map(|(batch, covered)| match covered {
            Some(covered) => filter_record_batch(&batch, &repeated(covered, batch.num_rows())),
            None => Ok(batch),
        });
        let mut batches = filtered.collect::<Result<Vec<_>, _>>()?;
        batches.retain(|batch| batch.num_rows() > 0);
        let num_rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if batches.len() > 1 && num_rows / batches.len() < FEW_ROWS {
            return Ok(vec![concat_batches(schema, &batches)?]);
        }
        Ok(batches)
    }
}

/// The mask of rows for a mask of instances.
fn repeated(instances: &[bool], num_rows: usize) -> BooleanArray {
    BooleanBuffer::collect_bool(num_rows, |row| instances[row % instances.len()]).into()
}

impl ObjectStretch {
    /// Which instances have any of the counters; `None` for all.
    fn covered(&self) -> Option<Vec<bool>> {
        let has_column = |slots: &Slots| slots.value.or(slots.first).is_some();
        let written = || self.cooked.columns.iter().zip(&self.slots).filter(|(_, slots)| has_column(slots));
        let num = self.cooked.instances.len();
        let covered: Vec<bool> =
            (0..num).map(|instance| written().any(|(column, _)| column.covers(instance))).collect();
        if covered.iter().all(|&covered| covered) { None } else { Some(covered) }
    }

    /// The rows of a sample.
    fn parts(&self, sample: usize, covered: Option<&[bool]>) -> impl Iterator<Item = PendingRow> {
        let num = self.cooked.instances.len();
        let is_row = move |instance: &usize| covered.is_none_or(|covered| covered[*instance]);
        (0..num).filter(is_row).map(move |instance| PendingRow {
            cell: (0, sample * num + instance),
            time: self.times[sample],
            interval: self.cooked.interval_of(sample, instance),
            weight: self.cooked.weight_of(sample, instance),
            subject: (self.host, self.instances[instance], self.cooked.instances[instance].id),
        })
    }

    fn build(
        self,
        columns: &Columns,
        kept: &[bool],
        schema: &SchemaRef,
        hosts: &ArrayRef,
        instances: &ArrayRef,
    ) -> Result<RecordBatch, ArrowError> {
        let ObjectStretch { cooked, times, slots, host, instances: instance_keys } = self;
        let num_rows = cooked.num_cells();
        let num_instances = cooked.instances.len();
        let mut arrays: Vec<Option<ArrayRef>> = vec![None; kept.len()];
        let mut rows = Vec::with_capacity(num_rows);
        for &time in &times {
            rows.extend(std::iter::repeat_n(time, num_instances));
        }
        arrays[0] = Some(Arc::new(TimestampNanosecondArray::from(rows).with_timezone("UTC")));
        arrays[Columns::INTERVAL] = Some(Arc::new(intervals(&cooked)));
        arrays[Columns::WEIGHT] = Some(Arc::new(weights(&cooked)));
        arrays[Columns::HOST] = Some(dictionary(repeat(&[host], num_rows), hosts)?);
        if let Some(at) = columns.local_time {
            arrays[at] = Some(Arc::new(local_times(&cooked, &times)));
        }
        if let Some(at) = columns.instance {
            arrays[at] = Some(dictionary(repeat(&instance_keys, times.len()), instances)?);
        }
        if let Some(at) = columns.instance_id {
            let ids: Vec<Option<u64>> = cooked.instances.iter().map(|instance| instance.id).collect();
            arrays[at] = Some(Arc::new(repeat::<UInt64Type>(&ids, times.len())));
        }
        for (column, slots) in cooked.columns.into_iter().zip(slots) {
            if !slots.all().any(|at| kept[at]) {
                continue;
            }
            let raw = cooked.raw.as_ref().and_then(|run| RawColumn::of(run, num_instances, column.counter));
            if let (Some(at), Some(raw)) = (slots.first, &raw) {
                arrays[at] =
                    Some(Arc::new(raw_values(&column, num_rows, num_instances, |cell| raw.first(cell))));
            }
            if let (Some(at), Some(raw)) = (slots.second, &raw) {
                arrays[at] =
                    Some(Arc::new(raw_values(&column, num_rows, num_instances, |cell| raw.second(cell))));
            }
            if let (Some(at), Some(texts)) = (slots.text, &column.texts) {
                arrays[at] = Some(Arc::new(texts.iter().map(Option::as_deref).collect::<StringArray>()));
            }
            if let Some(at) = slots.value {
                arrays[at] = Some(Arc::new(values(column, num_instances)));
            }
        }
        let arrays = arrays.into_iter().zip(kept).filter(|(_, is_kept)| **is_kept);
        let arrays = arrays
            .zip(schema.fields())
            .map(|((array, _), field)| array.unwrap_or_else(|| new_null_array(field.data_type(), num_rows)))
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(num_rows));
        RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
    }
}

/// Repeats the same cells. They are copied in blocks: a division or a test for every row would cost more than
/// the row's encoding.
fn repeat<T: ArrowPrimitiveType>(cells: &[Option<T::Native>], times: usize) -> PrimitiveArray<T> {
    let values: Vec<T::Native> = cells.iter().map(|cell| cell.unwrap_or_default()).collect();
    let is_valid = |row: usize| cells[row % cells.len()].is_some();
    let nulls = cells
        .contains(&None)
        .then(|| NullBuffer::new(BooleanBuffer::collect_bool(cells.len() * times, is_valid)));
    PrimitiveArray::new(ScalarBuffer::from(values.repeat(times)), nulls)
}

fn local_times(cooked: &Cooked, times: &[i64]) -> TimestampNanosecondArray {
    let local = times.iter().zip(&cooked.times).map(|(utc, time)| utc + time.offset_nanos());
    local.flat_map(|local| std::iter::repeat_n(local, cooked.instances.len())).collect::<Vec<i64>>().into()
}

fn intervals(cooked: &Cooked) -> Float64Array {
    let num_instances = cooked.instances.len();
    let mut values = Vec::with_capacity(cooked.num_cells());
    for interval in &cooked.interval_s {
        values.extend(std::iter::repeat_n(interval.unwrap_or(0.0), num_instances));
    }
    let is_some = |row: usize| cooked.interval_of(row / num_instances, row % num_instances).is_some();
    // Only in the first sample can any be missing.
    let is_whole =
        values.is_empty() || (0..num_instances).all(is_some) && cooked.interval_s.iter().all(Option::is_some);
    let nulls = (!is_whole).then(|| NullBuffer::new(BooleanBuffer::collect_bool(values.len(), is_some)));
    Float64Array::new(values.into(), nulls)
}

fn weights(cooked: &Cooked) -> Float64Array {
    let num_instances = cooked.instances.len();
    let mut weights = Vec::with_capacity(cooked.num_cells());
    if num_instances > 0 && cooked.num_samples() > 0 {
        weights.extend((0..num_instances).map(|instance| cooked.weight_of(0, instance)));
        // From the second sample on, every instance is in the sample before.
        for sample in 1..cooked.num_samples() {
            weights.extend(std::iter::repeat_n(cooked.weight_of(sample, 0), num_instances));
        }
    }
    weights.into()
}

/// The values are moved into Arrow without a copy; missing values become null.
fn values(column: CookedColumn, num_instances: usize) -> Float64Array {
    let CookedColumn { values, status, covers, .. } = column;
    let has_value = |cell: usize| match &status {
        Some(status) => status[cell].has_value(),
        None => true,
    };
    let valid = match &covers {
        None if status.is_none() => None,
        None => Some(BooleanBuffer::collect_bool(values.len(), has_value)),
        Some(covers) => Some(BooleanBuffer::collect_bool(values.len(), |cell| {
            has_value(cell) && covers[cell % num_instances]
        })),
    };
    let nulls = valid.map(NullBuffer::new).filter(|nulls| nulls.null_count() > 0);
    Float64Array::new(ScalarBuffer::from(values), nulls)
}

fn raw_values(
    column: &CookedColumn,
    num_rows: usize,
    num_instances: usize,
    get: impl Fn(usize) -> Option<u64>,
) -> UInt64Array {
    (0..num_rows).map(|cell| if column.covers(cell % num_instances) { get(cell) } else { None }).collect()
}
