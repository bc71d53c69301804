//! Helpers to build runs.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

pub mod aggregated;
pub mod census;
pub mod linked;
pub mod populations;
pub mod random_runs;
pub mod vectors;

use std::sync::Arc;

use recount_compute::{CookOptions, Cooked, CookedColumn, cook};
use recount_model::{
    Clocks, Column, CounterDef, CounterType, Formula, Instance, Multi, ObjectDef, Run, SampleTime, Second,
    Status, Timer, Timestamp,
};

/// Bytes of a raw value of a type.
pub fn len_of(word: u32) -> u32 {
    if word & 0x300 == 0x100 { 8 } else { 4 }
}

pub fn counter(name: &str, word: u32) -> CounterDef {
    CounterDef {
        name: name.into(),
        index: None,
        help: None,
        counter_type: Some(CounterType(word)),
        default_scale: 0,
        detail_level: None,
        len_value: len_of(word),
        time_base: None,
        ..CounterDef::default()
    }
}

pub fn object(counters: Vec<CounterDef>) -> Arc<ObjectDef> {
    Arc::new(ObjectDef {
        name: "Thing".into(),
        index: None,
        help: None,
        instanced: true,
        counters,
        ..ObjectDef::default()
    })
}

pub fn column(first: Vec<u64>, second: Second) -> Column {
    Column { first, second, ..Column::default() }
}

/// Instances `a`, `b`, ...
pub fn letters(count: usize) -> Vec<Instance> {
    ('a'..).take(count).map(|c| Instance::named(c.to_string())).collect()
}

/// A run whose sample `s` was taken at second `start + s`, with clocks of 1000 ticks per second.
pub fn run(
    start: usize,
    num_samples: usize,
    instances: Vec<Instance>,
    counters: Vec<CounterDef>,
    columns: Vec<Column>,
) -> Run {
    let ticks = |per_second: u64| {
        (start..start + num_samples).map(|s| 1_000_000 + s as u64 * per_second).collect::<Vec<u64>>()
    };
    Run {
        host: "WEB1".into(),
        object: object(counters),
        instances: instances.into(),
        clocks: Clocks {
            time: (start..start + num_samples).map(|s| at_second(s as i64)).collect(),
            perf_time: ticks(1000),
            perf_freq: vec![1000; num_samples],
            time_100ns: ticks(10_000_000),
            object_time: ticks(1000),
            object_freq: vec![1000; num_samples],
        },
        columns,
        faults: vec![],
    }
}

pub fn at_second(second: i64) -> SampleTime {
    SampleTime { utc: Timestamp(second * Timestamp::TICKS_PER_SECOND), offset_min: 0 }
}

pub const TICK: Second = Second::Clock(Timer::Tick);

/// The samples of a range, as a separate run.
pub fn slice(run: &Run, samples: std::ops::Range<usize>) -> Run {
    let n = run.instances.len();
    let cells = |all: &Vec<u64>| all[samples.start * n..samples.end * n].to_vec();
    // A counter list's run has no clocks.
    let ticks = |all: &Vec<u64>| all.get(samples.clone()).unwrap_or_default().to_vec();
    let clocks = &run.clocks;
    let columns = run.columns.iter().map(|column| Column {
        first: cells(&column.first),
        second: match &column.second {
            Second::Own(all) => Second::Own(cells(all)),
            other => other.clone(),
        },
        multi: match &column.multi {
            Multi::Own(all) => Multi::Own(cells(all)),
            other => other.clone(),
        },
        frequency: column.frequency,
        covers: column.covers.clone(),
        texts: column.texts.as_ref().map(|all| all[samples.start * n..samples.end * n].to_vec()),
    });
    let mut faults = run.faults.clone();
    faults.retain(|fault| samples.contains(&(fault.sample as usize)));
    for fault in &mut faults {
        fault.sample -= samples.start as u32;
    }
    Run {
        host: Arc::clone(&run.host),
        object: Arc::clone(&run.object),
        instances: Arc::clone(&run.instances),
        clocks: Clocks {
            time: clocks.time[samples.clone()].to_vec(),
            perf_time: ticks(&clocks.perf_time),
            perf_freq: ticks(&clocks.perf_freq),
            time_100ns: ticks(&clocks.time_100ns),
            object_time: ticks(&clocks.object_time),
            object_freq: ticks(&clocks.object_freq),
        },
        columns: columns.collect(),
        faults,
    }
}

pub type Bits = Vec<(usize, Vec<(u64, Status)>)>;

/// Counter, and value and status of every cell.
pub fn bits(cooked: &Cooked) -> Bits {
    let cells = |c: &CookedColumn| {
        (0..c.values.len()).map(|cell| (c.values[cell].to_bits(), c.status_at(cell))).collect()
    };
    cooked.columns.iter().map(|column| (column.counter, cells(column))).collect()
}

pub fn cook_all(run: &Run, previous: Option<&Run>) -> Cooked {
    cook(&Arc::new(run.clone()), previous, &CookOptions::default())
}

/// The values of the first counter, cell by cell.
pub fn row(run: &Run, previous: Option<&Run>) -> Vec<Result<f64, Status>> {
    let cooked = cook_all(run, previous);
    let column = &cooked.columns[0];
    (0..cooked.num_cells()).map(|cell| column.value_at(cell).ok_or(column.status_at(cell))).collect()
}

/// How far a value may be from exact rational arithmetic: 1e-12 of itself and, if a quotient is subtracted
/// from 1 (or from `m` instances), 1e-13 for each (formats/counter-types.md#to-the-bit).
pub fn tolerance(formula: Formula, exact: f64, m: f64) -> f64 {
    let is_inverse = matches!(
        formula,
        Formula::TimerInverse
            | Formula::MultiTimerInverse
            | Formula::SampleFractionInverse
            | Formula::RawFractionInverse
            | Formula::AverageInverse
    );
    1e-12 * exact.abs() + if is_inverse { 1e-13 * m.max(1.0) } else { 0.0 }
}
