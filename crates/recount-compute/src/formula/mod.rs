//! The formulas, one file per class, and the choice among them, made once per column.

mod delta;
mod elapsed;
mod first_row;
mod kernels;
mod line_use;
mod numbers;
mod pairs;
mod raw;

use recount_model::{CounterDef, Formula, RawNumber, Recipe, Run, Second, Status};

use self::first_row::FirstRow;
use self::pairs::{Divisor, Pairs};
use crate::carry::Carry;
use crate::faults::Faults;
use crate::frequency::{Frequencies, Frequency};
use crate::operand::{self, Operand};
use crate::sheet::Sheet;
use crate::spread::SpreadClocks;
use crate::wrap::Wrap;

/// The inputs for the columns of a run.
#[derive(Debug)]
pub(crate) struct Inputs<'a> {
    pub(crate) run: &'a Run,
    pub(crate) carry: Option<Carry<'a>>,
    pub(crate) faults: Faults,
    /// Faults of the carry's run.
    pub(crate) faults_before: Option<Faults>,
    pub(crate) frequencies: Frequencies<'a>,
    pub(crate) spread: SpreadClocks,
}

/// Computes one counter over a run.
pub(crate) fn cook_counter(inputs: &Inputs<'_>, counter: usize) -> Sheet {
    let run = inputs.run;
    let mut sheet = Sheet::new(run.num_cells());
    let Some(recipe) = run.object.counters.get(counter).and_then(CounterDef::recipe) else {
        sheet.fill_rest(Status::NotANumber);
        return sheet;
    };
    if matches!(recipe.formula, Formula::NotANumber | Formula::Base) {
        sheet.fill_rest(Status::NotANumber);
    } else if recipe.formula == Formula::Zero {
        sheet.values.resize(run.num_cells(), 0.0);
    } else if let Some(first) = operand::cells(run, counter) {
        let frequency = inputs.frequencies.needed(run, counter, recipe);
        let column = Column { inputs, counter, recipe, first, frequency };
        if column.compute(&mut sheet).is_none() {
            sheet.fill_rest(Status::InvalidData);
        }
    } else {
        sheet.fill_rest(Status::InvalidData);
    }
    mark_faults(inputs, counter, recipe, &mut sheet);
    sheet
}

/// `invalid-data` takes precedence over every other status, so it is written last.
fn mark_faults(inputs: &Inputs<'_>, counter: usize, recipe: Recipe, sheet: &mut Sheet) {
    let run = inputs.run;
    let two_samples = recipe.formula.needs_two_samples();
    inputs.faults.mark(run, counter, two_samples, sheet);
    if let (true, Some(carry), Some(faults)) = (two_samples, &inputs.carry, &inputs.faults_before)
        && run.num_samples() > 0
        && let Some(before) = carry.counter(run, counter)
    {
        faults.mark_carried(carry, before, run.instances.len(), sheet);
    }
}

/// One counter of a run.
#[derive(Clone, Copy)]
struct Column<'a> {
    inputs: &'a Inputs<'a>,
    counter: usize,
    recipe: Recipe,
    first: &'a [u64],
    frequency: Frequency<'a>,
}

impl<'a> Column<'a> {
    /// `None`, with nothing written, if an operand is missing.
    fn compute(self, sheet: &mut Sheet) -> Option<()> {
        let number = self.inputs.run.object.counters.get(self.counter)?.number;
        if number != RawNumber::Unsigned {
            return numbers::compute(self, number, sheet);
        }
        let wrap = Wrap::of(self.recipe.width);
        match self.recipe.formula {
            Formula::RawCount => raw::count(self.first, wrap, sheet),
            Formula::Thousandth => raw::thousandth(self.first, wrap, sheet),
            Formula::RawFraction | Formula::RawFractionInverse => {
                let Operand::PerCell(base) = self.second()? else { return None };
                let (share, base) = ((self.first, wrap), (base, self.base_wrap()));
                match self.recipe.formula {
                    Formula::RawFraction => raw::fraction(share, base, raw::percentage, sheet),
                    _ => raw::fraction(share, base, raw::inverse, sheet),
                }
            }
            Formula::Elapsed => elapsed::elapsed(self, self.second()?, wrap, sheet),
            Formula::Delta => delta::delta(self, wrap, sheet),
            Formula::LineUse => line_use::compute(self, sheet)?,
            Formula::NotANumber | Formula::Base | Formula::Zero => return None,
            of_differences => kernels::compute(of_differences, &self.pairs()?, sheet)?,
        }
        Some(())
    }

    /// The second value, per cell if that makes the loop faster.
    fn second(self) -> Option<Operand<'a>> {
        let Inputs { run, spread, .. } = self.inputs;
        let second = operand::second(run, self.counter, self.recipe.formula)?;
        let (Operand::PerSample(clock), Second::Clock(timer)) = (second, &run.columns[self.counter].second)
        else {
            return Some(second);
        };
        Some(match spread.per_cell(*timer, clock, self.num_instances()) {
            Some(cells) => Operand::PerCell(cells),
            None => second.flattened(self.num_instances()),
        })
    }

    fn base_wrap(self) -> Wrap {
        operand::base_wrap(self.inputs.run, self.counter)
    }

    fn num_instances(self) -> usize {
        self.inputs.run.instances.len()
    }

    /// Whether the instance of a cell is a total: only called if a difference may be a decrease.
    fn is_total(self, cell: usize) -> bool {
        let instances = &self.inputs.run.instances;
        instances[cell % instances.len()].is_total()
    }

    fn pairs(self) -> Option<Pairs<'a>> {
        let needs_multi = self.recipe.formula.needs_multi();
        let multi = if needs_multi { Some(operand::multi(self.inputs.run, self.counter)?) } else { None };
        let kind =
            if self.recipe.formula.needs_base() { Divisor::Base(self.base_wrap()) } else { Divisor::Clock };
        Some(Pairs { column: self, second: self.second()?, multi, kind, wrap: Wrap::of(self.recipe.width) })
    }

    fn first_row(self) -> FirstRow {
        FirstRow::new(self.inputs, self.counter, self.recipe.formula)
    }
}
