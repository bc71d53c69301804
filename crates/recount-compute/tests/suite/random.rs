//! Random runs of every predefined type, compared with a simple implementation of the specification, and cut
//! into pieces.

use crate::support;

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use recount_compute::{CookOptions, cook};
use recount_model::{CounterType, Formula, Multi, PREDEFINED, Predefined, Run, Second, Status, Timer, Width};

use support::random_runs::{base_of, runs};

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

/// The difference for the width; `None` for a 64-bit value or a total that decreased.
fn advance(word: u32, earlier: i128, later: i128, is_total: bool) -> Option<i128> {
    match width(word) {
        Width::Dword => {
            let difference = (later - earlier).rem_euclid(1 << 32);
            (!is_total || difference < 1 << 31).then_some(difference)
        }
        Width::Large => Some(later - earlier).filter(|d| *d >= 0),
    }
}

/// The specification in its simplest form: exact integers, one check after the other.
fn reference(row: &Predefined, now: &Cell, before: Option<&Cell>, is_total: bool) -> Result<f64, Status> {
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
        if width(row.word) == Width::Large {
            return Ok((now.n - before.n) as f64);
        }
        return advance(row.word, before.n, now.n, is_total).map(|d| d as f64).ok_or(Status::CounterReset);
    }
    let dd = now.d - before.d;
    if row.formula.needs_clock() && dd <= 0 {
        return Err(Status::ClockNotAdvancing);
    }
    let dn = advance(row.word, before.n, now.n, is_total).ok_or(Status::CounterReset)?;
    if row.formula.needs_multi() && now.m == 0 {
        return Err(Status::NoOperations);
    }
    let db = match row.base {
        Some(base) if row.formula.needs_base() => {
            let db = advance(base, before.b, now.b, is_total).ok_or(Status::CounterReset)?;
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

/// Whether a fault removes the value: in the counter or its inputs, in this sample or, for differences, in
/// the previous one. An instance count is only used from this sample.
fn is_faulty(run: &Run, counter: usize, sample: usize, instance: usize) -> bool {
    let column = &run.columns[counter];
    let base = if let Second::Base(base) = column.second { Some(base) } else { None };
    let count = if let Multi::Base(base) = column.multi { Some(base) } else { None };
    run.faults.iter().any(|fault| {
        let (at, of) = (fault.sample as usize, Some(fault.counter as usize));
        let is_before = at + 1 == sample && PREDEFINED[counter].formula.needs_two_samples();
        let touches = of == Some(counter) || of == base;
        let takes = touches && (at == sample || is_before) || of == count && at == sample;
        takes && fault.instance as usize == instance
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
                        reference(row, &now, before.as_ref(), run.instances[instance].is_total())
                    };
                    let at = sample * run.instances.len() + instance;
                    let agrees = match expected {
                        Ok(value) => column
                            .value_at(at)
                            .is_some_and(|got| {
                                (got - value).abs() <= support::tolerance(row.formula, value, now.m as f64)
                            }),
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
