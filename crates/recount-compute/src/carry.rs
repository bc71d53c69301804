//! The carry: the last sample of the previous run, as seen from the next run.

use std::sync::Arc;

use recount_model::{CounterDef, Instance, ObjectDef, Run, Second, Timer, Timestamp, match_instances};

use crate::operand::Links;

/// The last sample of the previous run.
#[derive(Debug)]
pub(crate) struct Carry<'a> {
    pub(crate) run: &'a Run,
    /// Index of the sample in `run`.
    pub(crate) sample: usize,
    /// Per instance of the next run: the same instance's index in `run`.
    source: Vec<Option<usize>>,
    /// Per instance: whether it began after that sample and counts from zero. Empty if that is so of no instance.
    newborn: Vec<bool>,
    same_counters: bool,
}

impl<'a> Carry<'a> {
    /// `None` if the previous run has no samples.
    pub(crate) fn new(
        previous: &'a Run,
        object: &Arc<ObjectDef>,
        instances: &[Instance],
    ) -> Option<Carry<'a>> {
        let sample = previous.num_samples().checked_sub(1)?;
        let same_counters =
            Arc::ptr_eq(&previous.object, object) || previous.object.counters == object.counters;
        let time = previous.start_clock(sample);
        let source = match_instances(&previous.instances, time, instances);
        let newborn = newborn(object, instances, &source, time);
        Some(Carry { run: previous, sample, source, newborn, same_counters })
    }

    /// Index, in the previous run, of the counter that counter `index` of `run` continues.
    pub(crate) fn counter(&self, run: &Run, index: usize) -> Option<usize> {
        if self.same_counters {
            return Some(index);
        }
        let before = place_of_counter(&self.run.object, &run.object, index)?;
        let is_same = is_same_operand((self.run, before), (run, index))
            && (scale(self.run, before) == scale(run, index));
        is_same.then_some(before)
    }

    /// The previous index of an instance.
    pub(crate) fn source(&self, instance: usize) -> Option<usize> {
        self.source.get(instance).copied().flatten()
    }

    /// Whether an instance began after that sample, so that what it counts was zero there.
    pub(crate) fn is_newborn(&self, instance: usize) -> bool {
        self.newborn.get(instance).copied().unwrap_or(false)
    }

    /// Whether an instance that began after that sample can have used `share` of a processor in the interval: no more than all
    /// processors since its start. Unless their number is known, it can.
    pub(crate) fn can_have_used(&self, run: &Run, instance: usize, share: f64) -> bool {
        let (Some(num), Some(start)) = (run.object.num_processors, run.instances[instance].start) else {
            return true;
        };
        let (before, now) = (self.run.start_clock(self.sample), run.start_clock(0));
        // Of several that ended and were added up, the start is that of one of them.
        let since = if is_of_linux(&run.object) { before } else { start };
        let used_s = share * now.seconds_since(before);
        used_s <= f64::from(num) * (now.seconds_since(since) + ROUNDING_S)
    }

    /// The cells of the last sample in the order of the next run; 0 for missing ones.
    pub(crate) fn gather(&self, cells: &[u64]) -> Vec<u64> {
        let start = self.sample * self.run.instances.len();
        let cell = |source: &Option<usize>| source.and_then(|at| cells.get(start + at)).copied().unwrap_or(0);
        self.source.iter().map(cell).collect()
    }
}

/// Starts and processor time are counted in ticks: of 10 ms, or 15.6 ms.
const ROUNDING_S: f64 = 0.05;

/// Counters that processes and threads have only on Linux, where all that they count begins at zero with them.
const OF_LINUX: [(&str, &str); 2] = [("Process", "Major Page Faults/sec"), ("Thread", "Thread State Letter")];

/// Whether an object is `Process` or `Thread` as the recorder on Linux writes them.
pub(crate) fn is_of_linux(object: &ObjectDef) -> bool {
    let has = |name: &str| object.counters.iter().any(|counter| *counter.name == *name);
    OF_LINUX.iter().any(|(name, own)| *object.name == **name && has(own))
}

/// Which instances are new because they began after the previous sample, and not because that lacks them.
fn newborn(
    object: &ObjectDef,
    instances: &[Instance],
    source: &[Option<usize>],
    time_before: Timestamp,
) -> Vec<bool> {
    if source.iter().all(Option::is_some) || !(object.counts_from_start || is_of_linux(object)) {
        return Vec::new();
    }
    let began = |(instance, source): (&Instance, &Option<usize>)| {
        source.is_none() && instance.start.is_some_and(|start| start > time_before)
    };
    instances.iter().zip(source).map(began).collect()
}

/// Index, in the definitions `before`, of the counter that `object.counters[index]` continues: one with the
/// same name whose raw values mean the same.
pub(crate) fn place_of_counter(before: &ObjectDef, object: &ObjectDef, index: usize) -> Option<usize> {
    let wanted = object.counters.get(index)?;
    let before = &before.counters;
    let is_wanted = |at: &usize| {
        before.get(*at).is_some_and(|def| def.name == wanted.name && is_same_measure(def, wanted))
    };
    Some(index).filter(is_wanted).or_else(|| (0..before.len()).find(is_wanted))
}

/// Whether raw values of two definitions can be compared: type, width and unit are the same.
fn is_same_measure(one: &CounterDef, other: &CounterDef) -> bool {
    let measure = |def: &CounterDef| {
        (def.counter_type, def.len_value, def.width, def.number, def.own_formula, def.unit)
    };
    measure(one) == measure(other)
}

/// Whether what two counters are divided by can be compared: bases of the same measure, or the same clock.
fn is_same_operand(before: (&Run, usize), later: (&Run, usize)) -> bool {
    let is_same_base = match (base(before.0, before.1), base(later.0, later.1)) {
        (Some(before), Some(later)) => is_same_measure(before, later),
        // A base may be a counter in one source and a value of its own in another.
        _ => true,
    };
    let is_same_clock = match (clock(before.0, before.1), clock(later.0, later.1)) {
        (Some(before), Some(later)) => before == later,
        _ => true,
    };
    is_same_base && is_same_clock
}

/// Where the clock of the samples has a frequency of its own, a time base is the scale of the raw values. Elsewhere it is that
/// frequency, and the last one counts, as in PDH.
fn scale(run: &Run, counter: usize) -> Option<u64> {
    if run.clocks.perf_freq.is_empty() {
        return None;
    }
    run.object.counters.get(counter)?.time_base
}

fn base(run: &Run, counter: usize) -> Option<&CounterDef> {
    run.object.counters.get(Links::of(run, counter).second?)
}

fn clock(run: &Run, counter: usize) -> Option<Timer> {
    match run.columns.get(counter)?.second {
        Second::Clock(timer) => Some(timer),
        _ => None,
    }
}
