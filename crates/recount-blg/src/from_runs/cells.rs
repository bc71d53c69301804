//! The raw values of a run's cells, in the form of records.

use std::collections::{HashMap, HashSet};

use recount_model::{CounterDef, CounterType, Multi, Recipe, Run, Second, Timer, Timestamp, Width};

use super::layout::InstanceKey;

/// A record's content for one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RawCell {
    pub(super) first: u64,
    pub(super) second: u64,
    pub(super) multi: u32,
}

/// Cells without a trustworthy value: (counter, sample, instance).
pub(super) type BadCells = HashSet<(u32, u32, u32)>;

/// The recipe of a counter that has a type word.
pub(super) fn recipe(def: &CounterDef) -> Option<(CounterType, Recipe)> {
    Some((def.counter_type?, def.recipe()?))
}

/// Ticks per second for the entry of a counter, at a sample of the run. An entry has one for all instances;
/// if a frequency counter states it, that of the first instance is used.
pub(super) fn time_base(run: &Run, counter: usize, recipe: Recipe, sample: usize) -> u64 {
    let at = |all: &[u64]| all.get(sample).copied().unwrap_or(0);
    if let Some(frequency) = run.columns.get(counter).and_then(|column| column.frequency) {
        return frequency_at(run, frequency, sample * run.instances.len());
    }
    let time_base = run.object.counters.get(counter).and_then(|def| def.time_base);
    match (time_base, recipe.clock) {
        (Some(time_base), _) => time_base,
        (None, Some(Timer::HundredNs)) => Timestamp::TICKS_PER_SECOND as u64,
        (None, Some(Timer::Object)) => at(&run.clocks.object_freq),
        (None, Some(Timer::Tick) | None) => at(&run.clocks.perf_freq),
    }
}

fn frequency_at(run: &Run, frequency: usize, cell: usize) -> u64 {
    run.columns.get(frequency).and_then(|column| column.first.get(cell)).copied().unwrap_or(0)
}

/// The values of a cell; zeros for missing ones.
pub(super) fn cell(run: &Run, counter: usize, sample: usize, instance: usize) -> RawCell {
    let at = sample * run.instances.len() + instance;
    let first = |counter: usize| run.columns.get(counter).and_then(|column| column.first.get(at)).copied();
    let column = &run.columns[counter];
    let second = match &column.second {
        Second::None => None,
        Second::Clock(timer) => run.clocks.ticks(*timer).get(sample).copied(),
        Second::Base(base) => first(*base),
        Second::Own(values) => values.get(at).copied(),
    };
    let multi = multi(run, counter, at).map_or(Some(1), |multi| u32::try_from(multi).ok());
    RawCell {
        first: first(counter).unwrap_or_default(),
        second: second.unwrap_or_default(),
        multi: multi.unwrap_or_default(),
    }
}

/// The instance count of a cell; `None` if the counter has none.
fn multi(run: &Run, counter: usize, at: usize) -> Option<u64> {
    match &run.columns[counter].multi {
        Multi::None => None,
        Multi::Own(values) => values.get(at).copied(),
        Multi::Base(base) => {
            let value = *run.columns.get(*base)?.first.get(at)?;
            let is_dword = run.object.counters.get(*base).is_some_and(|def| def.raw_width() == Width::Dword);
            // As on reading: the upper half of a DWORD is ignored.
            Some(if is_dword { value & u64::from(u32::MAX) } else { value })
        }
    }
}

/// Last values of bases that are wider than a reader of the list takes them for, by object, counter and instance.
pub(super) type LastBases = HashMap<(usize, String, InstanceKey), u64>;

/// The base of a counter, if its definition is wider than what a reader of the list takes it for.
fn wide_base(run: &Run, counter: usize) -> Option<usize> {
    let def = &run.object.counters[counter];
    let (_, recipe) = recipe(def)?;
    let Second::Base(base) = run.columns.get(counter)?.second else { return None };
    let width = run.object.counters.get(base)?.raw_width();
    let is_wide = recipe.formula.needs_base() && (def.base_width(), width) == (Width::Dword, Width::Large);
    is_wide.then_some(base)
}

