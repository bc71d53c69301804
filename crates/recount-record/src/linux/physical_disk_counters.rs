//! The counters of `PhysicalDisk`, and their computation from the kernel's counts.

use super::disk_stats::DiskStats;
use super::object_spec::CounterSpec;
use super::type_words::{
    LARGE_AVERAGE_TIMER, PERF_AVERAGE_BASE, PERF_AVERAGE_BULK, PERF_COUNTER_100NS_QUEUELEN_TYPE,
    PERF_COUNTER_BULK_COUNT, PERF_COUNTER_COUNTER, PERF_COUNTER_RAWCOUNT, PERF_LARGE_RAW_BASE,
    PERF_PRECISION_100NS_TIMER,
};

pub(super) const NUM_COUNTERS: usize = 37;
/// The first counter that kernels before 4.18 don't have.
pub(super) const FIRST_DISCARD: usize = 34;
/// The first counter that kernels before 5.5 don't have.
pub(super) const FIRST_FLUSH: usize = 36;

const fn is(name: &'static str, word: u32, scale: i32, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word, scale }
}

/// In the order of [`values`]. Average times have 64 bits (`LARGE_AVERAGE_TIMER`); over MS-PCQ, which lists only the word of 32,
/// they are served with that word and values of 64 bits (`countersets/counterset.rs`).
#[rustfmt::skip]
pub(super) static COUNTERS: [CounterSpec; NUM_COUNTERS] = [
    is("Current Disk Queue Length", PERF_COUNTER_RAWCOUNT, 1, "Requests in progress. /proc/diskstats, field 9."),
    is("% Disk Time", PERF_PRECISION_100NS_TIMER, 0, "Time that all requests together took, as a share of elapsed time: above 100 if several are in progress at once. /proc/diskstats, fields 4 + 8 (ms)."),
    is("% Disk Time Base", PERF_LARGE_RAW_BASE, 0, "The base of % Disk Time. CLOCK_BOOTTIME."),
    is("Avg. Disk Queue Length", PERF_COUNTER_100NS_QUEUELEN_TYPE, 2, "Reads and writes in progress on average. /proc/diskstats, fields 4 + 8 (ms)."),
    is("% Disk Read Time", PERF_PRECISION_100NS_TIMER, 0, "Time that all reads together took, as a share of elapsed time. /proc/diskstats, field 4 (ms)."),
    is("% Disk Read Time Base", PERF_LARGE_RAW_BASE, 0, "The base of % Disk Read Time. CLOCK_BOOTTIME."),
    is("Avg. Disk Read Queue Length", PERF_COUNTER_100NS_QUEUELEN_TYPE, 2, "Reads in progress on average. /proc/diskstats, field 4 (ms)."),
    is("% Disk Write Time", PERF_PRECISION_100NS_TIMER, 0, "Time that all writes together took, as a share of elapsed time. /proc/diskstats, field 8 (ms)."),
    is("% Disk Write Time Base", PERF_LARGE_RAW_BASE, 0, "The base of % Disk Write Time. CLOCK_BOOTTIME."),
    is("Avg. Disk Write Queue Length", PERF_COUNTER_100NS_QUEUELEN_TYPE, 2, "Writes in progress on average. /proc/diskstats, field 8 (ms)."),
    is("Avg. Disk sec/Transfer", LARGE_AVERAGE_TIMER, 3, "Time from a request to its completion, on average. /proc/diskstats, fields 4 + 8 (ms)."),
    is("Avg. Disk sec/Transfer Base", PERF_AVERAGE_BASE, 0, "The base of Avg. Disk sec/Transfer. /proc/diskstats, fields 1 + 5."),
    is("Avg. Disk sec/Read", LARGE_AVERAGE_TIMER, 3, "Time from a read request to its completion, on average. /proc/diskstats, field 4 (ms)."),
    is("Avg. Disk sec/Read Base", PERF_AVERAGE_BASE, 0, "The base of Avg. Disk sec/Read. /proc/diskstats, field 1."),
    is("Avg. Disk sec/Write", LARGE_AVERAGE_TIMER, 3, "Time from a write request to its completion, on average. /proc/diskstats, field 8 (ms)."),
    is("Avg. Disk sec/Write Base", PERF_AVERAGE_BASE, 0, "The base of Avg. Disk sec/Write. /proc/diskstats, field 5."),
    is("Disk Transfers/sec", PERF_COUNTER_COUNTER, 0, "Reads and writes completed. /proc/diskstats, fields 1 + 5."),
    is("Disk Reads/sec", PERF_COUNTER_COUNTER, 0, "Reads completed. /proc/diskstats, field 1."),
    is("Disk Writes/sec", PERF_COUNTER_COUNTER, 0, "Writes completed. /proc/diskstats, field 5."),
    is("Disk Bytes/sec", PERF_COUNTER_BULK_COUNT, -4, "Bytes read and written. /proc/diskstats, fields 3 + 7 (512 bytes)."),
    is("Disk Read Bytes/sec", PERF_COUNTER_BULK_COUNT, -4, "Bytes read. /proc/diskstats, field 3 (512 bytes)."),
    is("Disk Write Bytes/sec", PERF_COUNTER_BULK_COUNT, -4, "Bytes written. /proc/diskstats, field 7 (512 bytes)."),
    is("Avg. Disk Bytes/Transfer", PERF_AVERAGE_BULK, -2, "Bytes per read or write, on average. /proc/diskstats, fields 3 + 7 (512 bytes)."),
    is("Avg. Disk Bytes/Transfer Base", PERF_AVERAGE_BASE, 0, "The base of Avg. Disk Bytes/Transfer. /proc/diskstats, fields 1 + 5."),
    is("Avg. Disk Bytes/Read", PERF_AVERAGE_BULK, -2, "Bytes per read, on average. /proc/diskstats, field 3 (512 bytes)."),
    is("Avg. Disk Bytes/Read Base", PERF_AVERAGE_BASE, 0, "The base of Avg. Disk Bytes/Read. /proc/diskstats, field 1."),
    is("Avg. Disk Bytes/Write", PERF_AVERAGE_BULK, -2, "Bytes per write, on average. /proc/diskstats, field 7 (512 bytes)."),
    is("Avg. Disk Bytes/Write Base", PERF_AVERAGE_BASE, 0, "The base of Avg. Disk Bytes/Write. /proc/diskstats, field 5."),
    is("% Idle Time", PERF_PRECISION_100NS_TIMER, 0, "Share of time in which no request was in progress. CLOCK_BOOTTIME minus /proc/diskstats, field 10 (ms)."),
    is("% Idle Time Base", PERF_LARGE_RAW_BASE, 0, "The base of % Idle Time. CLOCK_BOOTTIME."),
    is("% Busy Time", PERF_PRECISION_100NS_TIMER, 0, "Share of time in which at least one request was in progress. /proc/diskstats, field 10 (ms)."),
    is("% Busy Time Base", PERF_LARGE_RAW_BASE, 0, "The base of % Busy Time. CLOCK_BOOTTIME."),
    is("Merged Reads/sec", PERF_COUNTER_BULK_COUNT, 0, "Reads that were joined to others before they reached the disk. /proc/diskstats, field 2."),
    is("Merged Writes/sec", PERF_COUNTER_BULK_COUNT, 0, "Writes that were joined to others before they reached the disk. /proc/diskstats, field 6."),
    is("Disk Discards/sec", PERF_COUNTER_BULK_COUNT, 0, "Discards completed. /proc/diskstats, field 12."),
    is("Disk Discard Bytes/sec", PERF_COUNTER_BULK_COUNT, -4, "Bytes discarded. /proc/diskstats, field 14 (512 bytes)."),
    is("Disk Flushes/sec", PERF_COUNTER_BULK_COUNT, 0, "Flushes completed. /proc/diskstats, field 16."),
];

