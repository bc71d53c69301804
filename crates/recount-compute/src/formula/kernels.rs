//! The formulas over differences, with PDH's order of operations: a value equals PDH's to the bit
//! (formats/counter-types.md#to-the-bit).
//!
//! A kernel only sees dN, the counter's difference, dD, that of the clock or base, and M, the instance count
//! of a MULTI type. Their origin, and whether there is a value at all, is decided elsewhere (`pairs`).

use recount_model::Formula;

use super::pairs::{Kernel, Pairs};
use crate::sheet::Sheet;

/// Computes a formula over differences. `None`, with nothing written, for other formulas.
pub(super) fn compute(formula: Formula, pairs: &Pairs<'_>, sheet: &mut Sheet) -> Option<()> {
    match formula {
        Formula::Rate => pairs.compute(rate, sheet),
        Formula::MultiRate => pairs.compute(multi_rate, sheet),
        Formula::Timer | Formula::SampleFraction | Formula::PrecisionTimer => {
            pairs.compute(|_| percentage, sheet);
        }
        Formula::QueueLength | Formula::AverageBulk => pairs.compute(|_| quotient, sheet),
        Formula::TimerInverse | Formula::SampleFractionInverse => pairs.compute(|_| inverse, sheet),
        Formula::AverageInverse => pairs.compute(|_| rest_of_one, sheet),
        Formula::MultiTimer => pairs.compute(|_| multi_timer, sheet),
        Formula::MultiTimerInverse => pairs.compute(|_| multi_timer_inverse, sheet),
        Formula::AverageTimer => pairs.compute(average_time, sheet),
        Formula::LineUse
        | Formula::Delta
        | Formula::RawFraction
        | Formula::RawFractionInverse
        | Formula::Elapsed
        | Formula::RawCount
        | Formula::Thousandth
        | Formula::Zero
        | Formula::NotANumber
        | Formula::Base => return None,
    }
    Some(())
}

/// dN / (dD / F)
fn rate(frequency: u64) -> impl Kernel {
    let frequency = frequency as f64;
    move |dn, dd, _| dn / (dd / frequency)
}

/// dN / (dD / F) / M: the rate of one of M instances.
fn multi_rate(frequency: u64) -> impl Kernel {
    let frequency = frequency as f64;
    move |dn, dd, m| dn / (dd / frequency) / m
}

/// dN / dD
fn quotient(dn: f64, dd: f64, _m: f64) -> f64 {
    dn / dd
}

/// (dN / dD) 100
fn percentage(dn: f64, dd: f64, _m: f64) -> f64 {
    dn / dd * 100.0
}

/// 1 − dN / dD
fn rest_of_one(dn: f64, dd: f64, _m: f64) -> f64 {
    1.0 - dn / dd
}

/// (1 − dN / dD) 100: the share of the time, or of the operations, that the counter did not count.
fn inverse(dn: f64, dd: f64, _m: f64) -> f64 {
    (1.0 - dn / dd) * 100.0
}

/// (dN / F) / dB, in seconds.
fn average_time(frequency: u64) -> impl Kernel {
    let frequency = frequency as f64;
    move |dn, db, _| dn / frequency / db
}

/// (dN / dD) 100 / M: the interpretation of Microsoft's sample code and of MS-PCQ, the two current sources,
/// in which M busy instances are 100 %.
///
/// Other published interpretations: the NT 4 SDK text doesn't divide by M; the Windows CE pages, and the
/// sample code for the tick clock, first divide dD by the frequency, which doesn't give a percentage
/// (formats/counter-types.md#multi-timers).
fn multi_timer(dn: f64, dd: f64, m: f64) -> f64 {
    dn / dd * 100.0 / m
}

/// (M − dN / dD) 100: the interpretation of Microsoft's sample code, of MS-PCQ and of the NT 4 SDK text, in
/// which M idle instances are M times 100 %.
///
/// The other published interpretation is that of the Windows CE pages, which divide this by M
/// (formats/counter-types.md#multi-timers).
fn multi_timer_inverse(dn: f64, dd: f64, m: f64) -> f64 {
    (m - dn / dd) * 100.0
}
