//! Every composition of the Windows NT resource kit: the rows of table 12.4 and the fields of table 12.3, as words put
//! together from their fields. Values are computed by hand, as exact fractions.

use crate::support;

use std::sync::Arc;

use recount_compute::{CookOptions, cook};
use recount_model::{Column, CounterType, Multi, Run, Second, Status};
use support::{column, counter, letters, run};

const LARGE: u32 = 0x100;
const SIZE_ZERO: u32 = 0x200;
const VARIABLE_LEN: u32 = 0x300;
const DWORD: u32 = 0;
const NUMBER: u32 = 0;
const COUNTER: u32 = 0x400;
const TEXT: u32 = 0x800;
const ZERO: u32 = 0xC00;
const HEX: u32 = 0;
const DECIMAL: u32 = 0x1_0000;
const DEC_1000: u32 = 0x2_0000;
const VALUE: u32 = 0;
const RATE: u32 = 0x1_0000;
const FRACTION: u32 = 0x2_0000;
const BASE: u32 = 0x3_0000;
const ELAPSED: u32 = 0x4_0000;
const QUEUELEN: u32 = 0x5_0000;
const HISTOGRAM: u32 = 0x6_0000;
const UNICODE: u32 = 0;
const ASCII: u32 = 0x1_0000;
const TICK: u32 = 0;
const TIMER_100NS: u32 = 0x10_0000;
const OBJECT_TIMER: u32 = 0x20_0000;
const DELTA: u32 = 0x40_0000;
const DELTA_BASE: u32 = 0x80_0000;
const INVERSE: u32 = 0x100_0000;
const MULTI: u32 = 0x200_0000;
const NO_SUFFIX: u32 = 0;
const PER_SEC: u32 = 0x1000_0000;
const PERCENT: u32 = 0x2000_0000;
const SECONDS: u32 = 0x3000_0000;
const NOSHOW: u32 = 0x4000_0000;

/// The samples of every case: a second apart, 1000 ticks of the block's and of the object's clock.
const N: [u64; 2] = [1000, 1500];
const B: [u64; 2] = [10, 20];

/// A value as numerator and denominator; or why there is none.
type Expected = Result<(i64, i64), Status>;

#[expect(clippy::unnecessary_wraps, reason = "the cells of a table")]
fn is(numerator: i64, denominator: i64) -> Expected {
    Ok((numerator, denominator))
}

const NONE: Expected = Err(Status::NotANumber);

/// Table 12.4, in its order: word, value of the second sample, unit.
fn predefined() -> Vec<(&'static str, u32, Expected, &'static str)> {
    let timer = LARGE | COUNTER | RATE | DELTA | PERCENT;
    vec![
        ("COUNTER_COUNTER", DWORD | COUNTER | RATE | TICK | DELTA | PER_SEC, is(500, 1), "/sec"),
        ("COUNTER_TIMER", timer | TICK, is(50, 1), "%"),
        ("COUNTER_QUEUELEN_TYPE", DWORD | COUNTER | QUEUELEN | TICK | DELTA | NO_SUFFIX, is(1, 2), ""),
        ("COUNTER_BULK_COUNT", LARGE | COUNTER | RATE | TICK | DELTA | PER_SEC, is(500, 1), "/sec"),
        ("COUNTER_TEXT", VARIABLE_LEN | TEXT | UNICODE | NO_SUFFIX, NONE, ""),
        ("COUNTER_RAWCOUNT", DWORD | NUMBER | DECIMAL | NO_SUFFIX, is(1500, 1), ""),
        ("SAMPLE_FRACTION", DWORD | COUNTER | FRACTION | DELTA | DELTA_BASE | PERCENT, is(5000, 1), "%"),
        ("SAMPLE_COUNTER", DWORD | COUNTER | RATE | TICK | DELTA | NO_SUFFIX, is(500, 1), ""),
        ("COUNTER_NODATA", SIZE_ZERO | NOSHOW, NONE, ""),
        ("COUNTER_TIMER_INV", timer | TICK | INVERSE, is(50, 1), "%"),
        ("SAMPLE_BASE", DWORD | COUNTER | BASE | NOSHOW, NONE, ""),
        ("AVERAGE_TIMER", LARGE | COUNTER | FRACTION | SECONDS, is(5, 100), "sec"),
        ("AVERAGE_BASE", DWORD | COUNTER | BASE | NOSHOW, NONE, ""),
        ("AVERAGE_BULK", LARGE | COUNTER | FRACTION | NO_SUFFIX, is(50, 1), ""),
        ("100NSEC_TIMER", timer | TIMER_100NS, is(5, 1000), "%"),
        ("100NSEC_TIMER_INV", timer | TIMER_100NS | INVERSE, is(99_995, 1000), "%"),
        ("COUNTER_MULTI_TIMER", timer | TICK | MULTI, is(25, 10), "%"),
        // The kit: 100 (1 - r / B1), which is 97.5.
        ("COUNTER_MULTI_TIMER_INV", timer | TICK | MULTI | INVERSE, is(1950, 1), "%"),
        ("COUNTER_MULTI_BASE", LARGE | COUNTER | BASE | MULTI | NOSHOW, NONE, ""),
        ("100NSEC_MULTI_TIMER", timer | TIMER_100NS | MULTI, is(25, 100_000), "%"),
        ("100NSEC_MULTI_TIMER_INV", timer | TIMER_100NS | MULTI | INVERSE, is(1_999_995, 1000), "%"),
        ("RAW_FRACTION", DWORD | COUNTER | FRACTION | PERCENT, is(7500, 1), "%"),
        ("RAW_BASE", DWORD | COUNTER | BASE | NOSHOW, NONE, ""),
        ("ELAPSED_TIME", LARGE | COUNTER | ELAPSED | OBJECT_TIMER | SECONDS, is(9995, 10), "sec"),
    ]
}

