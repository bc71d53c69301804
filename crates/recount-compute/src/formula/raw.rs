//! One-sample types: raw numbers and raw fractions.

use recount_model::Status;

use crate::sheet::Sheet;
use crate::wrap::Wrap;

/// N
pub(super) fn count(first: &[u64], wrap: Wrap, sheet: &mut Sheet) {
    sheet.values.extend(first.iter().map(|n| wrap.value(*n) as f64));
}

/// N / 1000
pub(super) fn thousandth(first: &[u64], wrap: Wrap, sheet: &mut Sheet) {
    sheet.values.extend(first.iter().map(|n| wrap.value(*n) as f64 / 1000.0));
}

/// (N / B) 100, of one sample.
pub(super) fn percentage(share: f64) -> f64 {
    share * 100.0
}

/// (1 − N / B) 100, of one sample.
pub(super) fn inverse(share: f64) -> f64 {
    (1.0 - share) * 100.0
}

/// A number made of N / B, of one sample.
pub(super) fn fraction(
    (first, wrap): (&[u64], Wrap),
    (base, base_wrap): (&[u64], Wrap),
    shown: impl Fn(f64) -> f64,
    sheet: &mut Sheet,
) {
    let mut zeros = 0;
    let start = sheet.values.len();
    sheet.values.extend(first.iter().zip(base).map(|(n, b)| {
        let b = base_wrap.value(*b);
        zeros |= b.wrapping_sub(1);
        shown(wrap.value(*n) as f64 / b as f64)
    }));
    // The top bit: a zero base, or one above 2^63.
    if zeros >> 63 != 0 {
        for (at, _) in base.iter().enumerate().filter(|(_, b)| base_wrap.value(**b) == 0) {
            sheet.mark(start + at, Status::NoOperations);
        }
    }
}
