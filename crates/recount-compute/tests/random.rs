//! Random runs of every predefined type: against a plain reading of the specification, and cut into pieces.

mod support;

use std::ops::Range;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use recount_compute::{CookOptions, cook};
use recount_model::{
    CellFault, Column, CounterType, Formula, Multi, PREDEFINED, Predefined, Run, Second, Status, Timer, Width,
};

/// The base types come last; every counter finds its base by the word.
fn bases() -> Range<usize> {
    let is_base = |row: &Predefined| row.formula == Formula::Base;
    PREDEFINED.iter().position(is_base).expect("bases")..PREDEFINED.len()
}

fn base_of(row: &Predefined) -> Option<usize> {
    row.base.map(|word| bases().find(|at| PREDEFINED[*at].word == word).expect("base type"))
}

/// Raw values around every limit that the arithmetic has.
fn raw_value() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0..4_u64,
        8 => 1_000_000..1_000_000_000_000_u64,
        2 => (1_u64 << 32) - 3..(1_u64 << 32) + 3,
        2 => (1_u64 << 51) - 3..(1_u64 << 51) + 3,
        1 => (1_u64 << 63) - 3..(1_u64 << 63) + 3,
        1 => u64::MAX - 2..=u64::MAX,
        2 => any::<u64>(),
    ]
}

/// A step of a clock.
fn step() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => 1..100_000_000_u64,
        1 => Just(0),
        1 => Just(1 << 52),
        1 => Just(u64::MAX - 999),
    ]
}

fn frequency() -> impl Strategy<Value = u64> {
    prop_oneof![6 => Just(10_000_000_u64), 1 => Just(0), 2 => 1..5_000_000_000_u64]
}

/// A run with a counter of every predefined type.
fn runs() -> impl Strategy<Value = Run> {
    // Few instances and many go through different loops.
    (prop_oneof![9 => 1..4_usize, 1 => 32..35_usize], 1..7_usize).prop_flat_map(|(instances, samples)| {
        let cells = vec(vec(raw_value(), instances * samples), PREDEFINED.len());
        let counts = vec(prop_oneof![0..65_u64, 0..=u64::from(u32::MAX)], instances * samples);
        // Where each clock begins, and its steps.
        let begin = prop_oneof![Just(1_u64 << 60), Just(0)];
        let clocks = vec((begin, vec(step(), samples)), 3);
        let frequencies = vec(vec(frequency(), samples), 2);
        let fault = (0..samples as u32, 0..PREDEFINED.len() as u32, 0..instances as u32);
        (Just(instances), cells, counts, clocks, frequencies, vec(fault, 0..4), any::<bool>()).prop_map(
            |(instances, cells, counts, clocks, frequencies, faults, own)| {
                let mut run = build(instances, &cells, &counts, own);
                let walk = |(begin, steps): &(u64, Vec<u64>)| {
                    let sum = |at: &mut u64, step: &u64| {
                        *at = at.wrapping_add(*step);
                        Some(*at)
                    };
                    steps.iter().scan(*begin, sum).collect::<Vec<u64>>()
                };
                run.clocks.perf_time = walk(&clocks[0]);
                run.clocks.time_100ns = walk(&clocks[1]);
                run.clocks.object_time = walk(&clocks[2]);
                run.clocks.perf_freq.clone_from(&frequencies[0]);
                run.clocks.object_freq.clone_from(&frequencies[1]);
                let fault = |(sample, counter, instance)| CellFault { sample, counter, instance };
                run.faults = faults.into_iter().map(fault).collect();
                run
            },
        )
    })
}

fn build(instances: usize, cells: &[Vec<u64>], counts: &[u64], own: bool) -> Run {
    let columns = PREDEFINED.iter().zip(cells).map(|(row, first)| {
        let base = base_of(row);
        let is_multi = row.formula.needs_multi();
        let base_cells = |base: usize| if is_multi { counts.to_vec() } else { cells[base].clone() };
        let clock = row.clock.map_or(Second::None, Second::Clock);
        let (second, multi) = match base {
            None => (clock, Multi::None),
            Some(base) if is_multi && own => (clock, Multi::Own(base_cells(base))),
            Some(base) if is_multi => (clock, Multi::Base(base)),
            Some(base) if own => (Second::Own(base_cells(base)), Multi::None),
            Some(base) => (Second::Base(base), Multi::None),
        };
        let first = if CounterType(row.word).is_multi() && row.formula == Formula::Base {
            counts.to_vec()
        } else {
            first.clone()
        };
        Column { first, second, multi, ..Column::default() }
    });
    let counters = PREDEFINED.iter().map(|row| support::counter(row.name, row.word)).collect();
    let samples = counts.len() / instances;
    support::run(0, samples, support::letters(instances), counters, columns.collect())
}