/// Cells with a wide base that a reader would take for another: above 32 bits, or less than before, which would seem
/// to have wrapped around. `object` is the number of the run's object; `last` is brought up to date.
pub(super) fn misread_bases(run: &Run, object: usize, last: &mut LastBases) -> BadCells {
    let mut bad = BadCells::new();
    for counter in 0..run.columns.len() {
        let Some(base) = wide_base(run, counter) else { continue };
        let def = &run.object.counters[counter];
        let is_compared = recipe(def).is_some_and(|(_, recipe)| recipe.formula.needs_two_samples());
        for (at, instance) in run.instances.iter().enumerate() {
            let key = (object, def.name.to_lowercase(), InstanceKey::of(instance, run.object.instanced));
            let mut before = last.get(&key).copied();
            for sample in 0..run.num_samples() {
                let Some(&value) = run.columns[base].first.get(sample * run.instances.len() + at) else {
                    break;
                };
                if value > u64::from(u32::MAX) || (is_compared && before.is_some_and(|before| value < before))
                {
                    bad.insert((counter as u32, sample as u32, at as u32));
                }
                before = Some(value);
            }
            last.extend(before.map(|value| (key, value)));
        }
    }
    bad
}

/// Cells that the source marks as failed, directly or through their bases.
pub(super) fn failed_cells(run: &Run) -> BadCells {
    let mut bad = BadCells::new();
    let mut by_counter: Vec<Vec<(u32, u32)>> = vec![Vec::new(); run.columns.len()];
    for fault in &run.faults {
        if let Some(faults) = by_counter.get_mut(fault.counter as usize) {
            faults.push((fault.sample, fault.instance));
        }
    }
    for (counter, def) in run.object.counters.iter().enumerate().take(run.columns.len()) {
        if recipe(def).is_none() {
            continue;
        }
        let column = &run.columns[counter];
        let base = if let Second::Base(base) = column.second { Some(base) } else { None };
        let multi_base = if let Multi::Base(base) = column.multi { Some(base) } else { None };
        for of in [Some(counter), base, multi_base].into_iter().flatten() {
            let faults = by_counter.get(of).into_iter().flatten();
            bad.extend(faults.map(|&(sample, instance)| (counter as u32, sample, instance)));
        }
    }
    bad
}

/// Cells that a record can't express.
pub(super) fn unfit_cells(run: &Run) -> BadCells {
    let mut bad = BadCells::new();
    for (counter, def) in run.object.counters.iter().enumerate().take(run.columns.len()) {
        let Some((_, recipe)) = recipe(def) else { continue };
        let column = &run.columns[counter];
        if let Some(frequency) = column.frequency.filter(|_| recipe.formula.needs_frequency()) {
            for at in 0..run.num_cells() {
                let (sample, instance) = (at / run.instances.len(), at % run.instances.len());
                if frequency_at(run, frequency, at) != time_base(run, counter, recipe, sample) {
                    bad.insert((counter as u32, sample as u32, instance as u32));
                }
            }
        }
        let lacks_all = lacks_operand(run, counter, recipe);
        if lacks_all || recipe.formula.needs_multi() {
            for at in 0..run.num_cells() {
                let is_small = multi(run, counter, at).is_some_and(|multi| u32::try_from(multi).is_ok());
                if lacks_all || !is_small {
                    let (sample, instance) = (at / run.instances.len(), at % run.instances.len());
                    bad.insert((counter as u32, sample as u32, instance as u32));
                }
            }
        }
    }
    bad
}

/// Whether an input of the formula is missing, or would be read differently from a record.
fn lacks_operand(run: &Run, counter: usize, recipe: Recipe) -> bool {
    let formula = recipe.formula;
    let column = &run.columns[counter];
    let is_whole = |values: &[u64]| values.len() == run.num_cells();
    let has_cells = |counter: usize| run.columns.get(counter).is_some_and(|column| is_whole(&column.first));
    let has_second = match &column.second {
        _ if !formula.needs_base() && !formula.needs_clock() => true,
        Second::None => false,
        Second::Clock(timer) => !formula.needs_base() && run.clocks.ticks(*timer).len() >= run.num_samples(),
        Second::Base(base) => {
            let def = run.object.counters.get(*base);
            // A base with a different width than on reading would be subtracted wrongly, unless its values are small.
            let width_read = run.object.counters[counter].base_width();
            let is_as_read =
                def.is_some_and(|base| base.raw_width() == width_read) || wide_base(run, counter).is_some();
            has_cells(*base) && (is_as_read || !formula.needs_base())
        }
        Second::Own(values) => is_whole(values),
    };
    let has_multi = match &column.multi {
        _ if !formula.needs_multi() => true,
        Multi::None => false,
        Multi::Base(base) => has_cells(*base),
        Multi::Own(values) => is_whole(values),
    };
    !has_cells(counter) || !has_second || !has_multi
}