/// The times from which the counters in % are computed, in 100 ns: of one disk, or the mean of several.
pub(super) struct Times {
    read: u64,
    write: u64,
    idle: u64,
    busy: u64,
    now: u64,
}

impl Times {
    /// The counts of a disk, or the sums of several.
    pub(super) fn of_disk(stats: &DiskStats, idle_100ns: u64, now_100ns: i64) -> Times {
        Times {
            read: in_100ns(stats.read_ms),
            write: in_100ns(stats.write_ms),
            idle: idle_100ns,
            busy: in_100ns(stats.busy_ms),
            now: now_100ns as u64,
        }
    }

    pub(super) fn mean(self, num_disks: u64) -> Times {
        let [read, write, idle, busy] =
            [self.read, self.write, self.idle, self.busy].map(|sum| sum / num_disks.max(1));
        Times { read, write, idle, busy, now: self.now }
    }
}

fn in_100ns(ms: u64) -> u64 {
    ms.wrapping_mul(10_000)
}

/// In the order of [`COUNTERS`]. Sums may wrap, as in the kernel.
pub(super) fn values(stats: &DiskStats, times: &Times) -> [u64; NUM_COUNTERS] {
    let transfers = stats.reads.wrapping_add(stats.writes);
    let bytes = stats.read_bytes.wrapping_add(stats.written_bytes);
    let (read, write) = (in_100ns(stats.read_ms), in_100ns(stats.write_ms));
    let transfer = read.wrapping_add(write);
    [
        stats.num_in_flight,
        times.read.wrapping_add(times.write),
        times.now,
        transfer,
        times.read,
        times.now,
        read,
        times.write,
        times.now,
        write,
        transfer,
        transfers,
        read,
        stats.reads,
        write,
        stats.writes,
        transfers,
        stats.reads,
        stats.writes,
        bytes,
        stats.read_bytes,
        stats.written_bytes,
        bytes,
        transfers,
        stats.read_bytes,
        stats.reads,
        stats.written_bytes,
        stats.writes,
        times.idle,
        times.now,
        times.busy,
        times.now,
        stats.reads_merged,
        stats.writes_merged,
        stats.discards.unwrap_or_default(),
        stats.discarded_bytes.unwrap_or_default(),
        stats.flushes.unwrap_or_default(),
    ]
}

