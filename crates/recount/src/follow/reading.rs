//! One reading of a log that is being followed.

use std::collections::BTreeMap;
use std::convert::Infallible;

use recount_analysis::stats::Summaries;
use recount_compute::{CookOptions, Cooked, Landmarks, PipelineOptions, Stretch};
use recount_model::{CounterPath, Health, SampleTime, Selection};

use super::NewValue;
use crate::Timeline;

/// The new samples that a reading found.
pub(super) struct Reading {
    pub(super) values: Vec<NewValue>,
    /// Time of the last sample, by epoch, for epochs with new samples.
    pub(super) done: BTreeMap<u32, SampleTime>,
    pub(super) health: Health,
}

impl Reading {
    /// Computes the samples after those in `done`, and adds them to the summaries.
    pub(super) fn new(
        timeline: &Timeline,
        selection: &Selection,
        done: &BTreeMap<u32, SampleTime>,
        is_closed: bool,
        summaries: &mut Summaries,
    ) -> Reading {
        let mut reading = Reading { values: Vec::new(), done: BTreeMap::new(), health: timeline.health() };
        let is_first = done.is_empty();
        let inputs = timeline.inputs();
        let landmarks = Landmarks::default();
        for (number, input) in inputs.iter().enumerate() {
            let times = input.source.times();
            let mut samples = input.samples.as_slice();
            if timeline.span().interval.is_some() && !is_closed {
                // A later sample may be nearer to the time wanted.
                samples = samples.split_last().map_or(samples, |(_, earlier)| earlier);
            }
            let epoch = samples.first().map_or(0, |sample| input.source.epoch(*sample as usize));
            let time = |sample: &u32| times.get(*sample as usize).copied();
            let before = done.get(&epoch).copied();
            let num_done = samples.partition_point(|sample| time(sample) <= before);
            let Some(last) = samples[num_done..].last().and_then(time) else { continue };
            reading.done.insert(epoch, last);
            // The values of all new samples are reported, but the first time only those of the newest.
            let is_reported = |time: SampleTime| if is_first { time == last } else { true };
            let new = Stretch::of_input(inputs, &landmarks, number, num_done..samples.len());
            reading.run(&new, selection, &is_reported, summaries);
        }
        if let Some(newest) = reading.values.iter().map(|value| value.time.utc).max().filter(|_| is_first) {
            reading.values.retain(|value| value.time.utc == newest);
        }
        // Stable: the counters of a sample keep their order.
        reading.values.sort_by_key(|value| value.time.utc);
        reading
    }

    fn run(
        &mut self,
        new: &Stretch<'_>,
        selection: &Selection,
        is_reported: &(dyn Fn(SampleTime) -> bool + Sync),
        summaries: &mut Summaries,
    ) {
        let cook = CookOptions { selection: selection.clone(), over_named: true, ..CookOptions::default() };
        let options = PipelineOptions { cook, ..PipelineOptions::default() };
        let values = &mut self.values;
        let found = new.run(&options, |batch, _| {
            for cooked in &batch {
                for at in (0..cooked.num_samples()).filter(|at| is_reported(cooked.times[*at])) {
                    push_values(cooked, at, values);
                }
            }
            summaries.add(&batch);
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
                path: CounterPath::of(&cooked.host, &cooked.object.name, shown, &counter.name).to_string(),
                value: column.value_at(cell),
                status: column.status_at(cell).as_str(),
                text: column.text_at(cell).cloned(),
                unit: counter.unit(),
                style: counter.style(),
            });
        }
    }
}