/// What the fields of table 12.3 say together, beyond table 12.4.
fn by_fields() -> Vec<(&'static str, u32, Expected, &'static str)> {
    let fraction = COUNTER | FRACTION;
    let differences = fraction | DELTA | DELTA_BASE;
    vec![
        ("hexadecimal", LARGE | NUMBER | HEX, is(1500, 1), ""),
        ("a number in percent", LARGE | NUMBER | DECIMAL | PERCENT, is(1500, 1), "%"),
        ("a number that isn't to be shown", DWORD | NUMBER | DECIMAL | NOSHOW, is(1500, 1), ""),
        ("number/1000", DWORD | NUMBER | DEC_1000, is(15, 10), ""),
        ("number/1000, 64 bits", LARGE | NUMBER | DEC_1000, is(15, 10), ""),
        ("a number with its size in front", VARIABLE_LEN | NUMBER | DECIMAL, is(1500, 1), ""),
        ("a number of the definition's size", SIZE_ZERO | NUMBER | DECIMAL, is(1500, 1), ""),
        ("difference of a number", DWORD | NUMBER | DECIMAL | DELTA, NONE, ""),
        ("inverse number", DWORD | NUMBER | DECIMAL | INVERSE, NONE, ""),
        ("no such number", DWORD | NUMBER | 0x3_0000, NONE, ""),
        ("zero", DWORD | ZERO, is(0, 1), ""),
        ("zero of a size unknown", SIZE_ZERO | ZERO | PERCENT, is(0, 1), "%"),
        ("text in a code page", VARIABLE_LEN | TEXT | ASCII, NONE, ""),
        ("difference", DWORD | COUNTER | VALUE | DELTA, is(500, 1), ""),
        ("difference without the flag", DWORD | COUNTER | VALUE, is(500, 1), ""),
        ("difference without the flag, 64 bits", LARGE | COUNTER | VALUE | PER_SEC, is(500, 1), "/sec"),
        ("inverse difference", DWORD | COUNTER | VALUE | INVERSE, NONE, ""),
        ("rate without the flag", DWORD | COUNTER | RATE | PER_SEC, is(500, 1), "/sec"),
        ("timer without the flag", LARGE | COUNTER | RATE | PERCENT, is(50, 1), "%"),
        ("timer of 32 bits", DWORD | COUNTER | RATE | DELTA | PERCENT, is(50, 1), "%"),
        ("rate of 100 ns", LARGE | COUNTER | RATE | TIMER_100NS | DELTA, is(500, 1), ""),
        (
            "rate of the object's clock",
            LARGE | COUNTER | RATE | OBJECT_TIMER | DELTA | PER_SEC,
            is(500, 1),
            "/sec",
        ),
        (
            "inverse timer of the object's clock",
            LARGE | COUNTER | RATE | OBJECT_TIMER | DELTA | INVERSE | PERCENT,
            is(50, 1),
            "%",
        ),
        ("rate of several instances", LARGE | COUNTER | RATE | DELTA | MULTI | PER_SEC, is(25, 1), "/sec"),
        ("inverse rate", LARGE | COUNTER | RATE | DELTA | INVERSE | PER_SEC, NONE, "/sec"),
        ("rate of an undocumented clock", LARGE | COUNTER | RATE | 0x30_0000 | DELTA, NONE, ""),
        ("average with the flags", LARGE | differences, is(50, 1), ""),
        ("average of 32 bits", DWORD | fraction, is(50, 1), ""),
        ("average per second", LARGE | fraction | PER_SEC, is(50, 1), "/sec"),
        ("average with one flag", LARGE | fraction | DELTA, is(50, 1), ""),
        ("average that isn't to be shown", DWORD | fraction | NOSHOW, is(50, 1), ""),
        ("average time in 100 ns", LARGE | fraction | TIMER_100NS | SECONDS, is(5, 1_000_000), "sec"),
        ("inverse average", LARGE | fraction | INVERSE, is(-49, 1), ""),
        ("fraction of 64-bit differences", LARGE | differences | PERCENT, is(5000, 1), "%"),
        ("inverse fraction of differences", DWORD | differences | INVERSE | PERCENT, is(-4900, 1), "%"),
        ("inverse raw fraction", DWORD | fraction | INVERSE | PERCENT, is(-7400, 1), "%"),
        ("percentage of one difference", DWORD | fraction | DELTA | PERCENT, NONE, "%"),
        ("fraction of several instances", DWORD | fraction | MULTI | PERCENT, NONE, "%"),
        ("elapsed ticks", LARGE | COUNTER | ELAPSED | TICK | SECONDS, is(9995, 10), "sec"),
        ("inverse queue length", DWORD | COUNTER | QUEUELEN | DELTA | INVERSE, NONE, ""),
        ("histogram", DWORD | COUNTER | HISTOGRAM, NONE, ""),
    ]
}

