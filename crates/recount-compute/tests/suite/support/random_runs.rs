//! Random runs with a counter of every predefined type.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use recount_model::{
    CellFault, Column, CounterType, Formula, Instance, Multi, PREDEFINED, Predefined, Run, Second,
};

/// The base types come last; every counter finds its base by the word.
fn bases() -> Range<usize> {
    let is_base = |row: &Predefined| row.formula == Formula::Base;
    PREDEFINED.iter().position(is_base).expect("bases")..PREDEFINED.len()
}

pub fn base_of(row: &Predefined) -> Option<usize> {
    row.base.map(|word| bases().find(|at| PREDEFINED[*at].word == word).expect("base type"))
}

/// Raw values around every limit of the arithmetic.
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

/// A run with a counter of every predefined type; the last of several instances is a total.
pub fn runs() -> impl Strategy<Value = Run> {
    // Few and many instances use different loops.
    (prop_oneof![9 => 1..4_usize, 1 => 32..35_usize], 1..7_usize).prop_flat_map(|(instances, samples)| {
        let cells = vec(vec(raw_value(), instances * samples), PREDEFINED.len());
        let counts = vec(prop_oneof![0..65_u64, 0..=u64::from(u32::MAX)], instances * samples);
        // The start of each clock, and its steps.
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
    let counters = PREDEFINED.iter().map(|row| super::counter(row.name, row.word)).collect();
    let samples = counts.len() / instances;
    let mut names = super::letters(instances);
    if let [_, .., last] = &mut names[..] {
        *last = Instance::named("0,_Total");
    }
    super::run(0, samples, names, counters, columns.collect())
}
