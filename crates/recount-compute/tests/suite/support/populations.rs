//! Random instances that appear, disappear and return.

use proptest::collection::vec;
use proptest::prelude::*;
use recount_model::{AggregateFunction, Aggregation, Instance};

use super::census::Entry;

/// Instances with few names and ids, so that they appear, disappear, return, and clash with the aggregates.
pub fn entries() -> impl Strategy<Value = Option<Vec<Entry>>> {
    let name = prop_oneof![4 => Just("a"), 4 => Just("b"), 2 => Just("c"), 1 => Just("_total"), 1 => Just("_Average")];
    let raw = prop_oneof![12 => (0..1000_u64).prop_map(Some), 1 => Just(None)];
    let entry = (name, prop_oneof![Just(None), (0..2_u64).prop_map(Some)], vec(raw, 4));
    let sample = vec(entry, 0..5).prop_map(|all| {
        let mut entries: Vec<Entry> = Vec::new();
        for (name, id, raw) in all {
            let instance = Instance { id, ..Instance::named(name) };
            // One id is one thing, and instances with and without ids don't mix.
            let taken = |e: &Entry| {
                *e.instance.name == *name
                    && (id.is_some() || e.instance.id.is_some())
                    && (e.instance.id == id || e.instance.id.is_none() || id.is_none())
            };
            if !entries.iter().any(taken) {
                entries.push(Entry { instance, raw });
            }
        }
        Some(entries)
    });
    prop_oneof![1 => Just(None), 9 => sample]
}

/// A few tables of instances, each kept for a few samples with values that change.
pub fn populations() -> impl Strategy<Value = Vec<Option<Vec<Entry>>>> {
    let stretch = (entries(), vec(0..50_u64, 1..4)).prop_map(|(entries, steps)| {
        let mut level = 0;
        let sample = |step: u64| {
            level += step;
            let mut entries = entries.clone();
            let raw = entries.iter_mut().flatten().flat_map(|entry| &mut entry.raw).flatten();
            raw.for_each(|raw| *raw += level);
            entries
        };
        steps.into_iter().map(sample).collect::<Vec<_>>()
    });
    vec(stretch, 1..10).prop_map(|stretches| stretches.concat())
}

pub fn functions() -> impl Strategy<Value = [AggregateFunction; 3]> {
    let one = || prop_oneof![4 => prop::sample::select(&AggregateFunction::ALL[..]), 1 => Just(AggregateFunction::Undefined)];
    [one(), one(), one()]
}

pub fn aggregation() -> impl Strategy<Value = Aggregation> {
    prop_oneof![1 => Just(Aggregation::Global), 1 => Just(Aggregation::Multiple), 2 => Just(Aggregation::GlobalHistory)]
}
