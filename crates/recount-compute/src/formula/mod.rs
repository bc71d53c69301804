//! The formulas, one file per class, and the choice among them: made once per column.

mod average;
mod delta;
mod elapsed;
mod first_row;
mod inverse;
mod multi;
mod pairs;
mod ratio;
mod raw;

use recount_model::{CounterDef, Formula, Recipe, Run, Second, Status};

use self::average::AverageTimer;
use self::first_row::FirstRow;
use self::inverse::TimerInverse;
use self::multi::{MultiTimer, MultiTimerInverse};
use self::pairs::{Divisor, Pairs};
use self::ratio::Ratio;
use crate::carry::Carry;
use crate::faults::Faults;
use crate::frequency::{Frequencies, Frequency};
use crate::operand::{self, Operand};
use crate::sheet::Sheet;
use crate::spread::SpreadClocks;
use crate::wrap::Wrap;

/// What the columns of a run are computed from.
#[derive(Debug)]
pub(crate) struct Inputs<'a> {
    pub(crate) run: &'a Run,
    pub(crate) carry: Option<Carry<'a>>,
    pub(crate) faults: Faults,
    /// Faults of the run that the carry is of.
    pub(crate) faults_before: Option<Faults>,
    pub(crate) frequencies: Frequencies<'a>,
    pub(crate) spread: SpreadClocks,
}

/// A formula over the differences between two samples: dN, the counter's, and dD, that of the clock or base.
///
/// A kernel sees differences only; where they come from, and whether there is a value at all, is decided outside
/// (`pairs`).
trait Kernel: Copy {
    /// The value, from differences that `f64` holds exactly (up to [`crate::wrap::QUICK_LIMIT`]). `m` is the
    /// instance count of a MULTI type.
    fn value(self, dn: f64, dd: f64, m: f64) -> f64;

    /// The value from differences of any size; the same, to the bit, as [`Kernel::value`] for small ones.
    fn exact(self, dn: u64, dd: u64, m: u64) -> f64 {
        self.value(dn as f64, dd as f64, m as f64)
    }

    /// Whether [`Kernel::value`] holds all it needs exactly for divisors up to `dd` and counts up to `m`.
    fn is_exact_up_to(self, _dd: u64, _m: u64) -> bool {
        true
    }
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

/// `invalid-data` goes before every other status, so it is written last.
fn mark_faults(inputs: &Inputs<'_>, counter: usize, recipe: Recipe, sheet: &mut Sheet) {
    let run = inputs.run;
    let two_samples = recipe.formula.needs_two_samples();
    inputs.faults.mark(run, counter, two_samples, sheet);
    if let (true, Some(carry), Some(faults)) = (two_samples, &inputs.carry, &inputs.faults_before)
        && run.num_samples() > 0
        && let Some(before) = carry.counter(&run.object, counter)
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
        let wrap = Wrap::of(self.recipe.width);
        match self.recipe.formula {
            Formula::RawCount => raw::count(self.first, wrap, sheet),
            Formula::RawFraction => {
                let Operand::PerCell(base) = self.second()? else { return None };
                raw::fraction(self.first, wrap, base, self.base_wrap(), sheet);
            }
            Formula::Elapsed => elapsed::elapsed(self, self.second()?, wrap, sheet),
            Formula::Delta => delta::delta(self, wrap, sheet),
            Formula::Rate => self.pairs()?.compute(|frequency| Ratio { factor: frequency as f64 }, sheet),
            Formula::Timer | Formula::SampleFraction | Formula::PrecisionTimer => {
                self.pairs()?.compute(|_| Ratio { factor: 100.0 }, sheet);
            }
            Formula::QueueLength | Formula::AverageBulk => {
                self.pairs()?.compute(|_| Ratio { factor: 1.0 }, sheet);
            }
            Formula::TimerInverse => self.pairs()?.compute(|_| TimerInverse, sheet),
            Formula::MultiTimer => self.pairs()?.compute(|_| MultiTimer, sheet),
            Formula::MultiTimerInverse => self.pairs()?.compute(|_| MultiTimerInverse, sheet),
            Formula::AverageTimer => {
                self.pairs()?.compute(|frequency| AverageTimer { frequency: frequency as f64 }, sheet);
            }
            Formula::NotANumber | Formula::Base => return None,
        }
        Some(())
    }

    /// The second value, per cell where that makes the faster loop.
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
        operand::base_wrap(self.inputs.run, self.counter, self.recipe)
    }

    fn num_instances(self) -> usize {
        self.inputs.run.instances.len()
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
