//! Compares the instances that a reader of the list will take to be the same with those of the source.

use std::collections::HashMap;

use recount_model::{ENDED_PROCESSES, Formula, Instance, Instances, Run, Timestamp, id_counters};

use super::cells::{recipe, time_base};

/// The counters of an object that are always added to the list, since they distinguish its instances and say which have ended.
pub(super) fn counters(run: &Run) -> Vec<usize> {
    if !run.instances.iter().any(|instance| instance.id.is_some()) {
        return Vec::new();
    }
    let ids = id_counters(&run.object.counters);
    // A start time is only meaningful together with an id.
    let start = start(run).filter(|_| !ids.is_empty());
    // What has ended has no memory: its gauges are 0.
    let ended = run.object.counters.iter().position(|counter| *counter.name == *ENDED_PROCESSES);
    ids.into_iter().chain(start).chain(ended).collect()
}

/// The counter with the start time, if it uses the clock that counts from 1601.
fn start(run: &Run) -> Option<usize> {
    let counters = run.object.counters.iter().enumerate();
    let mut starts = counters.filter(|(counter, def)| {
        recipe(def).is_some_and(|(_, recipe)| {
            recipe.formula == Formula::Elapsed
                && time_base(run, *counter, recipe, 0) == Timestamp::TICKS_PER_SECOND as u64
        })
    });
    starts.next().map(|(counter, _)| counter)
}

/// The end of a run.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    instances: Instances,
    /// The instances as the reader will identify them.
    read: Vec<Instance>,
    time: Timestamp,
    start_clock: Timestamp,
}

impl Tail {
    pub(super) fn of(run: &Run) -> Option<Tail> {
        let last = run.num_samples().checked_sub(1)?;
        Some(Tail {
            instances: run.instances.clone(),
            read: read(run, last),
            time: run.clocks.time[last].utc,
            start_clock: run.start_clock(last),
        })
    }

    /// Instances of the next run that the reader would continue from different ones than the source does.
    pub(super) fn breaks(&self, run: &Run) -> Vec<u32> {
        if run.num_samples() == 0 || self.instances == run.instances {
            return Vec::new();
        }
        let before: HashMap<_, usize> =
            self.read.iter().enumerate().map(|(at, one)| (one.key(), at)).collect();
        let now = read(run, 0);
        let is_wrong = |at: &usize| {
            let Some(&earlier) = before.get(&now[*at].key()) else { return false };
            now[*at].is_same(&self.read[earlier], self.time)
                && !run.instances[*at].is_same(&self.instances[earlier], self.start_clock)
        };
        (0..now.len()).filter(is_wrong).map(|at| at as u32).collect()
    }
}

/// The instances of a sample as the reader of the list will identify them: by name, and by the values of id
/// counters.
fn read(run: &Run, sample: usize) -> Vec<Instance> {
    let (ids, start) = (id_counters(&run.object.counters), start(run));
    let has_ids = !counters(run).is_empty();
    let value = |counter: usize, at: usize| {
        let column = run.columns.get(counter)?;
        let is_covered = column.covers.as_ref().is_none_or(|covers| covers[at]);
        column.first.get(sample * run.instances.len() + at).copied().filter(|_| is_covered)
    };
    let instance = |(at, instance): (usize, &Instance)| {
        let id = if has_ids {
            ids.iter().try_fold(0, |id: u64, &counter| Some((id << 32) | value(counter, at)?))
        } else {
            None
        };
        let start = start.and_then(|counter| value(counter, at)).filter(|_| id.is_some_and(|id| id != 0));
        Instance { id, start: start.map(|ticks| Timestamp(ticks as i64)), ..instance.clone() }
    };
    run.instances.iter().enumerate().map(instance).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use recount_model::{Clocks, Column, CounterDef, ObjectDef};

    use super::*;

    /// Without them, a reader takes the memory of an ended process, which is 0, for its memory.
    #[test]
    fn what_has_ended_is_known_whatever_is_selected() {
        let named = |name: &str| CounterDef { name: name.into(), ..CounterDef::default() };
        let counters = ["Working Set", "ID Process", ENDED_PROCESSES].map(named).into();
        let run = Run {
            host: "".into(),
            object: Arc::new(ObjectDef { name: "Process".into(), counters, ..ObjectDef::default() }),
            instances: [Instance { id: Some(7), ..Instance::named("sh") }].into_iter().collect(),
            clocks: Clocks::default(),
            columns: vec![Column::default(); 3],
            faults: Vec::new(),
        };
        assert_eq!(super::counters(&run), [1, 2]);
    }
}
