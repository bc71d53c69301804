//! Where the inputs of a formula come from: the run's clocks, other counters, or columns of their own.

use recount_model::{CounterDef, Formula, Multi, Run, Second, Width};

use crate::wrap::Wrap;

/// Values used together with a counter's own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand<'a> {
    /// One per sample, shared by all instances.
    PerSample(&'a [u64]),
    /// One per cell.
    PerCell(&'a [u64]),
}

impl<'a> Operand<'a> {
    /// With one instance, there is one cell per sample.
    pub(crate) fn flattened(self, num_instances: usize) -> Operand<'a> {
        match self {
            Operand::PerSample(values) if num_instances == 1 => Operand::PerCell(values),
            other => other,
        }
    }
}

/// The raw values of a counter; `None` if there aren't as many as the run has cells.
pub(crate) fn cells(run: &Run, counter: usize) -> Option<&[u64]> {
    let first = &run.columns.get(counter)?.first;
    (first.len() == run.num_cells()).then_some(first)
}

/// What the formula divides by, or subtracts from: the clock or the base.
pub(crate) fn second(run: &Run, counter: usize, formula: Formula) -> Option<Operand<'_>> {
    match &run.columns.get(counter)?.second {
        Second::None => None,
        // A clock reading isn't a base: the link is missing.
        Second::Clock(_) if formula.needs_base() => None,
        Second::Clock(timer) => run.clocks.ticks(*timer).get(..run.num_samples()).map(Operand::PerSample),
        // For a formula over a clock: the clock is itself a counter.
        Second::Base(base) => cells(run, *base).map(Operand::PerCell),
        Second::Own(values) => (values.len() == run.num_cells()).then_some(Operand::PerCell(values)),
    }
}

/// The instance counts of a MULTI type, and how they are read.
pub(crate) fn multi(run: &Run, counter: usize) -> Option<(&[u64], Wrap)> {
    match &run.columns.get(counter)?.multi {
        Multi::None => None,
        Multi::Base(base) => {
            Some((cells(run, *base)?, Wrap::of(run.object.counters.get(*base)?.raw_width())))
        }
        Multi::Own(values) => (values.len() == run.num_cells()).then_some((values, Wrap::LARGE)),
    }
}

/// The other counters on whose raw values a counter's value depends, by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Links {
    /// The base, or the counter that is the clock.
    pub(crate) second: Option<usize>,
    /// The instance count of a MULTI type.
    pub(crate) multi: Option<usize>,
    /// The ticks per second of the clock.
    pub(crate) frequency: Option<usize>,
}

impl Links {
    pub(crate) fn of(run: &Run, counter: usize) -> Links {
        let Some(column) = run.columns.get(counter) else { return Links::default() };
        Links {
            second: if let Second::Base(base) = column.second { Some(base) } else { None },
            multi: if let Multi::Base(base) = column.multi { Some(base) } else { None },
            // A timer has the ticks of its clock. The clock's frequency may be linked, but isn't used.
            frequency: column.frequency.filter(|_| needs_frequency(run, counter)),
        }
    }

    pub(crate) fn all(self) -> impl Iterator<Item = usize> {
        [self.second, self.multi, self.frequency].into_iter().flatten()
    }
}

fn needs_frequency(run: &Run, counter: usize) -> bool {
    run.object.counters.get(counter).is_some_and(|def| def.formula().needs_frequency())
}

/// The raw values of the frequency counter of another counter, and how they are read; `None` if there aren't
/// as many as the run has cells.
pub(crate) fn frequency(run: &Run, frequency: usize) -> Option<(&[u64], Wrap)> {
    Some((cells(run, frequency)?, Wrap::of(run.object.counters.get(frequency)?.raw_width())))
}

/// How the base of a counter wraps: a base that is a counter has its own width.
pub(crate) fn base_wrap(run: &Run, counter: usize) -> Wrap {
    let def = run.object.counters.get(counter);
    Wrap::of(match run.columns.get(counter).map(|column| &column.second) {
        Some(Second::Base(base)) => {
            run.object.counters.get(*base).map_or(Width::Dword, CounterDef::raw_width)
        }
        _ => def.map_or(Width::Dword, CounterDef::base_width),
    })
}
