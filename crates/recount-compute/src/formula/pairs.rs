//! The loops of every formula over two differences.
//!
//! A quick loop computes whole blocks without branches and also determines whether all cells were plain:
//! differences small enough for `f64`, no decrease, no division by zero. Otherwise the block is computed
//! again, cell by cell, to find the status of each cell.

use std::ops::Range;

use recount_model::Status;

use super::Column;
use super::first_row::{CarriedRow, CarriedSecond, FirstRow};
use crate::operand::Operand;
use crate::sheet::Sheet;
use crate::wrap::{QUICK_LIMIT, Wrap, small_to_f64};

/// Cells per block: its inputs and values stay in the L1 cache for a second pass.
pub(super) const BLOCK: usize = 512;

/// A formula over dN, dD and M.
pub(super) trait Kernel: Fn(f64, f64, f64) -> f64 + Copy {}

impl<F: Fn(f64, f64, f64) -> f64 + Copy> Kernel for F {}

/// A counter and its divisor.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'a> {
    pub(super) column: Column<'a>,
    pub(super) second: Operand<'a>,
    pub(super) multi: Option<(&'a [u64], Wrap)>,
    pub(super) kind: Divisor,
    /// Width of the counter.
    pub(super) wrap: Wrap,
}

/// What the second value is. It decides the status if the value doesn't advance.
#[derive(Clone, Copy)]
pub(super) enum Divisor {
    Clock,
    Base(Wrap),
}

/// Cells that are computed together.
#[derive(Clone, Copy)]
struct Block<'a> {
    n0: &'a [u64],
    n1: &'a [u64],
    second: Second<'a>,
    m: Option<(&'a [u64], Wrap)>,
}

#[derive(Clone, Copy)]
enum Second<'a> {
    /// Earlier and later readings, for all cells.
    Shared(u64, u64),
    PerCell(&'a [u64], &'a [u64]),
}

/// Observations of a quick loop, collected without branches: each is a bitwise or over the cells, and so at
/// least as large as the largest of them.
#[derive(Clone, Copy, Default)]
struct Seen {
    dn: u64,
    /// dD - 1: a divisor of zero becomes the largest number.
    dd_less_1: u64,
    /// M - 1.
    m_less_1: u64,
    /// Earlier counters.
    n0: u64,
    /// Earlier divisors.
    d0: u64,
}

impl Seen {
    /// Whether every cell was plain.
    fn is_plain(self, n: Wrap, d: Wrap) -> bool {
        (self.dn | self.dd_less_1 | self.m_less_1) < QUICK_LIMIT
            && !n.doubts(self.n0)
            && !d.doubts(self.d0)
            && !n.may_be_fall(self.dn)
            && !d.may_be_fall(self.dd_less_1 + 1)
    }
}