/// The inputs of a cell, as the specification names them.
struct Cell {
    n: i128,
    b: i128,
    m: i128,
    d: i128,
    f: i128,
}

fn width(word: u32) -> Width {
    CounterType(word).width(8)
}

fn masked(value: u64, word: u32) -> i128 {
    if width(word) == Width::Dword { i128::from(value as u32) } else { i128::from(value) }
}

fn cell(run: &Run, counter: usize, sample: usize, instance: usize) -> Cell {
    let row = &PREDEFINED[counter];
    let at = sample * run.instances.len() + instance;
    let base = base_of(row).map(|base| masked(run.columns[base].first[at], PREDEFINED[base].word));
    let (clock, frequency) = match row.clock {
        Some(Timer::Tick) => (run.clocks.perf_time[sample], run.clocks.perf_freq[sample]),
        Some(Timer::HundredNs) => (run.clocks.time_100ns[sample], 10_000_000),
        Some(Timer::Object) => (run.clocks.object_time[sample], run.clocks.object_freq[sample]),
        None => (0, 1),
    };
    Cell {
        n: masked(run.columns[counter].first[at], row.word),
        b: base.unwrap_or(0),
        m: base.unwrap_or(1),
        d: i128::from(clock),
        f: i128::from(frequency),
    }
}

fn quotient(numerator: i128, denominator: i128) -> f64 {
    numerator as f64 / denominator as f64
}

/// The difference as the width has it; `None` for a 64-bit value that went down.
fn advance(word: u32, earlier: i128, later: i128) -> Option<i128> {
    match width(word) {
        Width::Dword => Some((later - earlier).rem_euclid(1 << 32)),
        Width::Large => Some(later - earlier).filter(|d| *d >= 0),
    }
}

/// The specification, read as plainly as can be: exact integers, one question after the other.
fn reference(row: &Predefined, now: &Cell, before: Option<&Cell>) -> Result<f64, Status> {
    let needs_frequency = matches!(row.formula, Formula::Rate | Formula::AverageTimer | Formula::Elapsed);
    if needs_frequency && now.f == 0 {
        return Err(Status::InvalidData);
    }
    match row.formula {
        Formula::NotANumber | Formula::Base => return Err(Status::NotANumber),
        Formula::RawCount => return Ok(now.n as f64),
        Formula::RawFraction if now.b == 0 => return Err(Status::NoOperations),
        Formula::RawFraction => return Ok(quotient(100 * now.n, now.b)),
        Formula::Elapsed if now.n > now.d => return Err(Status::NegativeElapsed),
        Formula::Elapsed => return Ok(quotient(now.d - now.n, now.f)),
        _ => {}
    }
    let before = before.ok_or(Status::FirstSample)?;
    if row.formula == Formula::Delta {
        let dword = width(row.word) == Width::Dword;
        let d = now.n - before.n;
        return Ok(if dword { d.rem_euclid(1 << 32) } else { d } as f64);
    }
    let dd = now.d - before.d;
    if row.formula.needs_clock() && dd <= 0 {
        return Err(Status::ClockNotAdvancing);
    }
    let dn = advance(row.word, before.n, now.n).ok_or(Status::CounterReset)?;
    if row.formula.needs_multi() && now.m == 0 {
        return Err(Status::NoOperations);
    }
    let db = match row.base {
        Some(base) if row.formula.needs_base() => {
            let db = advance(base, before.b, now.b).ok_or(Status::CounterReset)?;
            if db == 0 {
                return Err(Status::NoOperations);
            }
            db
        }
        _ => 0,
    };
    Ok(match row.formula {
        Formula::Rate => quotient(dn * now.f, dd),
        Formula::Timer => quotient(100 * dn, dd),
        Formula::TimerInverse => quotient(100 * (dd - dn), dd),
        Formula::MultiTimer => quotient(100 * dn, dd * now.m),
        Formula::MultiTimerInverse => quotient(100 * (now.m * dd - dn), dd),
        Formula::QueueLength => quotient(dn, dd),
        Formula::SampleFraction | Formula::PrecisionTimer => quotient(100 * dn, db),
        Formula::AverageTimer => quotient(dn, now.f * db),
        Formula::AverageBulk => quotient(dn, db),
        other => unreachable!("{other:?}"),
    })
}

