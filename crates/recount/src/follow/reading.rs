//! One reading of a log that is being followed.

use std::collections::BTreeMap;
use std::convert::Infallible;

use recount_compute::{CookOptions, Cooked, Feed, Input, PipelineOptions, run};
use recount_model::{Aggregation, Health, SampleTime, Selection};

use super::NewValue;
use crate::catalogue::counter_path;
use crate::show::Table;
use crate::{Capture, Span, inputs};

/// What a reading found that is new.
pub(super) struct Reading {
    /// The new samples only.
    pub(super) table: Table,
    pub(super) values: Vec<NewValue>,
    /// Time of the last sample, by epoch, where there are new ones.
    pub(super) done: BTreeMap<u32, SampleTime>,
    pub(super) health: Health,
}

impl Reading {
    /// Computes the samples behind those that are `done`.
    pub(super) fn new(
        capture: &Capture,
        span: &Span,
        selection: &Selection,
        done: &BTreeMap<u32, SampleTime>,
        is_closed: bool,
    ) -> Reading {
        let mut reading = Reading {
            table: Table::default(),
            values: Vec::new(),
            done: BTreeMap::new(),
            health: capture.health(),
        };
        let is_first = done.is_empty();
        let times = capture.feed.times();
        for mut input in inputs(std::slice::from_ref(capture), span) {
            if span.interval.is_some() && !is_closed {
                // A later sample may be nearer to the time wanted.
                input.samples.pop();
            }
            let epoch = input.samples.first().map_or(0, |sample| epoch_of(&capture.feed, *sample));
            let time = |sample: &u32| times.get(*sample as usize).copied();
            let before = done.get(&epoch).copied();
            let num_done = input.samples.partition_point(|sample| time(sample) <= before);
            let Some(last) = input.samples[num_done..].last().and_then(time) else { continue };
            // The last one that is done is what the first new one is compared with. What has gone before that counts in
            // aggregates with history.
            if !has_history(&capture.feed) {
                input.samples.drain(..num_done.saturating_sub(1));
            }
            reading.done.insert(epoch, last);
            // Values are told of all new samples, but in the beginning only of the newest.
            let told = |time: SampleTime| if is_first { time == last } else { true };
            reading.run(input, selection, before, &told);
        }
        if let Some(newest) = reading.values.iter().map(|value| value.time.utc).max().filter(|_| is_first) {
            reading.values.retain(|value| value.time.utc == newest);
        }
        // Stable: the counters of a sample stay in their order.
        reading.values.sort_by_key(|value| value.time.utc);
        reading
    }

    fn run(
        &mut self,
        input: Input,
        selection: &Selection,
        before: Option<SampleTime>,
        told: &(dyn Fn(SampleTime) -> bool + Sync),
    ) {
        let cook = CookOptions { selection: selection.clone(), ..CookOptions::default() };
        let options = PipelineOptions { cook, ..PipelineOptions::default() };
        let (table, values) = (&mut self.table, &mut self.values);
        let found = run(&[input], &options, |batch, _| {
            for cooked in &batch {
                let first_new = cooked.times.partition_point(|time| Some(*time) <= before);
                table.add(cooked, first_new);
                for at in (first_new..cooked.num_samples()).filter(|at| told(cooked.times[*at])) {
                    push_values(cooked, at, values);
                }
            }
            Ok::<(), Infallible>(())
        });
        let found = found.unwrap_or_else(|never| match never {});
        self.health.absorb(found);
    }
}

/// The values of one sample.
fn push_values(cooked: &Cooked, sample: usize, values: &mut Vec<NewValue>) {
    for column in &cooked.columns {
        let counter = &cooked.object.counters[column.counter];
        for (at, instance) in cooked.instances.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
            let shown = cooked.object.instanced.then_some(instance);
            let cell = sample * cooked.instances.len() + at;
            values.push(NewValue {
                time: cooked.times[sample],
                path: counter_path(&cooked.host, &cooked.object.name, shown, &counter.name).to_string(),
                value: column.value_at(cell),
                status: column.status_at(cell).as_str(),
                unit: counter.unit(),
            });
        }
    }
}

/// Whether an object's aggregates depend on all samples so far.
fn has_history(feed: &Feed) -> bool {
    let Feed::Raw(source) = feed else { return false };
    source.objects().iter().any(|(_, object)| object.aggregation == Aggregation::GlobalHistory)
}

fn epoch_of(feed: &Feed, sample: u32) -> u32 {
    match feed {
        Feed::Raw(source) => source.epoch(sample as usize),
        Feed::Cooked(_) => 0,
    }
}
