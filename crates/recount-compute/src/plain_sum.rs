//! Totals that are only the sum over the processes of a sample.
//!
//! Logs of our recorder before `_Total` went on growing, and the first sample of each recording, have such totals. One falls when a
//! process ends, and what the others used meanwhile may hide that: the step is too small and looks right
//! (`formats/linux-objects.md`, "Totals").

use std::sync::Arc;

use recount_model::{Instance, Run, Size};

use crate::carry::{Carry, is_of_linux, place_of_counter};
use crate::living::Living;

/// The previous run as the next one is to be compared with: a total that lacks what it contained before counts as reset.
pub(crate) fn with_hidden_falls(previous: Arc<Run>, run: &Run) -> Arc<Run> {
    // Few objects are, and this is asked of every run.
    if run.num_samples() == 0 || !is_of_linux(&run.object) {
        return previous;
    }
    let totals = || Some((total_of(&previous)?, total_of(run)?));
    let (Some((before, now)), Some(last)) = (totals(), previous.num_samples().checked_sub(1)) else {
        return previous;
    };
    let ended = Living::new(&previous, run).map(|living| living.ended()).unwrap_or_default();
    if ended.is_empty() {
        return previous;
    }
    let is_fallen = |(counter, place): &(usize, usize)| {
        is_plain_sum(run, *counter, 0, now)
            && (!is_plain_sum(&previous, *place, last, before)
                || ended.iter().any(|at| cell(&previous, *place, last, *at) > 0))
    };
    let fallen: Vec<usize> = (0..run.object.counters.len())
        .filter(|counter| run.object.counters[*counter].formula().needs_two_samples())
        .filter_map(|counter| Some((counter, place_of_counter(&previous.object, &run.object, counter)?)))
        .filter(is_fallen)
        .map(|(_, place)| place)
        .collect();
    if fallen.is_empty() {
        return previous;
    }
    let mut changed = previous.part(last..last + 1);
    for place in fallen {
        // Nothing is larger, so whatever comes is a fall.
        changed.columns[place].first[before] = u64::MAX;
    }
    Arc::new(changed)
}

/// The place of a total in a run, and the counters by which its step to the first sample of the run is too small: it is the plain sum over the
/// instances on both sides, and one that had counted something is gone. Of Windows' totals; those of our recorder have no value there.
pub(crate) fn hidden_falls(carry: &Carry<'_>, run: &Run) -> Option<(usize, Vec<usize>)> {
    let previous = carry.run;
    let (before, now) = (total_of(previous)?, total_of(run)?);
    if run.num_samples() == 0 || carry.source(now) != Some(before) {
        return None;
    }
    let mut is_gone = vec![true; previous.instances.len()];
    for source in (0..run.instances.len()).filter_map(|at| carry.source(at)) {
        is_gone[source] = false;
    }
    let gone: Vec<usize> = (0..is_gone.len()).filter(|at| is_gone[*at]).collect();
    if gone.is_empty() {
        return None;
    }
    let is_hidden = |counter: &usize| {
        let definition = &run.object.counters[*counter];
        let Some(place) = carry.counter(run, *counter).filter(|_| definition.formula().needs_two_samples())
        else {
            return false;
        };
        gone.iter().any(|at| cell(previous, place, carry.sample, *at) > 0)
            && is_plain_sum(previous, place, carry.sample, before)
            && is_plain_sum(run, *counter, 0, now)
    };
    let counters: Vec<usize> = (0..run.object.counters.len()).filter(is_hidden).collect();
    (!counters.is_empty()).then_some((now, counters))
}

fn total_of(run: &Run) -> Option<usize> {
    run.instances.iter().position(Instance::is_total)
}

/// Whether a total is the sum of the other instances of a sample.
fn is_plain_sum(run: &Run, counter: usize, sample: usize, total: usize) -> bool {
    let others = (0..run.instances.len()).filter(|at| *at != total);
    let sum = others.fold(0, |sum: u64, at| sum.wrapping_add(cell(run, counter, sample, at)));
    let is_short = run.object.counters[counter].counter_type.is_some_and(|word| word.size() == Size::Dword);
    let total = cell(run, counter, sample, total);
    if is_short { sum as u32 == total as u32 } else { sum == total }
}

fn cell(run: &Run, counter: usize, sample: usize, instance: usize) -> u64 {
    let first = run.columns.get(counter).map_or(&[][..], |column| &column.first);
    first.get(sample * run.instances.len() + instance).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use recount_model::{Clocks, Column, CounterDef, ObjectDef, SampleTime, Timestamp};

    use super::*;

    /// Ids and page faults, the total last.
    fn run(time: i64, processes: &[(u64, u64)], total: u64) -> Run {
        let counter = CounterDef {
            name: "Major Page Faults/sec".into(),
            counter_type: Some(recount_model::CounterType(0x1041_0500)),
            ..CounterDef::default()
        };
        let object = ObjectDef { name: "Process".into(), counters: vec![counter], ..ObjectDef::default() };
        let process = |(id, _): &(u64, u64)| Instance {
            id: Some(*id),
            start: Some(Timestamp(1)),
            ..Instance::named("cc1")
        };
        let named = Instance { id: Some(0), ..Instance::named("_Total") };
        let utc = Timestamp(time * Timestamp::TICKS_PER_SECOND);
        Run {
            host: "".into(),
            object: Arc::new(object),
            instances: processes.iter().map(process).chain([named]).collect(),
            clocks: Clocks { time: vec![SampleTime { utc, offset_min: 0 }], ..Clocks::default() },
            columns: vec![Column {
                first: processes.iter().map(|(_, value)| *value).chain([total]).collect(),
                ..Column::default()
            }],
            faults: Vec::new(),
        }
    }

    fn is_reset(before: Run, after: &Run) -> bool {
        let total = before.instances.len() - 1;
        with_hidden_falls(Arc::new(before), after).columns[0].first[total] == u64::MAX
    }

    #[test]
    fn a_sum_that_hides_a_fall_is_reset() {
        let before = || run(1, &[(7, 100), (8, 30)], 130);
        assert!(is_reset(before(), &run(2, &[(7, 190)], 190)), "rose by 60, where process 7 had 90");
        assert!(!is_reset(before(), &run(2, &[(7, 190), (8, 31)], 221)), "nobody ended");
        assert!(
            !is_reset(run(1, &[(7, 100), (8, 0)], 100), &run(2, &[(7, 190)], 190)),
            "who ended had nothing"
        );
    }

    #[test]
    fn a_total_that_goes_on_growing_is_compared() {
        assert!(!is_reset(run(1, &[(7, 100), (8, 30)], 130), &run(2, &[(7, 190)], 220)));
        assert!(!is_reset(run(1, &[(7, 100), (8, 30)], 180), &run(2, &[(7, 190)], 270)));
        // The recorder was started again.
        assert!(is_reset(run(1, &[(7, 100), (8, 0)], 180), &run(2, &[(7, 190)], 190)));
    }
}