/// A counter and its base over two samples, linked as in a block.
fn composed(word: u32, n: [u64; 2]) -> Run {
    let recipe = CounterType(word).recipe(if word & 0x300 == LARGE { 8 } else { 4 });
    let second = match recipe.clock {
        _ if recipe.formula.needs_base() => Second::Base(1),
        Some(timer) if recipe.formula.needs_clock() => Second::Clock(timer),
        _ => Second::None,
    };
    let multi = if recipe.formula.needs_multi() { Multi::Base(1) } else { Multi::None };
    let first = Column { multi, ..column(n.to_vec(), second) };
    let base = column(B.to_vec(), Second::None);
    let counters = vec![counter("it", word), counter("base", DWORD | COUNTER | BASE | NOSHOW)];
    run(0, 2, letters(1), counters, vec![first, base])
}

#[track_caller]
fn check(name: &str, word: u32, n: [u64; 2], expected: Expected) {
    let options = CookOptions { keep_raw: true, ..CookOptions::default() };
    let cooked = cook(&Arc::new(composed(word, n)), None, &options);
    let it = &cooked.columns[0];
    match expected {
        Err(status) => assert_eq!(it.status_at(1), status, "{name}, {word:#010X}"),
        Ok((numerator, denominator)) => {
            assert_eq!(it.status_at(1), Status::Ok, "{name}, {word:#010X}");
            let exact = numerator as f64 / denominator as f64;
            let found = it.values[1];
            assert!(
                (found - exact).abs() <= 1e-12 * exact.abs(),
                "{name}, {word:#010X}: {found}, not {exact}"
            );
        }
    }
}

#[test]
fn every_predefined_type_as_the_kit_composes_it() {
    for (name, word, expected, unit) in predefined() {
        check(name, word, N, expected);
        assert_eq!(CounterType(word).unit(), unit, "{name}");
    }
}

#[test]
fn every_field_means_what_the_kit_says() {
    for (name, word, expected, unit) in by_fields() {
        check(name, word, N, expected);
        assert_eq!(CounterType(word).unit(), unit, "{name}");
    }
}

/// 32 bits wrap, and 64 bits were reset, whatever the word is made of.
#[test]
fn a_decrease_depends_on_the_size_alone() {
    let wrapped = [(1 << 32) - 100, 400];
    for (name, word, expected, _) in predefined().into_iter().chain(by_fields()) {
        let recipe = CounterType(word).recipe(8);
        if !recipe.formula.needs_two_samples() {
            continue;
        }
        let is_dword = word & 0x300 == DWORD;
        let is_signed = recipe.formula == recount_model::Formula::Delta;
        match expected {
            Ok(_) if is_dword => check(name, word, wrapped, expected),
            Ok(_) if !is_signed => check(name, word, wrapped, Err(Status::CounterReset)),
            _ => {}
        }
    }
}

/// What is always zero is zero in the first sample, too, and even if nothing was read.
#[test]
fn zero_needs_no_data() {
    let mut run = composed(DWORD | ZERO, N);
    run.columns[0].first.clear();
    let cooked = cook(&Arc::new(run), None, &CookOptions::default());
    assert_eq!((&*cooked.columns[0].values, &cooked.columns[0].status), (&[0.0, 0.0][..], &None));
}