impl Pairs<'_> {
    /// Computes the column. `kernel` returns the formula for a frequency (1 if it needs none).
    pub(super) fn compute<K: Kernel>(&self, kernel: impl Fn(u64) -> K, sheet: &mut Sheet) {
        let n = self.column.num_instances();
        let num_samples = self.column.inputs.run.num_samples();
        if num_samples == 0 {
            return;
        }
        self.compute_first(&kernel, sheet);
        let shared = matches!(self.second, Operand::PerSample(_));
        for (cells, frequency) in self.column.frequency.stretches(1..num_samples, n, shared) {
            if frequency == 0 {
                sheet.fill(cells.len(), Status::InvalidData);
                continue;
            }
            let kernel = kernel(frequency);
            let mut at = cells.start;
            while at < cells.end {
                // A shared clock has one reading per sample: the stretch is within a single row.
                let end = if shared { cells.end } else { cells.end.min(at + BLOCK) };
                self.compute_block(kernel, &self.block(at, end), sheet);
                at = end;
            }
        }
    }

    /// The cells of a range after the first sample; of one sample if the clock is shared.
    fn block(&self, start: usize, end: usize) -> Block<'_> {
        let n = self.column.num_instances();
        let first = self.column.first;
        Block {
            n0: &first[start - n..end - n],
            n1: &first[start..end],
            second: match self.second {
                Operand::PerSample(clock) => Second::Shared(clock[start / n - 1], clock[start / n]),
                Operand::PerCell(all) => Second::PerCell(&all[start - n..end - n], &all[start..end]),
            },
            m: self.multi.map(|(all, wrap)| (&all[start..end], wrap)),
        }
    }

    fn compute_first<K: Kernel>(&self, kernel: impl Fn(u64) -> K, sheet: &mut Sheet) {
        let first_row = self.column.first_row();
        for (cells, frequency) in self.column.frequency.stretches(0..1, self.column.num_instances(), true) {
            match &first_row {
                // Takes precedence over anything missing in the first row.
                _ if frequency == 0 => sheet.fill(cells.len(), Status::InvalidData),
                FirstRow::NoValue(status) => sheet.fill(cells.len(), *status),
                FirstRow::Carried(carried) => {
                    self.compute_carried(kernel(frequency), carried, cells.clone(), sheet);
                    carried.mark_missing(cells, sheet);
                }
            }
        }
    }

    /// Cells of the first sample.
    fn compute_carried<K: Kernel>(
        &self,
        kernel: K,
        carried: &CarriedRow,
        cells: Range<usize>,
        sheet: &mut Sheet,
    ) {
        let len = cells.len();
        let block = |second| Block {
            n0: &carried.first[cells.clone()],
            n1: &self.column.first[cells.clone()],
            second,
            m: self.multi.map(|(all, wrap)| (&all[cells.clone()], wrap)),
        };
        match (&carried.second, self.second) {
            (None, _) => sheet.fill(len, Status::InvalidData),
            (Some(CarriedSecond::PerSample(d0)), Operand::PerSample(d1)) => {
                self.compute_block(kernel, &block(Second::Shared(*d0, d1[0])), sheet);
            }
            // With one instance a shared clock is flattened; or the two runs come from different sources.
            (Some(CarriedSecond::PerSample(d0)), Operand::PerCell(d1)) => {
                let d0 = vec![*d0; len];
                self.compute_block(kernel, &block(Second::PerCell(&d0, &d1[cells.clone()])), sheet);
            }
            (Some(CarriedSecond::PerCell(d0)), Operand::PerSample(d1)) => {
                let d1 = vec![d1[0]; len];
                self.compute_block(kernel, &block(Second::PerCell(&d0[cells.clone()], &d1)), sheet);
            }
            (Some(CarriedSecond::PerCell(d0)), Operand::PerCell(d1)) => {
                let second = Second::PerCell(&d0[cells.clone()], &d1[cells.clone()]);
                self.compute_block(kernel, &block(second), sheet);
            }
        }
    }

    fn compute_block<K: Kernel>(&self, kernel: K, block: &Block<'_>, sheet: &mut Sheet) {
        let (start, len) = (sheet.values.len(), block.n1.len());
        if matches!(block.second, Second::Shared(d0, d1) if d1 <= d0) {
            return sheet.fill(len, Status::ClockNotAdvancing);
        }
        sheet.values.resize(start + len, 0.0);
        let values = &mut sheet.values[start..];
        let seen = match block.second {
            Second::Shared(d0, d1) if d1 - d0 > QUICK_LIMIT => Seen { dd_less_1: d1 - d0, ..Seen::default() },
            Second::Shared(d0, d1) => quick_shared(kernel, self.wrap, block, d1 - d0, values),
            Second::PerCell(d0, d1) => {
                quick_cells(kernel, self.wrap, self.kind.wrap(), block, (d0, d1), values)
            }
        };
        if !seen.is_plain(self.wrap, self.kind.wrap()) {
            for cell in 0..len {
                let is_total = || self.column.is_total(start + cell);
                sheet.set(start + cell, self.exact_cell(kernel, block, cell, is_total));
            }
        }
    }

    /// Computes one cell with all checks, in order of precedence.
    fn exact_cell<K: Kernel>(
        &self,
        kernel: K,
        block: &Block<'_>,
        cell: usize,
        is_total: impl Fn() -> bool,
    ) -> Result<f64, Status> {
        let (d0, d1) = match block.second {
            Second::Shared(d0, d1) => (d0, d1),
            Second::PerCell(d0, d1) => (d0[cell], d1[cell]),
        };
        if matches!(self.kind, Divisor::Clock) && d1 <= d0 {
            return Err(Status::ClockNotAdvancing);
        }
        let advance = |wrap: Wrap, earlier, later| {
            wrap.checked_difference(earlier, later, &is_total).ok_or(Status::CounterReset)
        };
        let dn = advance(self.wrap, block.n0[cell], block.n1[cell])?;
        let dd = advance(self.kind.wrap(), d0, d1)?;
        let m = block.m.map_or(1, |(all, wrap)| wrap.value(all[cell]));
        if dd == 0 || m == 0 {
            return Err(Status::NoOperations);
        }
        Ok(kernel(dn as f64, dd as f64, m as f64))
    }
}

