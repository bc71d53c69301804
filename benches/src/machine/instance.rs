//! One instance: its identity, and its raw values.

use super::{Behaviour, ObjectSpec, Work};
use crate::random::Random;

/// One instance: its identity, and its raw values.
#[derive(Clone, Debug)]
pub struct SimulatedInstance {
    /// Name, without occurrence number.
    pub name: String,
    /// Raw values, one per counter of the object.
    pub values: Vec<u64>,
    /// Whether any value moved in the last step.
    pub has_moved: bool,
    is_busy: bool,
}

impl SimulatedInstance {
    pub(crate) fn new(
        spec: &ObjectSpec,
        name: &str,
        is_busy: bool,
        id: u64,
        started: i64,
        random: &mut Random,
    ) -> Self {
        let mut values: Vec<u64> = spec.counters.iter().map(|_| 0).collect();
        for (value, counter) in values.iter_mut().zip(spec.counters) {
            *value = match counter.behaviour {
                Behaviour::Rises(_) => beginning(random),
                Behaviour::Wanders { typical, unit } => random.below(typical / unit + 1) * unit,
                Behaviour::PeakOfNext => 0,
                Behaviour::Fixed(value) => value,
                Behaviour::Id => id,
                Behaviour::ParentId => 600 + 4 * random.below(20),
                Behaviour::Started => started as u64,
            };
        }
        let mut instance = SimulatedInstance { name: name.to_owned(), values, has_moved: true, is_busy };
        instance.raise_peaks(spec);
        instance
    }

    /// What it does in an interval.
    pub(crate) fn work(&self, spec: &ObjectSpec, interval: u64, random: &mut Random) -> Work {
        if self.is_busy || random.once_in(spec.per_second.idle_seconds) {
            Work::some(interval, spec.per_second, random)
        } else {
            Work::idle(interval)
        }
    }

    /// Moves its values on.
    pub(crate) fn advance(&mut self, spec: &ObjectSpec, work: &Work, random: &mut Random) {
        let is_idle = *work == Work::idle(work.interval);
        for (value, counter) in self.values.iter_mut().zip(spec.counters) {
            match counter.behaviour {
                Behaviour::Rises(by) => *value = value.wrapping_add(by(work)),
                Behaviour::Wanders { unit, .. } if !is_idle && random.once_in(2) => {
                    let step = random.below(9) * unit;
                    *value = if random.once_in(2) { *value + step } else { value.saturating_sub(step) };
                }
                _ => {}
            }
        }
        self.has_moved = true;
        self.raise_peaks(spec);
    }

    fn raise_peaks(&mut self, spec: &ObjectSpec) {
        for (at, counter) in spec.counters.iter().enumerate() {
            if let (Behaviour::PeakOfNext, Some(&next)) = (counter.behaviour, self.values.get(at + 1)) {
                self.values[at] = self.values[at].max(next);
            }
        }
    }
}

/// Where a counter stands when the log begins: for one in four, just below 2^32, so that 32-bit counters wrap.
fn beginning(random: &mut Random) -> u64 {
    if random.once_in(4) { u64::from(u32::MAX) - random.below(2_000_000) } else { random.below(1 << 31) }
}
