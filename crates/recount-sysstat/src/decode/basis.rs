//! What the sum over all CPUs, and corrected counters, count from (formats/sa.md#cpu). All of it depends on earlier samples
//! only, so a file that is still being written and its later copy agree.

use recount_model::{Basis, Timestamp};

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

fn hash(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(OFFSET, |hash, number| (hash ^ number).wrapping_mul(PRIME))
}

/// The number of a sum over the CPUs that are on when an epoch begins. A CPU that is off, or that is plugged in between two files,
/// isn't in the one sum but in the other, with its old counts.
pub(super) fn of_set(online: impl Iterator<Item = usize>) -> u64 {
    hash(online.map(|cpu| cpu as u64))
}

/// The number of what has been corrected since an epoch began.
pub(super) fn of_epoch(file_created: u64, begin: Timestamp) -> u64 {
    hash([file_created, begin.0 as u64].into_iter())
}

/// What one thing counts from, from sample to sample.
#[derive(Default)]
pub(super) struct Bases {
    changes: Vec<(u32, Basis)>,
    /// Samples at which it starts afresh.
    breaks: Vec<(u32, Timestamp)>,
}

impl Bases {
    /// Notes what it counts from when an epoch begins.
    pub(super) fn begin(&mut self, sample: u32, number: u64) {
        if self.now() != number {
            self.changes.push((sample, Basis::steady(number)));
        }
    }

    /// Notes that it is corrected from here on.
    pub(super) fn correct(&mut self, sample: u32, number: u64) {
        let before = self.now();
        if before != number {
            self.changes.push((sample, Basis { before, now: number }));
        }
    }

    /// Notes that it starts afresh.
    pub(super) fn restart(&mut self, sample: u32, time: Timestamp) {
        self.breaks.push((sample, time));
    }

    fn now(&self) -> u64 {
        self.changes.last().map_or(0, |(_, basis)| basis.now)
    }

    pub(super) fn at(&self, sample: u32) -> Basis {
        let next = self.changes.partition_point(|(from, _)| *from <= sample);
        match next.checked_sub(1).map(|last| self.changes[last]) {
            Some((from, basis)) if from == sample => basis,
            Some((_, basis)) => Basis::steady(basis.now),
            None => Basis::default(),
        }
    }

    /// When it last started afresh, up to a sample.
    pub(super) fn start(&self, sample: u32) -> Option<Timestamp> {
        let next = self.breaks.partition_point(|(from, _)| *from <= sample);
        Some(self.breaks[next.checked_sub(1)?].1)
    }
}