impl DiskStats {
    /// The sums of two.
    pub(super) fn plus(self, other: &DiskStats) -> DiskStats {
        let optional = |one: Option<u64>, other: Option<u64>| {
            one.map_or(other, |one| Some(one.wrapping_add(other.unwrap_or_default())))
        };
        DiskStats {
            reads: self.reads.wrapping_add(other.reads),
            reads_merged: self.reads_merged.wrapping_add(other.reads_merged),
            read_bytes: self.read_bytes.wrapping_add(other.read_bytes),
            read_ms: self.read_ms.wrapping_add(other.read_ms),
            writes: self.writes.wrapping_add(other.writes),
            writes_merged: self.writes_merged.wrapping_add(other.writes_merged),
            written_bytes: self.written_bytes.wrapping_add(other.written_bytes),
            write_ms: self.write_ms.wrapping_add(other.write_ms),
            num_in_flight: self.num_in_flight.wrapping_add(other.num_in_flight),
            busy_ms: self.busy_ms.wrapping_add(other.busy_ms),
            discards: optional(self.discards, other.discards),
            discarded_bytes: optional(self.discarded_bytes, other.discarded_bytes),
            flushes: optional(self.flushes, other.flushes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_has_its_field() {
        let stats = DiskStats {
            reads: 1,
            reads_merged: 2,
            read_bytes: 3,
            read_ms: 4,
            writes: 5,
            writes_merged: 6,
            written_bytes: 7,
            write_ms: 8,
            num_in_flight: 9,
            busy_ms: 10,
            discards: Some(12),
            discarded_bytes: Some(14),
            flushes: Some(16),
        };
        let values = values(&stats, &Times::of_disk(&stats, 99, 1_000));
        let value =
            |name: &str| values[COUNTERS.iter().position(|counter| counter.name == name).expect("a counter")];
        let expected = [
            ("Current Disk Queue Length", 9),
            ("% Disk Time", 120_000),
            ("Avg. Disk Read Queue Length", 40_000),
            ("% Disk Write Time", 80_000),
            ("Avg. Disk sec/Transfer", 120_000),
            ("Avg. Disk sec/Transfer Base", 6),
            ("Avg. Disk sec/Read", 40_000),
            ("Avg. Disk sec/Read Base", 1),
            ("Avg. Disk sec/Write", 80_000),
            ("Avg. Disk sec/Write Base", 5),
            ("Disk Transfers/sec", 6),
            ("Disk Bytes/sec", 10),
            ("Avg. Disk Bytes/Read", 3),
            ("Avg. Disk Bytes/Write", 7),
            ("% Idle Time", 99),
            ("% Idle Time Base", 1_000),
            ("% Busy Time", 100_000),
            ("Merged Writes/sec", 6),
            ("Disk Discards/sec", 12),
            ("Disk Discard Bytes/sec", 14),
            ("Disk Flushes/sec", 16),
        ];
        for (name, expected) in expected {
            assert_eq!(value(name), expected, "{name}");
        }
        assert_eq!(COUNTERS[FIRST_DISCARD].name, "Disk Discards/sec");
        assert_eq!(COUNTERS[FIRST_FLUSH].name, "Disk Flushes/sec");
    }
}
