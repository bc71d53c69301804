//! How much of a line is used: its bytes, as a share of what it can take.

use recount_model::{LineSpeed, Status, Timer};

use super::Column;
use super::first_row::{CarriedSecond, FirstRow};
use crate::operand::{self, Operand};
use crate::sheet::Sheet;
use crate::wrap::Wrap;

/// The bytes of both directions up to a sample, per instance, and the clock.
struct Counted<'a> {
    received: &'a [u64],
    sent: &'a [u64],
    ticks: u64,
}

/// The bytes of the busier direction, or of both if the line has only one for them. `None`, with nothing written, if an operand is
/// missing.
pub(super) fn compute(column: Column<'_>, sheet: &mut Sheet) -> Option<()> {
    let (n, run) = (column.num_instances(), column.inputs.run);
    let Operand::PerCell(sent) = column.second()? else { return None };
    let (speeds, _) = operand::multi(run, column.counter)?;
    let clock = run.clocks.ticks(Timer::Tick).get(..run.num_samples())?;
    let of = |sample: usize| {
        let cells = sample * n..(sample + 1) * n;
        Counted { received: &column.first[cells.clone()], sent: &sent[cells], ticks: clock[sample] }
    };
    let first_row = column.first_row();
    for (cells, frequency) in column.frequency.stretches(0..run.num_samples(), n, true) {
        let sample = cells.start / n;
        if frequency == 0 {
            sheet.fill(cells.len(), Status::InvalidData);
            continue;
        }
        let earlier = match (&first_row, sample) {
            (FirstRow::NoValue(status), 0) => {
                sheet.fill(cells.len(), *status);
                continue;
            }
            (FirstRow::Carried(row), 0) => {
                let Some(CarriedSecond::PerCell(sent)) = &row.second else { return None };
                let carry = column.inputs.carry.as_ref()?;
                let ticks = *carry.run.clocks.ticks(Timer::Tick).get(carry.sample)?;
                Counted { received: &row.first, sent, ticks }
            }
            _ => of(sample - 1),
        };
        let later = of(sample);
        sheet.values.resize(cells.end, 0.0);
        for cell in cells.clone() {
            let instance = cell - sample * n;
            let speed = LineSpeed(speeds[cell]);
            sheet.set(cell, column.used(&earlier, &later, instance, speed, frequency));
        }
        if let (FirstRow::Carried(row), 0) = (&first_row, sample) {
            row.mark_missing(cells, sheet);
        }
    }
    Some(())
}

impl Column<'_> {
    /// Between two samples, as a percentage.
    fn used(
        self,
        earlier: &Counted<'_>,
        later: &Counted<'_>,
        instance: usize,
        speed: LineSpeed,
        frequency: u64,
    ) -> Result<f64, Status> {
        const BITS_PER_BYTE: f64 = 8.0;
        const BITS_PER_MEGABIT: f64 = 1e6;
        if later.ticks <= earlier.ticks {
            return Err(Status::ClockNotAdvancing);
        }
        let advance = |wrap: Wrap, earlier: &[u64], later: &[u64]| {
            let bytes =
                wrap.checked_difference(earlier[instance], later[instance], || self.is_total(instance));
            bytes.map(|bytes| bytes as f64).ok_or(Status::CounterReset)
        };
        let received = advance(Wrap::of(self.recipe.width), earlier.received, later.received)?;
        let sent = advance(self.base_wrap(), earlier.sent, later.sent)?;
        if speed.megabits() == 0 {
            return Err(Status::NoOperations);
        }
        let bytes = if speed.is_full_duplex() { received.max(sent) } else { received + sent };
        let seconds = (later.ticks - earlier.ticks) as f64 / frequency as f64;
        let capacity = speed.megabits() as f64 * BITS_PER_MEGABIT * seconds;
        Ok(100.0 * BITS_PER_BYTE * bytes / capacity)
    }
}
