//! From cooked stretches to rows of the tidy table.

use std::sync::Arc;

use arrow_array::builder::{
    Float64Builder, Int32Builder, StringBuilder, TimestampNanosecondBuilder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;
use recount_model::Status;
use recount_model::{Cooked, CookedColumn};

use super::names::{Names, dictionary};
use super::raw::RawColumn;
use crate::TableError;
use crate::schema::{self, OptionalColumns};
use crate::slice::{nanos, order};

/// Rows per batch.
const NUM_BATCH_ROWS: usize = 1 << 16;

/// The rows of a slice in the tidy layout ([`schema::tidy`]), sorted by time. If raw values are wanted, the stretches must have them.
/// `consume` gets a few batches at a time, so that they needn't all be in memory.
pub fn tidy_batches<E: From<TableError>>(
    slice: &[Cooked],
    optional: OptionalColumns,
    mut consume: impl FnMut(Vec<RecordBatch>) -> Result<(), E>,
) -> Result<(), E> {
    let schema = schema::tidy(optional);
    let times: Vec<Vec<i64>> = slice.iter().map(nanos).collect::<Result<_, _>>()?;
    let order = order(&times.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let slice = Slice::new(slice, times, optional);
    // A chunk holds whole samples.
    let chunks = chunks(&order, |&(at, _)| slice.rows_per_sample(at));
    for some in chunks.chunks(2 * rayon::current_num_threads().max(1)) {
        let batches = some.par_iter().map(|chunk| build(&slice, chunk, &schema));
        consume(batches.collect::<Result<_, _>>().map_err(TableError::arrow("tidy"))?)?;
    }
    Ok(())
}

/// Cuts samples into chunks of about [`NUM_BATCH_ROWS`] rows.
fn chunks<T>(samples: &[T], num_rows: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let mut chunks = Vec::new();
    let (mut start, mut rows) = (0, 0);
    for (at, sample) in samples.iter().enumerate() {
        rows += num_rows(sample);
        if rows >= NUM_BATCH_ROWS {
            chunks.push(&samples[start..=at]);
            (start, rows) = (at + 1, 0);
        }
    }
    if start < samples.len() {
        chunks.push(&samples[start..]);
    }
    chunks
}

/// A slice, with the results of look-ups that are done once, not per row.
struct Slice<'a> {
    stretches: Vec<TidyStretch<'a>>,
    hosts: ArrayRef,
    objects: ArrayRef,
    instances: ArrayRef,
    counters: ArrayRef,
    statuses: ArrayRef,
    optional: OptionalColumns,
}

struct TidyStretch<'a> {
    cooked: &'a Cooked,
    nanos: Vec<i64>,
    host: Option<i32>,
    object: i32,
    instances: Vec<Option<i32>>,
    columns: Vec<Prepared<'a>>,
    rows_per_sample: usize,
}

struct Prepared<'a> {
    column: &'a CookedColumn,
    name: i32,
    raw: Option<RawColumn<'a>>,
}

impl<'a> Slice<'a> {
    /// Looks up names. `times` are those of the stretches, in nanoseconds.
    fn new(slice: &'a [Cooked], times: Vec<Vec<i64>>, optional: OptionalColumns) -> Slice<'a> {
        let mut names: [Names; 4] = Default::default();
        let stretches: Vec<TidyStretch<'_>> = slice
            .iter()
            .zip(times)
            .map(|(cooked, nanos)| TidyStretch::new(cooked, nanos, optional.raw, &mut names))
            .collect();
        let [hosts, objects, instances, counters] = names.map(|names| names.values());
        let mut statuses = Names::default();
        for status in Status::ALL {
            statuses.key(status.as_str());
        }
        Slice { stretches, hosts, objects, instances, counters, statuses: statuses.values(), optional }
    }

    /// Number of rows per sample of a stretch.
    fn rows_per_sample(&self, stretch: usize) -> usize {
        self.stretches[stretch].rows_per_sample
    }
}

impl<'a> TidyStretch<'a> {
    fn new(cooked: &'a Cooked, nanos: Vec<i64>, raw: bool, names: &mut [Names; 4]) -> TidyStretch<'a> {
        let [hosts, objects, instances, counters] = names;
        let columns: Vec<Prepared<'_>> = cooked
            .columns
            .iter()
            .map(|column| {
                let name = counters.key(&cooked.object.counters[column.counter].name);
                Prepared { column, name, raw: raw.then(|| RawColumn::new(cooked, column.counter)).flatten() }
            })
            .collect();
        let num_instances = cooked.instances.len();
        let covered = |prepared: &Prepared<'_>| match &prepared.column.covers {
            Some(covers) => covers.iter().filter(|&&covers| covers).count(),
            None => num_instances,
        };
        TidyStretch {
            nanos,
            host: (!cooked.host.is_empty()).then(|| hosts.key(&cooked.host)),
            object: objects.key(&cooked.object.name),
            instances: cooked
                .instances
                .iter()
                .map(|instance| cooked.object.instanced.then(|| instances.key(&instance.shown())))
                .collect(),
            rows_per_sample: columns.iter().map(covered).sum(),
            columns,
            cooked,
        }
    }
}

/// The columns of a batch, growing row by row.
struct TidyColumns {
    time: TimestampNanosecondBuilder,
    interval: Float64Builder,
    weight: Float64Builder,
    host: Int32Builder,
    object: Int32Builder,
    instance: Int32Builder,
    counter: Int32Builder,
    value: Float64Builder,
    status: Int32Builder,
    /// If there is a column of local times.
    local_time: Option<TimestampNanosecondBuilder>,
    first: UInt64Builder,
    second: UInt64Builder,
    /// If there is a column of texts.
    text: Option<StringBuilder>,
}

impl TidyColumns {
    fn with_capacity(num_rows: usize, optional: OptionalColumns) -> TidyColumns {
        let num_raw = if optional.raw { num_rows } else { 0 };
        TidyColumns {
            time: TimestampNanosecondBuilder::with_capacity(num_rows).with_timezone("UTC"),
            interval: Float64Builder::with_capacity(num_rows),
            weight: Float64Builder::with_capacity(num_rows),
            host: Int32Builder::with_capacity(num_rows),
            object: Int32Builder::with_capacity(num_rows),
            instance: Int32Builder::with_capacity(num_rows),
            counter: Int32Builder::with_capacity(num_rows),
            value: Float64Builder::with_capacity(num_rows),
            status: Int32Builder::with_capacity(num_rows),
            local_time: optional.local_time.then(|| TimestampNanosecondBuilder::with_capacity(num_rows)),
            first: UInt64Builder::with_capacity(num_raw),
            second: UInt64Builder::with_capacity(num_raw),
            text: optional.texts.then(StringBuilder::new),
        }
    }

