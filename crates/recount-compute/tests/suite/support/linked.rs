//! A classic run in the form of a counterset: the other inputs of formulas are themselves counters, named by
//! links (MS-PCQ 2.2.4.2 `BaseCounterId`, `PerfTimeId`, `PerfFreqId`, `MultiId`).

use std::sync::Arc;

use recount_model::{
    CellFault, Column, CounterAttributes, CounterDef, CounterType, Formula, Multi, Run, Second, Timer,
};

/// `PERF_COUNTER_LARGE_RAWCOUNT`, the type that the document requires for clocks and frequencies.
pub const LARGE_RAWCOUNT: u32 = 0x0001_0100;
/// `PERF_COUNTER_RAWCOUNT`, the type that it requires for instance counts.
pub const RAWCOUNT: u32 = 0x0001_0000;
const PRECISION_OBJECT_TIMER: u32 = 0x2067_0500;

/// The run with links instead of object clocks, bases of their own and multi bases. The counters keep their
/// positions; the linked counters follow them and are hidden.
pub fn linked(classic: &Run) -> Run {
    let mut linker = Linker { run: classic.clone(), counters: classic.object.counters.clone() };
    for at in 0..classic.columns.len() {
        linker.link(at);
    }
    let mut object = (*linker.run.object).clone();
    object.counters = linker.counters;
    Run { object: Arc::new(object), ..linker.run }
}

struct Linker {
    run: Run,
    counters: Vec<CounterDef>,
}

impl Linker {
    fn link(&mut self, at: usize) {
        let Some(word) = self.counters[at].counter_type else { return };
        let recipe = word.recipe(self.counters[at].len_value);
        let Column { second, multi, .. } = self.run.columns[at].clone();
        if recipe.formula.needs_clock() && second == Second::Clock(Timer::Object) {
            let clock = self.per_cell(&self.run.clocks.object_time);
            self.run.columns[at].second = Second::Base(self.push(LARGE_RAWCOUNT, clock, None));
            // The document requires it for all of these types; only elapsed times need it.
            let frequency = self.per_cell(&self.run.clocks.object_freq);
            self.run.columns[at].frequency = Some(self.push(LARGE_RAWCOUNT, frequency, None));
        }
        let base_word = word.predefined().and_then(|row| row.base);
        match second {
            Second::Base(base) if word.0 == PRECISION_OBJECT_TIMER => {
                let cells = self.run.columns[base].first.clone();
                self.run.columns[at].second = Second::Base(self.push(LARGE_RAWCOUNT, cells, Some(base)));
            }
            Second::Own(cells) if recipe.formula.needs_base() => {
                let base = self.push(base_word.expect("a base"), cells, None);
                self.run.columns[at].second = Second::Base(base);
            }
            _ => {}
        }
        match multi {
            Multi::Base(base) => {
                let cells = self.run.columns[base].first.clone();
                self.run.columns[at].multi = Multi::Base(self.push(RAWCOUNT, cells, Some(base)));
            }
            Multi::Own(cells) => {
                self.run.columns[at].multi = Multi::Base(self.push(RAWCOUNT, cells, None));
            }
            Multi::None => {}
        }
        assert!(recipe.formula != Formula::Elapsed || self.run.columns[at].frequency.is_some());
    }

    fn per_cell(&self, samples: &[u64]) -> Vec<u64> {
        samples.iter().flat_map(|v| std::iter::repeat_n(*v, self.run.instances.len())).collect()
    }

    /// Adds a counter; one that represents another also has its faults.
    fn push(&mut self, word: u32, cells: Vec<u64>, instead_of: Option<usize>) -> usize {
        let at = self.counters.len();
        self.counters.push(CounterDef {
            counter_type: Some(CounterType(word)),
            attributes: CounterAttributes::NO_DISPLAY,
            ..super::counter("linked", word)
        });
        self.run.columns.push(super::column(cells, Second::None));
        let of = |fault: &&CellFault| Some(fault.counter as usize) == instead_of;
        let faults: Vec<CellFault> = self.run.faults.iter().filter(of).copied().collect();
        self.run.faults.extend(faults.iter().map(|fault| CellFault { counter: at as u32, ..*fault }));
        at
    }
}
