//! An object with its instances.

use super::spec::TotalKind;
use super::{Behaviour, ObjectSpec, SimulatedInstance, Work};
use crate::random::Random;

/// The instance for the sum of all others.
const TOTAL: &str = "_Total";

/// This many instances never end: Idle and System.
const NUM_STAY: usize = 2;

/// An object with its instances.
#[derive(Debug)]
pub struct SimulatedObject {
    /// What it is.
    pub spec: &'static ObjectSpec,
    /// Its instances, `_Total` last; one without a name for an object without instances.
    pub instances: Vec<SimulatedInstance>,
    /// Incremented when an instance starts or ends.
    pub generation: u64,
    next_id: u64,
    seconds_to_change: u64,
}

impl SimulatedObject {
    pub(crate) fn new(spec: &'static ObjectSpec, now: i64, random: &mut Random) -> SimulatedObject {
        let names: &[&str] = if spec.instances.is_empty() { &[""] } else { spec.instances };
        let mut object = SimulatedObject {
            spec,
            instances: Vec::with_capacity(names.len() + 1),
            generation: 0,
            next_id: 0,
            seconds_to_change: spec.change_every_s,
        };
        for (at, name) in names.iter().enumerate() {
            // Began within the day before.
            let started = now - random.below(864_000_000_000) as i64;
            let is_busy = (at as u64).is_multiple_of(spec.per_second.one_busy_of);
            object.start(name, is_busy, started, random);
        }
        if spec.with_total.is_some() {
            object.instances.push(SimulatedInstance::new(spec, TOTAL, false, 0, 0, random));
            object.sum_up();
        }
        object
    }

    pub(crate) fn step(&mut self, now: i64, interval: u64, random: &mut Random) {
        self.come_and_go(now, interval, random);
        let spec = self.spec;
        let own = self.num_own();
        let idle = Work::idle(interval);
        for instance in &mut self.instances[..own] {
            let work = instance.work(spec, interval, random);
            // Clock counters and idle time always advance.
            let goes_on =
                work != idle || spec.counters.iter().any(|counter| rises_when_idle(counter.behaviour));
            instance.has_moved = false;
            if goes_on {
                instance.advance(spec, &work, random);
            }
        }
        self.sum_up();
    }

    /// Instances that are not `_Total`.
    fn num_own(&self) -> usize {
        self.instances.len() - usize::from(self.spec.with_total.is_some())
    }

    fn start(&mut self, name: &str, is_busy: bool, started: i64, random: &mut Random) {
        let instance = SimulatedInstance::new(self.spec, name, is_busy, self.next_id, started, random);
        // Ids of processes are multiples of four; the first, Idle, has 0.
        self.next_id += 4 * (1 + random.below(9));
        let at = if self.instances.last().is_some_and(|last| last.name == TOTAL) {
            self.num_own()
        } else {
            self.instances.len()
        };
        self.instances.insert(at, instance);
    }

    fn come_and_go(&mut self, now: i64, interval: u64, random: &mut Random) {
        if self.spec.change_every_s == 0 {
            return;
        }
        self.seconds_to_change = self.seconds_to_change.saturating_sub(1);
        if self.seconds_to_change > 0 {
            return;
        }
        self.seconds_to_change = 1 + random.below(2 * self.spec.change_every_s - 1);
        self.generation += 1;
        let (own, usual) = (self.num_own(), self.spec.instances.len());
        if own >= usual && own > NUM_STAY && (own > usual + 20 || random.once_in(2)) {
            let leaves = NUM_STAY + random.below((own - NUM_STAY) as u64) as usize;
            self.instances.remove(leaves);
        } else {
            let name = self.spec.instances[random.below(usual as u64 - 1) as usize + 1];
            let is_busy = random.once_in(self.spec.per_second.one_busy_of);
            self.start(name, is_busy, now - random.below(interval) as i64, random);
        }
    }

    /// Makes `_Total`.
    fn sum_up(&mut self) {
        let Some(kind) = self.spec.with_total else { return };
        let Some((total, own)) = self.instances.split_last_mut() else { return };
        for (at, counter) in self.spec.counters.iter().enumerate() {
            let sum = own.iter().fold(0_u64, |sum, instance| sum.wrapping_add(instance.values[at]));
            let is_time = counter.word >> 28 == 2; // shown in percent
            total.values[at] = match counter.behaviour {
                Behaviour::Id | Behaviour::ParentId | Behaviour::Started | Behaviour::Fixed(_) => 0,
                _ if kind == TotalKind::MeanOfTimers && is_time => sum / own.len().max(1) as u64,
                _ => sum,
            };
        }
        total.has_moved = true;
    }
}

fn rises_when_idle(behaviour: Behaviour) -> bool {
    match behaviour {
        Behaviour::Rises(by) => by(&Work::idle(1)) > 0,
        _ => false,
    }
}