impl Divisor {
    const fn wrap(self) -> Wrap {
        match self {
            Divisor::Clock => Wrap::LARGE,
            Divisor::Base(wrap) => wrap,
        }
    }
}

/// A block with a single clock difference, which is known to be positive and small.
///
/// Plain loops over zipped slices with local accumulators, here and below: the compiler vectorises these.
fn quick_shared<K: Kernel>(kernel: K, wrap: Wrap, block: &Block<'_>, dd: u64, values: &mut [f64]) -> Seen {
    let mut seen = Seen { dd_less_1: dd - 1, ..Seen::default() };
    let dd = dd as f64;
    let cells = values.iter_mut().zip(block.n0.iter().zip(block.n1));
    let Some((m, m_wrap)) = block.m else {
        for (value, (&n0, &n1)) in cells {
            let dn = wrap.difference(n0, n1);
            seen.dn |= dn;
            seen.n0 |= n0;
            *value = kernel(small_to_f64(dn), dd, 1.0);
        }
        return seen;
    };
    for ((value, (&n0, &n1)), &m) in cells.zip(m) {
        let (dn, m) = (wrap.difference(n0, n1), m_wrap.value(m));
        seen.dn |= dn;
        seen.n0 |= n0;
        seen.m_less_1 |= m.wrapping_sub(1);
        *value = kernel(small_to_f64(dn), dd, small_to_f64(m));
    }
    seen
}

/// A block whose cells have their own divisors `d` (earlier, later).
fn quick_cells<K: Kernel>(
    kernel: K,
    wrap: Wrap,
    d_wrap: Wrap,
    block: &Block<'_>,
    d: (&[u64], &[u64]),
    values: &mut [f64],
) -> Seen {
    let mut seen = Seen::default();
    let cells = values.iter_mut().zip(block.n0.iter().zip(block.n1)).zip(d.0.iter().zip(d.1));
    let Some((m, m_wrap)) = block.m else {
        for ((value, (&n0, &n1)), (&d0, &d1)) in cells {
            let (dn, dd) = (wrap.difference(n0, n1), d_wrap.difference(d0, d1));
            seen.dn |= dn;
            seen.n0 |= n0;
            seen.dd_less_1 |= dd.wrapping_sub(1);
            seen.d0 |= d0;
            *value = kernel(small_to_f64(dn), small_to_f64(dd), 1.0);
        }
        return seen;
    };
    for (((value, (&n0, &n1)), (&d0, &d1)), &m) in cells.zip(m) {
        let (dn, dd, m) = (wrap.difference(n0, n1), d_wrap.difference(d0, d1), m_wrap.value(m));
        seen.dn |= dn;
        seen.n0 |= n0;
        seen.dd_less_1 |= dd.wrapping_sub(1);
        seen.d0 |= d0;
        seen.m_less_1 |= m.wrapping_sub(1);
        *value = kernel(small_to_f64(dn), small_to_f64(dd), small_to_f64(m));
    }
    seen
}
