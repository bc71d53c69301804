//! Elapsed time.

use recount_model::Status;

use super::Column;
use crate::operand::Operand;
use crate::sheet::Sheet;
use crate::wrap::{QUICK_LIMIT, Wrap, small_to_f64};

/// (D − N) / F, in seconds: D is the clock at the sample, N the start time.
pub(super) fn elapsed(column: Column<'_>, clock: Operand<'_>, wrap: Wrap, sheet: &mut Sheet) {
    let n = column.num_instances();
    let shared = matches!(clock, Operand::PerSample(_));
    for (cells, frequency) in column.frequency.stretches(0..column.inputs.run.num_samples(), n, shared) {
        if frequency == 0 {
            sheet.fill(cells.len(), Status::InvalidData);
            continue;
        }
        let began = &column.first[cells.clone()];
        match clock {
            Operand::PerSample(clock) => {
                let now = clock[cells.start / n];
                stretch(began.iter().map(|began| (wrap.value(*began), now)), frequency as f64, sheet);
            }
            Operand::PerCell(clock) => {
                let pairs = began.iter().zip(&clock[cells]);
                stretch(pairs.map(|(began, now)| (wrap.value(*began), *now)), frequency as f64, sheet);
            }
        }
    }
}

/// Cells with one frequency, as (N, D).
fn stretch(cells: impl Iterator<Item = (u64, u64)> + Clone, frequency: f64, sheet: &mut Sheet) {
    let start = sheet.values.len();
    let (mut large, mut any) = (0, 0);
    let again = cells.clone();
    sheet.values.extend(cells.map(|(began, now)| {
        let difference = Wrap::LARGE.difference(began, now);
        large |= difference;
        any |= began;
        small_to_f64(difference) / frequency
    }));
    if large >= QUICK_LIMIT || Wrap::LARGE.doubts(any) {
        for (at, (began, now)) in again.enumerate() {
            let difference = Wrap::LARGE.checked_difference(began, now, || false);
            sheet.set(start + at, difference.map(|d| d as f64 / frequency).ok_or(Status::NegativeElapsed));
        }
    }
}
