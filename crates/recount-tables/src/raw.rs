//! Raw values beside the cooked ones.

use recount_model::{CellFault, Column, Run, Second};

/// The raw values of one counter, cell by cell, with nothing in cells that have no trustworthy one.
pub(crate) struct RawColumn<'a> {
    run: &'a Run,
    column: &'a Column,
    second: Seconds<'a>,
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
    /// The raw values of the counter at an index; `None` if the run has no such column.
    pub(crate) fn new(run: &'a Run, counter: usize) -> Option<RawColumn<'a>> {
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
        Some(RawColumn { run, column, second, faults: faulty_cells(run, counter), base_faults })
    }

    /// First value of a cell: the counter's own.
    pub(crate) fn first(&self, cell: usize) -> Option<u64> {
        self.is_sound(cell).then(|| self.column.first.get(cell).copied()).flatten()
    }

    /// Second value of a cell: its clock or its base.
    pub(crate) fn second(&self, cell: usize) -> Option<u64> {
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
