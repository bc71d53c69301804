//! What one instance did in one interval.

use super::PerSecond;
use crate::random::Random;

/// Windows adds processor time by timer interrupts: 15.625 ms each.
const QUANTUM: u64 = 156_250;

/// What one instance did in one interval. Times are in 100 ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Length of the interval.
    pub interval: u64,
    /// Processor time of the instance's own code.
    pub user: u64,
    /// Processor time of the system on its behalf.
    pub kernel: u64,
    /// Operations of reading.
    pub reads: u64,
    /// Operations of writing.
    pub writes: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Time spent reading, of all operations together.
    pub time_reading: u64,
    /// Time spent writing.
    pub time_writing: u64,
    /// Interrupts, page faults, system calls: events that come with any activity.
    pub events: u64,
}

impl Work {
    /// An interval in which nothing happened.
    pub fn idle(interval: u64) -> Work {
        Work { interval, ..Work::default() }
    }

    /// An interval of some activity.
    pub(crate) fn some(interval: u64, rates: PerSecond, random: &mut Random) -> Work {
        let quanta = interval / QUANTUM;
        let busy = random_scaled(quanta, random);
        let kernel = random.below(busy + 1);
        let operations = random_scaled(rates.operations, random);
        let reads = random.below(operations + 1);
        let writes = operations - reads;
        let bytes =
            |operations: u64, random: &mut Random| operations * (1 + random.below(rates.len_operation));
        // 20 to 800 microseconds each.
        let time = |operations: u64, random: &mut Random| operations * (200 + random.below(7_800));
        Work {
            interval,
            user: (busy - kernel) * QUANTUM,
            kernel: kernel * QUANTUM,
            reads,
            writes,
            bytes_read: bytes(reads, random),
            bytes_written: bytes(writes, random),
            time_reading: time(reads, random).min(interval),
            time_writing: time(writes, random).min(interval),
            events: operations + random.below(300),
        }
    }

    /// Time that no work was done in.
    pub fn idle_time(&self) -> u64 {
        self.interval.saturating_sub(self.user + self.kernel)
    }

    /// Time that the device did nothing in.
    pub fn device_idle_time(&self) -> u64 {
        self.interval.saturating_sub(self.time_reading + self.time_writing)
    }

    /// Operations of either kind.
    pub fn operations(&self) -> u64 {
        self.reads + self.writes
    }

    /// Bytes of either direction.
    pub fn bytes(&self) -> u64 {
        self.bytes_read + self.bytes_written
    }
}

/// Most seconds see little, some see much: one of four magnitudes.
fn random_scaled(most: u64, random: &mut Random) -> u64 {
    let end = (most >> (2 * random.below(4))) + 1;
    random.below(end)
}
