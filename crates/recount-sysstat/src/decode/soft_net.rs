//! Network processing by CPUs. The file has no sum over all CPUs: it is computed over those that are also in the
//! previous sample, as for CPU time (formats/sa.md#cpu).

use recount_model::{Basis, Timestamp};

use super::basis::{self, Bases};
use crate::layout::{Field, Layout};
use crate::structure::number::Numbers;

pub(crate) const NAMES: [&str; NUM_VALUES] =
    ["processed", "dropped", "time_squeeze", "received_rps", "flow_limit", "backlog_len"];

pub(crate) const NUM_VALUES: usize = 6;
/// The last one isn't a counter.
const NUM_COUNTERS: usize = 5;

type Values = [u64; NUM_VALUES];

/// Reads items.
pub(crate) struct Reader {
    fields: [Option<Field>; NUM_VALUES],
    numbers: Numbers,
}

impl Reader {
    pub(crate) fn of(layout: &Layout, numbers: Numbers) -> Reader {
        Reader { fields: NAMES.map(|name| layout.field(name)), numbers }
    }

    pub(crate) fn values(&self, item: &[u8]) -> Values {
        self.fields.map(|field| field.and_then(|field| field.number(self.numbers, item)).unwrap_or(0))
    }
}

/// Whether a CPU counts at all.
pub(crate) fn is_online(values: &Values) -> bool {
    *values != [0; NUM_VALUES]
}

/// Corrections of the sum: what to add, from which sample on.
#[derive(Default)]
pub(crate) struct Ledger {
    corrections: Vec<(u32, Values)>,
    bases: Bases,
}

impl Ledger {
    pub(crate) fn corrected(&self, sum: Values, sample: u32) -> Values {
        let next = self.corrections.partition_point(|(from, _)| *from <= sample);
        let correction = next.checked_sub(1).map_or([0; NUM_VALUES], |last| self.corrections[last].1);
        // The counters have 32 bits, and so has their sum.
        std::array::from_fn(|index| u64::from(sum[index].wrapping_add(correction[index]) as u32))
    }

    /// What the sum counts from.
    pub(crate) fn basis(&self, sample: u32) -> Basis {
        self.bases.at(sample)
    }

    /// When a counter last decreased, so that all started afresh, up to a sample.
    pub(crate) fn start(&self, sample: u32) -> Option<Timestamp> {
        self.bases.start(sample)
    }
}

/// Goes through the samples of a file to find the corrections.
#[derive(Default)]
pub(crate) struct Tracker {
    ledger: Ledger,
    file_created: u64,
    epoch: Option<u32>,
    /// The number of what is corrected in this epoch.
    basis: u64,
    /// The last values of each CPU that weren't all zero.
    tracks: Vec<Option<Values>>,
    all: Values,
    correction: Values,
}

impl Tracker {
    pub(crate) fn new(file_created: u64) -> Tracker {
        Tracker { file_created, ..Tracker::default() }
    }

    /// Processes the CPUs of the next sample, without the sum.
    pub(crate) fn sample(
        &mut self,
        sample: u32,
        epoch: u32,
        time: Timestamp,
        cpus: impl ExactSizeIterator<Item = Values>,
    ) {
        let is_first = self.epoch.replace(epoch) != Some(epoch);
        let cpus: Vec<Values> = cpus.collect();
        if is_first {
            self.tracks.clear();
            let is_on = |cpu: &usize| is_online(&cpus[*cpu]);
            self.basis = basis::of_epoch(self.file_created, time);
            self.ledger.bases.begin(sample, basis::of_set((0..cpus.len()).filter(is_on)));
        }
        if self.tracks.len() < cpus.len() {
            self.tracks.resize(cpus.len(), None);
        }
        let (mut online, mut advance) = ([0_u64; NUM_VALUES], [0_u64; NUM_COUNTERS]);
        for (cpu, now) in cpus.into_iter().enumerate().filter(|(_, now)| is_online(now)) {
            online.iter_mut().zip(now).for_each(|(sum, value)| *sum = sum.wrapping_add(value));
            if let Some(before) = self.tracks[cpu].replace(now) {
                for (index, sum) in advance.iter_mut().enumerate() {
                    *sum =
                        sum.wrapping_add(u64::from((now[index] as u32).wrapping_sub(before[index] as u32)));
                }
            }
        }
        let mut next = online;
        if !is_first {
            next = self.all;
            for (value, more) in next.iter_mut().zip(advance) {
                *value = value.wrapping_add(more);
            }
            if advance.iter().any(|more| *more >= 1 << 31) {
                self.ledger.bases.restart(sample, time);
            }
        }
        let mut correction = [0; NUM_VALUES];
        for index in 0..NUM_COUNTERS {
            correction[index] = u64::from((next[index] as u32).wrapping_sub(online[index] as u32));
        }
        if correction != self.correction {
            self.ledger.corrections.push((sample, correction));
            if !is_first {
                self.ledger.bases.correct(sample, self.basis);
            }
        }
        (self.all, self.correction) = (next, correction);
    }

    pub(crate) fn finish(self) -> Ledger {
        self.ledger
    }
}
