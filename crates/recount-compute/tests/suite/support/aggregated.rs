//! Captures of an object with aggregates, and the pipeline's output.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use recount_compute::{CookOptions, Cooked, Input, PipelineOptions, run};
use recount_model::{
    AggregateFunction, Aggregation, Column, CounterDef, Instance, ObjectDef, Second, Status,
};

use super::census::{Census, Entry};
use super::counter;

/// A raw count, a rate, a fraction, its base.
pub const WORDS: [u32; 4] = [0x0001_0000, 0x1041_0400, 0x2002_0400, 0x4003_0403];
pub const COUNTERS: [&str; 4] = ["Things", "Things/sec", "% Things", "% Things Base"];

pub fn census(
    aggregation: Aggregation,
    functions: [AggregateFunction; 3],
    samples: Vec<Option<Vec<Entry>>>,
) -> Census {
    let counters: Vec<CounterDef> = (0..4)
        .map(|at| CounterDef {
            // An aggregate requested for a base is ignored.
            aggregate: functions.get(at).copied().unwrap_or(AggregateFunction::Total),
            ..counter(COUNTERS[at], WORDS[at])
        })
        .collect();
    let object = ObjectDef { aggregation, ..(*super::object(counters)).clone() };
    let second = [Second::None, super::TICK, Second::Base(3), Second::None];
    let columns = second.map(|second| Column { second, ..Column::default() }).to_vec();
    Census::new(Arc::new(object), columns, samples)
}

pub fn entry(name: &str, id: Option<u64>, raw: [u64; 4]) -> Entry {
    Entry { instance: Instance { id, ..Instance::named(name) }, raw: raw.map(Some).to_vec() }
}

pub fn input(census: &Census) -> Input {
    let samples = (0..census.samples.len() as u32).collect();
    Input::new(Arc::new(census.clone()), samples)
}

pub fn cook_census(census: &Census, len_slice: usize, cook: &CookOptions) -> Vec<Cooked> {
    cook_inputs(&[input(census)], len_slice, cook)
}

pub fn cook_inputs(inputs: &[Input], len_slice: usize, cook: &CookOptions) -> Vec<Cooked> {
    let options = PipelineOptions { cook: cook.clone(), len_slice };
    let mut all = Vec::new();
    let done = run(inputs, &options, |batch, _| {
        all.extend(batch);
        Ok::<(), Infallible>(())
    });
    assert!(done.is_ok_and(|health| health.is_sound()));
    all
}

/// Second, instance as shown, counter.
pub type Place = (i64, String, usize);
pub type Outcome = Result<f64, Status>;

/// Every cell that is a row of a table, with its interval.
pub fn cells(all: &[Cooked]) -> BTreeMap<Place, (Outcome, Option<f64>)> {
    let mut cells = BTreeMap::new();
    for cooked in all {
        for (sample, time) in cooked.times.iter().enumerate() {
            for column in &cooked.columns {
                for (at, instance) in cooked.instances.iter().enumerate().filter(|(at, _)| column.covers(*at))
                {
                    let cell = sample * cooked.instances.len() + at;
                    let outcome = column.value_at(cell).ok_or(column.status_at(cell));
                    let place = (time.utc.0 / 10_000_000, instance.shown(), column.counter);
                    let row = (outcome, cooked.interval_of(sample, at));
                    assert!(cells.insert(place, row).is_none(), "two rows of {instance} in one sample");
                }
            }
        }
    }
    cells
}

/// The rows of one instance: second, counter, outcome.
pub fn rows_of(all: &[Cooked], name: &str) -> Vec<(i64, usize, Outcome)> {
    let cells = cells(all).into_iter().filter(|((_, shown, _), _)| shown == name);
    cells.map(|((second, _, counter), (outcome, _))| (second, counter, outcome)).collect()
}
