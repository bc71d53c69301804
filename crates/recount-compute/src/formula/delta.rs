//! Plain differences.

use recount_model::Status;

use super::Column;
use super::first_row::FirstRow;
use crate::sheet::Sheet;
use crate::wrap::{QUICK_LIMIT, Wrap, small_to_f64};

/// dN: for a DWORD modulo 2^32, where only totals can be reset; for a LARGE signed, over the full 64-bit
/// range.
pub(super) fn delta(column: Column<'_>, wrap: Wrap, sheet: &mut Sheet) {
    let n = column.num_instances();
    if column.inputs.run.num_samples() == 0 {
        return;
    }
    match column.first_row() {
        FirstRow::NoValue(status) => sheet.fill(n, status),
        FirstRow::Carried(carried) => {
            block(column, &carried.first, &column.first[..n], wrap, sheet);
            carried.mark_missing(0..n, sheet);
        }
    }
    let (earlier, later) = (&column.first[..column.first.len() - n], &column.first[n..]);
    for (earlier, later) in earlier.chunks(super::pairs::BLOCK).zip(later.chunks(super::pairs::BLOCK)) {
        block(column, earlier, later, wrap, sheet);
    }
}

fn block(column: Column<'_>, earlier: &[u64], later: &[u64], wrap: Wrap, sheet: &mut Sheet) {
    /// Shifts differences of either sign into the positive range.
    const HALF: u64 = QUICK_LIMIT / 2;
    let start = sheet.values.len();
    let (mut large, mut any) = (0, 0);
    sheet.values.extend(earlier.iter().zip(later).map(|(&earlier, &later)| {
        let moved = wrap.difference(earlier, later).wrapping_add(HALF);
        large |= moved;
        any |= earlier | later;
        small_to_f64(moved) - HALF as f64
    }));
    let may_be_fall = wrap.may_be_fall(large & u64::from(u32::MAX));
    if large >= QUICK_LIMIT || wrap.doubts(any) || may_be_fall {
        for (at, (&earlier, &later)) in earlier.iter().zip(later).enumerate() {
            let difference = wrap.signed_difference(earlier, later, || column.is_total(start + at));
            sheet.set(start + at, difference.ok_or(Status::CounterReset));
        }
    }
}