/// Whether a fault takes the value away: in the counter or what it is computed with, now or, for two-sample
/// types, before.
fn is_faulty(run: &Run, counter: usize, sample: usize, instance: usize) -> bool {
    let column = &run.columns[counter];
    let base = match (&column.second, &column.multi) {
        (Second::Base(base), _) | (_, Multi::Base(base)) => Some(*base),
        _ => None,
    };
    run.faults.iter().any(|fault| {
        let at = fault.sample as usize;
        let in_reach = at == sample || at + 1 == sample && PREDEFINED[counter].formula.needs_two_samples();
        let touches = fault.counter as usize == counter || Some(fault.counter as usize) == base;
        in_reach && touches && fault.instance as usize == instance
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn kernels_agree_with_a_plain_reading(run in runs()) {
        let run = Arc::new(run);
        let options = CookOptions { keep_raw: true, ..CookOptions::default() };
        let cooked = cook(&run, None, &options);
        prop_assert_eq!(cooked.columns.len(), PREDEFINED.len());
        for column in &cooked.columns {
            let row = &PREDEFINED[column.counter];
            prop_assert_eq!(column.values.len(), run.num_cells());
            for sample in 0..run.num_samples() {
                for instance in 0..run.instances.len() {
                    let now = cell(&run, column.counter, sample, instance);
                    let before = (sample > 0).then(|| cell(&run, column.counter, sample - 1, instance));
                    let expected = if is_faulty(&run, column.counter, sample, instance) {
                        Err(Status::InvalidData)
                    } else {
                        reference(row, &now, before.as_ref())
                    };
                    let at = sample * run.instances.len() + instance;
                    let agrees = match expected {
                        Ok(value) => column
                            .value_at(at)
                            .is_some_and(|got| (got - value).abs() <= 1e-12 * value.abs()),
                        Err(status) => column.status_at(at) == status && column.values[at].to_bits() == 0,
                    };
                    prop_assert!(
                        agrees,
                        "{} sample {sample} instance {instance}: expected {expected:?}, got {:?} {}",
                        row.name, column.values[at], column.status_at(at)
                    );
                }
            }
        }
    }

    #[test]
    fn a_run_cut_anywhere_cooks_the_same(run in runs(), cuts in vec(0..7_usize, 0..4)) {
        let options = CookOptions::default();
        let n = run.instances.len();
        let mut edges: Vec<usize> = cuts.into_iter().map(|cut| cut.min(run.num_samples())).collect();
        edges.extend([0, run.num_samples()]);
        edges.sort_unstable();
        edges.dedup();
        let whole = cook(&Arc::new(run.clone()), None, &options);
        let mut previous: Option<Run> = None;
        for edge in edges.windows(2) {
            let part = support::slice(&run, edge[0]..edge[1]);
            let cooked = cook(&Arc::new(part.clone()), previous.as_ref(), &options);
            prop_assert_eq!(&cooked.interval_s[..], &whole.interval_s[edge[0]..edge[1]]);
            prop_assert_eq!(&cooked.continued, &vec![previous.is_some(); n]);
            for (got, expected) in cooked.columns.iter().zip(&whole.columns) {
                for cell in 0..cooked.num_cells() {
                    let there = edge[0] * n + cell;
                    prop_assert_eq!(got.status_at(cell), expected.status_at(there));
                    prop_assert_eq!(got.values[cell].to_bits(), expected.values[there].to_bits());
                }
            }
            previous = Some(part);
        }
    }
}
