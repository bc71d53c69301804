//! The library's values of a capture, from one pass over everything.

use std::collections::BTreeMap;
use std::path::PathBuf;

use recount::{Capture, NameTable, Timeline};
use recount_compute::{Cooked, Landmarks, PipelineOptions, Stretch};
use recount_model::{CounterPath, Instance, Status};

/// A cell of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    /// 100 ns.
    pub(crate) time: i64,
    pub(crate) value: Option<f64>,
    pub(crate) status: Status,
    pub(crate) weight: f64,
}

/// Every cell by its series.
pub(crate) type Known = BTreeMap<String, Vec<Cell>>;

pub(crate) fn open(paths: &[PathBuf]) -> Vec<Capture> {
    recount::open_all(paths, &NameTable::new()).expect("captures")
}

pub(crate) fn cooked(paths: &[PathBuf]) -> Vec<Cooked> {
    let timeline = Timeline::whole(&open(paths)).expect("one time line");
    let (landmarks, options) = (Landmarks::default(), PipelineOptions::default());
    let whole = Stretch::all(timeline.inputs(), &landmarks);
    whole.batches(&options).flat_map(|(batch, _)| batch).collect()
}

pub(crate) fn known(paths: &[PathBuf]) -> Known {
    known_as(paths, |cooked, instance, counter| {
        let shown = cooked.object.instanced.then_some(instance);
        CounterPath::of(&cooked.host, &cooked.object.name, shown, counter).to_string()
    })
}

/// By the ids of processes, which have one each.
pub(crate) fn known_by_id(paths: &[PathBuf]) -> Known {
    known_as(paths, |_, instance, counter| format!(r"{}\{counter}", instance.id.unwrap_or_default()))
}

fn known_as(paths: &[PathBuf], key: impl Fn(&Cooked, &Instance, &str) -> String) -> Known {
    let mut known = Known::new();
    for cooked in cooked(paths) {
        for column in &cooked.columns {
            for (at, instance) in cooked.instances.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                let counter = &cooked.object.counters[column.counter].name;
                let series = known.entry(key(&cooked, instance, counter)).or_default();
                for sample in 0..cooked.num_samples() {
                    let cell = sample * cooked.instances.len() + at;
                    series.push(Cell {
                        time: cooked.times[sample].utc.0,
                        value: column.value_at(cell),
                        status: column.status_at(cell),
                        weight: cooked.weight_of(sample, at),
                    });
                }
            }
        }
    }
    known
}

/// Minimum, mean over time and maximum, computed in the simplest way.
pub(crate) fn figures<'a>(cells: impl Iterator<Item = &'a Cell>) -> Option<[f64; 3]> {
    let cells: Vec<(f64, f64)> = cells.filter_map(|cell| Some((cell.value?, cell.weight))).collect();
    let (min, max) = cells.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), (value, _)| {
        (min.min(*value), max.max(*value))
    });
    let weight: f64 = cells.iter().map(|(_, weight)| weight).sum();
    let mean = if weight > 0.0 {
        cells.iter().map(|(value, weight)| value * weight).sum::<f64>() / weight
    } else {
        cells.iter().map(|(value, _)| value).sum::<f64>() / cells.len() as f64
    };
    (!cells.is_empty()).then_some([min, mean, max])
}

/// Whether values are the same. JSON holds them exactly, but the parser of these tests may be off by the last
/// bit.
pub(crate) fn is_same(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.to_bits().abs_diff(other.to_bits()) <= 1,
        (one, other) => one.is_none() == other.is_none(),
    }
}

pub(crate) fn are_same(some: &[Option<f64>], others: &[Option<f64>]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| is_same(*one, *other))
}

pub(crate) fn is_close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}
