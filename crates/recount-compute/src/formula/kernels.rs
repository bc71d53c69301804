//! The formulas over differences, in the order in which PDH computes them: a value equals PDH's to the bit
//! (formats/counter-types.md#to-the-bit).
//!
//! A kernel sees differences only: dN, the counter's, dD, that of the clock or base, and M, the instance count of a
//! MULTI type. Where they come from, and whether there is a value at all, is decided outside (`pairs`).

use recount_model::Formula;

use super::pairs::Pairs;
use crate::sheet::Sheet;

/// Computes a formula over differences. `None`, with nothing written, for any other.
pub(super) fn compute(formula: Formula, pairs: &Pairs<'_>, sheet: &mut Sheet) -> Option<()> {
    match formula {
        Formula::Rate => pairs.compute(rate, sheet),
        Formula::Timer | Formula::SampleFraction | Formula::PrecisionTimer => {
            pairs.compute(|_| percentage, sheet);
        }
        Formula::QueueLength | Formula::AverageBulk => pairs.compute(|_| quotient, sheet),
        Formula::TimerInverse => pairs.compute(|_| inverse, sheet),
        Formula::MultiTimer => pairs.compute(|_| multi_timer, sheet),
        Formula::MultiTimerInverse => pairs.compute(|_| multi_timer_inverse, sheet),
        Formula::AverageTimer => pairs.compute(average_time, sheet),
        Formula::Delta
        | Formula::RawFraction
        | Formula::Elapsed
        | Formula::RawCount
        | Formula::NotANumber
        | Formula::Base => return None,
    }
    Some(())
}

/// A formula over dN, dD and M.
pub(super) trait Kernel: Fn(f64, f64, f64) -> f64 + Copy {}

impl<F: Fn(f64, f64, f64) -> f64 + Copy> Kernel for F {}

/// dN / (dD / F)
fn rate(frequency: u64) -> impl Kernel {
    let frequency = frequency as f64;
    move |dn, dd, _| dn / (dd / frequency)
}

/// dN / dD
fn quotient(dn: f64, dd: f64, _m: f64) -> f64 {
    dn / dd
}

/// (dN / dD) 100
fn percentage(dn: f64, dd: f64, _m: f64) -> f64 {
    dn / dd * 100.0
}

/// (1 − dN / dD) 100: the share of the time that the counter did not count.
fn inverse(dn: f64, dd: f64, _m: f64) -> f64 {
    (1.0 - dn / dd) * 100.0
}

/// (dN / F) / dB, in seconds.
fn average_time(frequency: u64) -> impl Kernel {
    let frequency = frequency as f64;
    move |dn, db, _| dn / frequency / db
}

/// (dN / dD) 100 / M: the reading of Microsoft's sample code and of MS-PCQ, the two current sources, so that M busy
/// instances are 100 %.
///
/// The other readings in print: the SDK text of NT 4 doesn't divide by M; the Windows CE pages, and the sample code for
/// the tick clock, divide dD by the frequency first, which is no percentage (formats/counter-types.md#multi-timers).
fn multi_timer(dn: f64, dd: f64, m: f64) -> f64 {
    dn / dd * 100.0 / m
}

/// (M − dN / dD) 100: the reading of Microsoft's sample code, of MS-PCQ and of the SDK text of NT 4, so that M idle
/// instances are M times 100 %.
///
/// The other reading in print is that of the Windows CE pages, which divide this by M
/// (formats/counter-types.md#multi-timers).
fn multi_timer_inverse(dn: f64, dd: f64, m: f64) -> f64 {
    (m - dn / dd) * 100.0
}
