//! Plain differences.

use recount_model::Status;

use super::Column;
use super::first_row::FirstRow;
use crate::sheet::Sheet;
use crate::wrap::{QUICK_LIMIT, Wrap, small_to_f64};

/// dN: modulo 2^32 for a DWORD; signed, of the full range of 64 bits, for a LARGE, which is never a reset.
pub(super) fn delta(column: Column<'_>, wrap: Wrap, sheet: &mut Sheet) {
    let n = column.num_instances();
    if column.inputs.run.num_samples() == 0 {
        return;
    }
    match column.first_row() {
        FirstRow::NoValue(status) => sheet.fill(n, status),
        FirstRow::Carried(carried) => {
            block(&carried.first, &column.first[..n], wrap, sheet);
            carried.mark_missing(0..n, sheet);
        }
    }
    let (earlier, later) = (&column.first[..column.first.len() - n], &column.first[n..]);
    for (earlier, later) in earlier.chunks(super::pairs::BLOCK).zip(later.chunks(super::pairs::BLOCK)) {
        block(earlier, later, wrap, sheet);
    }
}

fn block(earlier: &[u64], later: &[u64], wrap: Wrap, sheet: &mut Sheet) {
    /// Moves differences of either sign into the positive.
    const HALF: u64 = QUICK_LIMIT / 2;
    let start = sheet.values.len();
    let (mut large, mut any) = (0, 0);
    sheet.values.extend(earlier.iter().zip(later).map(|(&earlier, &later)| {
        let moved = wrap.difference(earlier, later).wrapping_add(HALF);
        large |= moved;
        any |= earlier | later;
        small_to_f64(moved) - HALF as f64
    }));
    if large >= QUICK_LIMIT || wrap.doubts(any) {
        for (at, (&earlier, &later)) in earlier.iter().zip(later).enumerate() {
            sheet.set(start + at, Ok::<f64, Status>(wrap.signed_difference(earlier, later)));
        }
    }
}
