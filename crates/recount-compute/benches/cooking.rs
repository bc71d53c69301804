//! How fast each formula class cooks, compared with the simplest possible loop.
//!
//! The baseline is `(n1 - n0) / (d1 - d0)` over four arrays of `f64` into a new one. Both are medians of many
//! runs; the ratio is the time per value divided by the baseline's, so below 1 is faster. Run with `cargo
//! bench -p recount-compute --bench cooking`.
#![expect(clippy::print_stdout, reason = "prints its results")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recount_compute::{CookOptions, cook};
use recount_model::{
    Clocks, Column, CounterDef, CounterType, Instance, Multi, ObjectDef, Run, SampleTime, Second, Timer,
    Timestamp,
};

/// Instances, samples, counters. The fixed cost of a run (times, intervals) is spread over its counters, so
/// the thin runs have several, like every real object.
const SHAPES: [(usize, usize, usize); 4] = [(300, 200, 1), (300, 200, 8), (1, 60_000, 8), (8, 7_500, 8)];

/// Class, type word, word of the base, form of the second value.
const CLASSES: [(&str, u32, Option<u32>, Form); 17] = [
    ("rate, 32 bits", 0x1041_0400, None, Form::Clock),
    ("rate, 64 bits", 0x1041_0500, None, Form::Clock),
    ("rate, own clocks", 0x1041_0500, None, Form::OwnClock),
    ("timer", 0x2051_0500, None, Form::Clock),
    ("timer, inverse", 0x2151_0500, None, Form::Clock),
    ("timer, own clocks", 0x2051_0500, None, Form::OwnClock),
    ("multi timer", 0x2251_0500, Some(0x4203_0500), Form::Clock),
    ("multi timer, inverse", 0x2351_0500, Some(0x4203_0500), Form::Clock),
    ("queue length", 0x0045_0500, None, Form::Clock),
    ("sample fraction", 0x20C2_0400, Some(0x4003_0401), Form::Base),
    ("average timer", 0x3002_0400, Some(0x4003_0402), Form::Base),
    ("average bulk", 0x4002_0500, Some(0x4003_0402), Form::Base),
    ("precision timer", 0x2057_0500, Some(0x4003_0500), Form::Base),
    ("raw fraction", 0x2002_0500, Some(0x4003_0500), Form::Base),
    ("elapsed", 0x3024_0500, None, Form::Clock),
    ("delta", 0x0040_0500, None, Form::Clock),
    ("raw count", 0x0001_0100, None, Form::Clock),
];

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Clock,
    OwnClock,
    Base,
}

fn main() {
    // glibc returns memory to the system above a limit that grows with the largest block freed so far. Fresh
    // pages would cost several times the arithmetic, here and in the baseline, and hide what is measured.
    drop(black_box(vec![1_u8; 24 << 20]));
    for (instances, samples, counters) in SHAPES {
        let cells = instances * samples;
        let values = cells * counters;
        let baseline = baseline(cells, counters);
        println!("\n{instances} instances x {samples} samples, {counters} counter(s)");
        println!("{:<24}{:>12}{:>9}", "class", "Mvalues/s", "ratio");
        row("plain f64 loop", values, baseline, baseline);
        for (name, word, base, form) in CLASSES {
            let run = Arc::new(run((instances, samples, counters), word, base, form));
            let options = CookOptions::default();
            let time = median(|| {
                black_box(cook(black_box(&run), None, &options));
            });
            row(name, values, time, baseline);
        }
    }
}

fn row(name: &str, cells: usize, time: Duration, baseline: Duration) {
    let per_second = cells as f64 / time.as_secs_f64() / 1e6;
    println!("{name:<24}{per_second:>12.0}{:>9.2}", time.as_secs_f64() / baseline.as_secs_f64());
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times = Vec::new();
    let begun = Instant::now();
    while times.len() < 15 || begun.elapsed() < Duration::from_millis(200) {
        let start = Instant::now();
        work();
        times.push(start.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}

/// Every counter has its own numerators; the divisors are shared, like clocks and bases.
fn baseline(cells: usize, counters: usize) -> Duration {
    let rising = |by: f64| (0..cells).map(|i| 1e6 + i as f64 * by).collect::<Vec<f64>>();
    let numerators: Vec<_> = (0..counters).map(|_| (rising(3.0), rising(3.5))).collect();
    let (d0, d1) = (rising(5.0), rising(7.0));
    median(|| {
        let one = |(n0, n1): &(Vec<f64>, Vec<f64>)| {
            let cells = black_box(n0).iter().zip(n1).zip(black_box(&d0).iter().zip(&d1));
            cells.map(|((n0, n1), (d0, d1))| (n1 - n0) / (d1 - d0)).collect::<Vec<f64>>()
        };
        black_box(numerators.iter().map(one).collect::<Vec<_>>());
    })
}

fn run(shape: (usize, usize, usize), word: u32, base: Option<u32>, form: Form) -> Run {
    let (instances, samples, counters) = shape;
    let per_sample = |by: u64| (0..samples as u64).map(|s| 1_000_000 + s * by).collect::<Vec<u64>>();
    let per_cell = |by: u64| {
        let cell = |c: usize| (1000 + (c % instances) * 77 + c / instances * by as usize) as u64;
        (0..samples * instances).map(cell).collect::<Vec<u64>>()
    };
    let timer = CounterType(word).recipe(8).clock.unwrap_or(Timer::Tick);
    let is_multi = CounterType(word).is_multi();
    let counted = |_| Column {
        first: per_cell(123_457),
        second: match form {
            Form::Clock => Second::Clock(timer),
            Form::OwnClock => Second::Own(per_cell(10_000_000)),
            Form::Base => Second::Base(counters),
        },
        multi: if is_multi { Multi::Base(counters) } else { Multi::None },
        ..Column::default()
    };
    let base_cells = || if is_multi { vec![4; samples * instances] } else { per_cell(10_001) };
    let bases = base.map(|_| Column { first: base_cells(), ..Column::default() });
    let words = std::iter::repeat_n(word, counters).chain(base);
    Run {
        host: "HOST".into(),
        object: Arc::new(ObjectDef {
            name: "Object".into(),
            index: None,
            help: None,
            instanced: true,
            counters: words.map(counter).collect(),
            ..ObjectDef::default()
        }),
        instances: (0..instances).map(|i| Instance::named(format!("instance {i}"))).collect(),
        clocks: clocks(per_sample(10_000_000)),
        columns: (0..counters).map(counted).chain(bases).collect(),
        faults: vec![],
    }
}

fn clocks(ticks: Vec<u64>) -> Clocks {
    Clocks {
        time: ticks.iter().map(|t| sample_time(*t)).collect(),
        perf_freq: vec![10_000_000; ticks.len()],
        time_100ns: ticks.clone(),
        // Late enough for every start time.
        object_time: ticks.iter().map(|t| t + 100_000_000_000).collect(),
        object_freq: vec![10_000_000; ticks.len()],
        perf_time: ticks,
    }
}

fn sample_time(ticks: u64) -> SampleTime {
    SampleTime { utc: Timestamp(ticks as i64), offset_min: 0 }
}

fn counter(word: u32) -> CounterDef {
    CounterDef {
        name: format!("{word:#x}").into(),
        index: None,
        help: None,
        counter_type: Some(CounterType(word)),
        default_scale: 0,
        detail_level: None,
        len_value: if word & 0x100 == 0 { 4 } else { 8 },
        time_base: None,
        ..CounterDef::default()
    }
}
