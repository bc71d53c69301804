//! Raw values for the cooked ones.

use recount_model::Cooked;
use recount_model::{CellFault, Column, RawNumber, Run, Second};

/// The raw values of one counter, cell by cell; `None` in cells without a trustworthy one.
pub struct RawColumn<'a> {
    /// Number of instances of the cooked values: those of the run, followed by aggregates, which have no raw
    /// values.
    num_instances: usize,
    run: &'a Run,
    column: &'a Column,
    second: Seconds<'a>,
    /// Whether the counter's raw values are unsigned integers: others, as texts, don't fit the column.
    is_unsigned: bool,
    /// Faulty cells of this counter and of its base, sorted.
    faults: Vec<usize>,
    base_faults: Vec<usize>,
}

enum Seconds<'a> {
    None,
    PerSample(&'a [u64]),
    PerCell(&'a [u64]),
}

impl<'a> RawColumn<'a> {
    /// The raw values for the cooked ones of the counter at an index; `None` if there are none. Cells are
    /// numbered as in the cooked values.
    pub fn new(cooked: &'a Cooked, counter: usize) -> Option<RawColumn<'a>> {
        RawColumn::of(cooked.raw.as_deref()?, cooked.instances.len(), counter)
    }

    /// The raw values of a run, for cooked values with this many instances.
    pub(crate) fn of(run: &'a Run, num_instances: usize, counter: usize) -> Option<RawColumn<'a>> {
        let column = run.columns.get(counter)?;
        let mut base = None;
        let second = match &column.second {
            Second::None => Seconds::None,
            Second::Clock(timer) => Seconds::PerSample(run.clocks.ticks(*timer)),
            Second::Base(index) => {
                base = Some(*index);
                run.columns.get(*index).map_or(Seconds::None, |base| Seconds::PerCell(&base.first))
            }
            Second::Own(values) => Seconds::PerCell(values),
        };
        let base_faults = base.map(|base| faulty_cells(run, base)).unwrap_or_default();
        Some(RawColumn {
            num_instances,
            run,
            column,
            second,
            is_unsigned: run.object.counters.get(counter)?.number == RawNumber::Unsigned
                && column.texts.is_none(),
            faults: faulty_cells(run, counter),
            base_faults,
        })
    }

    /// First value of a cell: the counter's own.
    pub fn first(&self, cell: usize) -> Option<u64> {
        let cell = self.raw_cell(cell)?;
        (self.is_unsigned && self.is_sound(cell)).then(|| self.column.first.get(cell).copied()).flatten()
    }

    /// Second value of a cell: its clock or its base.
    pub fn second(&self, cell: usize) -> Option<u64> {
        let cell = self.raw_cell(cell)?;
        match self.second {
            Seconds::None => None,
            Seconds::PerSample(clock) => clock.get(cell.checked_div(self.run.instances.len())?).copied(),
            Seconds::PerCell(values) => {
                let is_sound = match self.column.second {
                    Second::Own(_) => self.is_sound(cell),
                    _ => self.base_faults.binary_search(&cell).is_err(),
                };
                is_sound.then(|| values.get(cell).copied()).flatten()
            }
        }
    }

    /// The cell in the run; `None` for a cell of an aggregate.
    fn raw_cell(&self, cell: usize) -> Option<usize> {
        let num_raw = self.run.instances.len();
        if num_raw == self.num_instances {
            return Some(cell);
        }
        let (sample, instance) = (cell.checked_div(self.num_instances)?, cell % self.num_instances);
        (instance < num_raw).then_some(sample * num_raw + instance)
    }

    fn is_sound(&self, cell: usize) -> bool {
        self.faults.binary_search(&cell).is_err()
    }
}

fn faulty_cells(run: &Run, counter: usize) -> Vec<usize> {
    let of_counter = run.faults.iter().filter(|fault| fault.counter as usize == counter);
    let num_instances = run.instances.len();
    let cell = |fault: &CellFault| fault.sample as usize * num_instances + fault.instance as usize;
    let mut cells: Vec<usize> = of_counter.map(cell).collect();
    cells.sort_unstable();
    cells
}
