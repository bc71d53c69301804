//! Raw values that aren't unsigned integers: computed one by one, since few counters have them.

use recount_model::{Formula, RawNumber, Status};

use super::Column;
use super::first_row::{CarriedSecond, FirstRow};
use crate::operand::Operand;
use crate::sheet::Sheet;

/// The value of one sample, or the rate over two. `None`, with nothing written, for any other formula: no source has one.
pub(super) fn compute(column: Column<'_>, number: RawNumber, sheet: &mut Sheet) -> Option<()> {
    match column.recipe.formula {
        Formula::RawCount => {
            sheet.values.resize(column.first.len(), 0.0);
            for (cell, &raw) in column.first.iter().enumerate() {
                sheet.set(cell, finite(value(number, raw)));
            }
        }
        Formula::Rate => rates(column, number, sheet)?,
        _ => return None,
    }
    Some(())
}

fn rates(column: Column<'_>, number: RawNumber, sheet: &mut Sheet) -> Option<()> {
    let (n, num_samples) = (column.num_instances(), column.inputs.run.num_samples());
    let second = column.second()?;
    let clock = |cell: usize| match second {
        Operand::PerSample(all) => all[cell / n],
        Operand::PerCell(all) => all[cell],
    };
    for (cells, frequency) in column.frequency.stretches(0..num_samples.min(1), n, true) {
        match column.first_row() {
            _ if frequency == 0 => sheet.fill(cells.len(), Status::InvalidData),
            FirstRow::NoValue(status) => sheet.fill(cells.len(), status),
            FirstRow::Carried(carried) => {
                sheet.values.resize(cells.end, 0.0);
                for cell in cells.clone() {
                    let earlier = match &carried.second {
                        None => return None,
                        Some(CarriedSecond::PerSample(clock)) => *clock,
                        Some(CarriedSecond::PerCell(all)) => all[cell],
                    };
                    let clocks = (earlier, clock(cell));
                    sheet.set(
                        cell,
                        rate(number, (carried.first[cell], column.first[cell]), clocks, frequency),
                    );
                }
                carried.mark_missing(cells, sheet);
            }
        }
    }
    for (cells, frequency) in column.frequency.stretches(1.min(num_samples)..num_samples, n, true) {
        if frequency == 0 {
            sheet.fill(cells.len(), Status::InvalidData);
            continue;
        }
        sheet.values.resize(cells.end, 0.0);
        for cell in cells {
            let values = (column.first[cell - n], column.first[cell]);
            sheet.set(cell, rate(number, values, (clock(cell - n), clock(cell)), frequency));
        }
    }
    Some(())
}

/// dN / (dD / F), of the earlier and the later value and clock.
fn rate(number: RawNumber, values: (u64, u64), clocks: (u64, u64), frequency: u64) -> Result<f64, Status> {
    if clocks.1 <= clocks.0 {
        return Err(Status::ClockNotAdvancing);
    }
    let difference = match number {
        RawNumber::Float => finite(value(number, values.1))? - finite(value(number, values.0))?,
        // Exact, and rounded once.
        RawNumber::Signed => (i128::from(values.1 as i64) - i128::from(values.0 as i64)) as f64,
        RawNumber::Unsigned => (i128::from(values.1) - i128::from(values.0)) as f64,
    };
    if difference < 0.0 {
        return Err(Status::CounterReset);
    }
    finite(difference / ((clocks.1 - clocks.0) as f64 / frequency as f64))
}

fn value(number: RawNumber, raw: u64) -> f64 {
    match number {
        RawNumber::Unsigned => raw as f64,
        RawNumber::Signed => raw as i64 as f64,
        RawNumber::Float => f64::from_bits(raw),
    }
}

/// A float may be NaN or infinite.
fn finite(value: f64) -> Result<f64, Status> {
    if value.is_finite() { Ok(value) } else { Err(Status::NotANumber) }
}
