//! A simulated server: its performance objects, their instances, and how raw values move from second to second.

mod disk;
mod instance;
mod memory;
mod network;
mod object;
mod process;
mod processor;
mod spec;
mod system;
mod work;

use std::collections::BTreeMap;

pub use instance::SimulatedInstance;
pub use object::SimulatedObject;
pub use spec::{Behaviour, CounterSpec, ObjectSpec, PerSecond};
pub use work::Work;

use crate::random::Random;

/// Ticks per second of the performance counter, and of the 100 ns clock.
pub const PERF_FREQ: i64 = 10_000_000;

/// 2026-03-02T06:00:00 UTC: when the log begins.
const BEGINS: i64 = 134_169_264_000_000_000;

/// The machine at one moment.
pub struct Machine {
    /// Clock in 100 ns since 1601, UTC.
    pub time_100ns: i64,
    /// Performance counter.
    pub perf_time: i64,
    /// Objects, in the order of the log's records.
    pub objects: Vec<SimulatedObject>,
    random: Random,
}

impl Machine {
    /// The machine as it was booted, some hours before the log begins.
    pub fn new(seed: u64) -> Machine {
        let mut random = Random::new(seed);
        let specs = [
            &processor::SPEC,
            &system::SPEC,
            &memory::SPEC,
            &disk::PHYSICAL,
            &disk::LOGICAL,
            &network::SPEC,
            &process::SPEC,
        ];
        let objects = specs.map(|spec| SimulatedObject::new(spec, BEGINS, &mut random)).into();
        Machine { time_100ns: BEGINS, perf_time: 1_234_567_890_123, objects, random }
    }

    /// Lets about a second pass.
    pub fn step(&mut self) {
        // The timer of a sampling session is late by up to some milliseconds, seldom by more.
        let late = if self.random.once_in(50) { 160_000 } else { 9_000 };
        let interval = 10_000_000 - 4_500 + self.random.below(late);
        self.time_100ns += interval as i64;
        // The two clocks drift apart.
        self.perf_time += (interval + self.random.below(40)) as i64 - 20;
        for object in &mut self.objects {
            object.step(self.time_100ns, interval, &mut self.random);
        }
    }

    /// Names of all objects and counters, by index.
    pub fn names(&self) -> BTreeMap<u32, String> {
        let specs = || self.objects.iter().map(|object| object.spec);
        let objects = specs().map(|spec| (spec.index, spec.name));
        let counters = specs().flat_map(|spec| spec.counters).map(|counter| (counter.index, counter.name));
        objects.chain(counters).map(|(index, name)| (index, name.to_owned())).collect()
    }
}

#[cfg(test)]
mod tests;
