//! How much of a line is used.

use crate::support;

use recount_model::{CellFault, CounterDef, Formula, Multi, Run, Second, Status, Timer, Width};

use support::{column, counter, row};

const BUSY: u32 = 0x2041_0500;
const LARGE_BASE: u32 = 0x4003_0500;
const HALF: u64 = 100 << 8 | 1;
const FULL: u64 = 100 << 8 | 2;

/// Samples a second apart, each with the bytes received and sent in 1 % of a second at 100 Mbit/s, and the line.
fn run(samples: &[[u64; 3]]) -> Run {
    const BYTES: u64 = 125_000;
    let of = |at: usize, factor: u64| samples.iter().map(|sample| sample[at] * factor).collect::<Vec<u64>>();
    let received =
        CounterDef { own_formula: Some(Formula::LineUse), width: Some(Width::Large), ..counter("use", BUSY) };
    let mut first = column(of(0, BYTES), Second::Base(1));
    first.multi = Multi::Base(2);
    let counters = vec![received, counter("sent", LARGE_BASE), counter("line", LARGE_BASE)];
    let columns = vec![first, column(of(1, BYTES), Second::None), column(of(2, 1), Second::None)];
    support::run(0, samples.len(), support::letters(1), counters, columns)
}

#[test]
fn the_busier_direction_counts_or_both() {
    let found = row(&run(&[[0, 0, FULL], [5, 3, FULL], [6, 9, FULL], [7, 9, HALF], [9, 13, HALF]]), None);
    assert_eq!(found, [Err(Status::FirstSample), Ok(5.0), Ok(6.0), Ok(1.0), Ok(6.0)]);
}

#[test]
fn what_has_no_value() {
    let reset = Err(Status::CounterReset);
    let found = row(&run(&[[5, 5, FULL], [4, 6, FULL], [5, 5, FULL], [6, 6, 2], [7, 7, FULL]]), None);
    assert_eq!(found, [Err(Status::FirstSample), reset, reset, Err(Status::NoOperations), Ok(1.0)]);
    let mut standing = run(&[[0, 0, FULL], [1, 0, FULL], [2, 0, FULL]]);
    standing.clocks.perf_time[1] = standing.clocks.perf_time[0];
    assert_eq!(row(&standing, None)[1], Err(Status::ClockNotAdvancing));
    // Of the bytes sent, which the next sample needs, too.
    let mut lost = run(&[[0, 0, FULL], [1, 0, FULL], [2, 0, FULL], [3, 0, FULL]]);
    lost.faults.push(CellFault { sample: 1, counter: 1, instance: 0 });
    let invalid = Err(Status::InvalidData);
    assert_eq!(row(&lost, None)[1..], [invalid, invalid, Ok(1.0)]);
    // Without the number of the line, or its clock, nothing is known.
    let mut without = run(&[[0, 0, FULL], [1, 0, FULL]]);
    without.columns[0].multi = Multi::None;
    assert_eq!(row(&without, None), [invalid, invalid]);
    let mut without = run(&[[0, 0, FULL], [1, 0, FULL]]);
    without.columns[0].second = Second::Clock(Timer::Tick);
    assert_eq!(row(&without, None), [invalid, invalid]);
}

#[test]
fn cutting_changes_nothing() {
    let whole = run(&[[0, 0, FULL], [5, 3, HALF], [6, 9, FULL], [5, 9, HALF], [9, 13, HALF], [9, 99, FULL]]);
    for cut in 0..=6 {
        let (before, after) = (support::slice(&whole, 0..cut), support::slice(&whole, cut..6));
        let before = (cut > 0).then_some(&before);
        assert_eq!(row(&after, before), row(&whole, None)[cut..], "{cut}");
    }
}