    /// All rows of one instance in one sample.
    fn push(&mut self, stretch: &TidyStretch<'_>, sample: usize, instance: usize, raw: bool) {
        let cooked = stretch.cooked;
        let cell = sample * cooked.instances.len() + instance;
        let interval = cooked.interval_of(sample, instance);
        let weight = cooked.weight_of(sample, instance);
        for Prepared { column, name, raw: raw_column } in &stretch.columns {
            if !column.covers(instance) {
                continue;
            }
            let status = column.status_at(cell);
            self.time.append_value(stretch.nanos[sample]);
            self.interval.append_option(interval);
            self.weight.append_value(weight);
            self.host.append_option(stretch.host);
            self.object.append_value(stretch.object);
            self.instance.append_option(stretch.instances[instance]);
            self.counter.append_value(*name);
            self.value.append_option(status.has_value().then(|| column.values[cell]));
            // `Status::ALL`, the dictionary, is in the order of the discriminants.
            self.status.append_value(i32::from(status as u8));
            if let Some(local_time) = &mut self.local_time {
                local_time.append_value(stretch.nanos[sample] + cooked.times[sample].offset_nanos());
            }
            if let Some(text) = &mut self.text {
                text.append_option(column.text_at(cell));
            }
            if raw {
                self.first.append_option(raw_column.as_ref().and_then(|raw| raw.first(cell)));
                self.second.append_option(raw_column.as_ref().and_then(|raw| raw.second(cell)));
            }
        }
    }
}

/// The rows of some samples, given as (stretch, sample) in the order of the rows.
fn build(
    slice: &Slice<'_>,
    samples: &[(usize, usize)],
    schema: &SchemaRef,
) -> Result<RecordBatch, ArrowError> {
    let num_rows = samples.iter().map(|&(stretch, _)| slice.rows_per_sample(stretch)).sum();
    let mut rows = TidyColumns::with_capacity(num_rows, slice.optional);
    for &(stretch, sample) in samples {
        let stretch = &slice.stretches[stretch];
        for instance in 0..stretch.cooked.instances.len() {
            rows.push(stretch, sample, instance, slice.optional.raw);
        }
    }
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(rows.time.finish()),
        Arc::new(rows.interval.finish()),
        Arc::new(rows.weight.finish()),
        dictionary(rows.host.finish(), &slice.hosts)?,
        dictionary(rows.object.finish(), &slice.objects)?,
        dictionary(rows.instance.finish(), &slice.instances)?,
        dictionary(rows.counter.finish(), &slice.counters)?,
        Arc::new(rows.value.finish()),
        dictionary(rows.status.finish(), &slice.statuses)?,
    ];
    if let Some(mut local_time) = rows.local_time {
        columns.push(Arc::new(local_time.finish()));
    }
    if slice.optional.raw {
        columns.push(Arc::new(rows.first.finish()));
        columns.push(Arc::new(rows.second.finish()));
    }
    if let Some(mut text) = rows.text {
        columns.push(Arc::new(text.finish()));
    }
    RecordBatch::try_new(Arc::clone(schema), columns)
}
