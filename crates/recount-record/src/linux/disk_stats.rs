//! `/proc/diskstats`: the kernel's Documentation/admin-guide/iostats.rst.

use super::fields::number;

/// Bytes per sector in this file, independent of the disk's own sectors.
const LEN_SECTOR: u64 = 512;

/// The kernel's counts for one block device since it was attached. Times are in ms, modulo 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DiskStats {
    pub(super) reads: u64,
    pub(super) reads_merged: u64,
    pub(super) read_bytes: u64,
    /// Sum over all reads of the time from the request to its completion.
    pub(super) read_ms: u64,
    pub(super) writes: u64,
    pub(super) writes_merged: u64,
    pub(super) written_bytes: u64,
    /// Sum over all writes of the time from the request to its completion.
    pub(super) write_ms: u64,
    /// Requests in progress.
    pub(super) num_in_flight: u64,
    /// Time during which at least one request was in progress.
    pub(super) busy_ms: u64,
    /// Since Linux 4.18.
    pub(super) discards: Option<u64>,
    /// Since Linux 4.18.
    pub(super) discarded_bytes: Option<u64>,
    /// Since Linux 5.5.
    pub(super) flushes: Option<u64>,
}

/// Parses a line: the device's name and its counts. `None` if the line isn't as expected.
pub(super) fn parse(line: &str) -> Option<(&str, DiskStats)> {
    let mut words = line.split_ascii_whitespace();
    let (_major, _minor, name) = (words.next()?, words.next()?, words.next()?);
    let mut fields = [None; 17];
    for (field, word) in fields.iter_mut().zip(words) {
        *field = Some(number(word)?);
    }
    let sectors = |field: Option<u64>| field.map(|sectors| sectors.wrapping_mul(LEN_SECTOR));
    let stats = DiskStats {
        reads: fields[0]?,
        reads_merged: fields[1]?,
        read_bytes: sectors(fields[2])?,
        read_ms: fields[3]?,
        writes: fields[4]?,
        writes_merged: fields[5]?,
        written_bytes: sectors(fields[6])?,
        write_ms: fields[7]?,
        num_in_flight: fields[8]?,
        busy_ms: fields[9]?,
        discards: fields[11],
        discarded_bytes: sectors(fields[13]),
        flushes: fields[15],
    };
    Some((name, stats))
}

/// Idle time of a disk, derived from its busy time.
///
/// Busy time is counted in ticks of the kernel's clock, so it can be ahead of elapsed time by a tick; idle
/// time, elapsed minus busy, would then decrease. Instead it stays constant until elapsed time has caught up.
/// It is always within a tick of the truth, and no time is lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IdleTime {
    busy_ms: u64,
    idle_100ns: i64,
    /// Subtracted; reset when busy time begins at 0 again.
    origin_100ns: i64,
}

impl IdleTime {
    /// Idle time in 100 ns at `now_100ns`, which may be of any steady clock. When the disk's own count begins
    /// at 0 again, so does this, so that this sample has no value.
    pub(super) fn advance(&mut self, now_100ns: i64, busy_ms: u64) -> u64 {
        let idle = now_100ns.saturating_sub((busy_ms as i64).saturating_mul(10_000));
        if busy_ms < self.busy_ms {
            (self.origin_100ns, self.idle_100ns) = (idle, 0);
        }
        self.busy_ms = busy_ms;
        self.idle_100ns = self.idle_100ns.max(idle.saturating_sub(self.origin_100ns));
        self.idle_100ns as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read() {
        let line = " 254       0 vda 1113420 27258 51946890 1563428 517410 253378 129079080 354851 3 100292 1946730 242922 1515 86329832 25267 73295 3181";
        let (name, stats) = parse(line).expect("sound");
        assert_eq!(name, "vda");
        let expected = DiskStats {
            reads: 1_113_420,
            reads_merged: 27_258,
            read_bytes: 51_946_890 * 512,
            read_ms: 1_563_428,
            writes: 517_410,
            writes_merged: 253_378,
            written_bytes: 129_079_080 * 512,
            write_ms: 354_851,
            num_in_flight: 3,
            busy_ms: 100_292,
            discards: Some(242_922),
            discarded_bytes: Some(86_329_832 * 512),
            flushes: Some(73_295),
        };
        assert_eq!(stats, expected);
        // As before Linux 4.18, then too short, then not a number.
        let (_, old) = parse("8 0 sda 1 2 3 4 5 6 7 8 9 10 11").expect("sound");
        assert_eq!((old.busy_ms, old.discards, old.flushes), (10, None, None));
        assert_eq!(parse("8 0 sda 1 2 3 4 5 6 7 8 9"), None);
        assert_eq!(parse("8 0 sda 1 2 3 4 5 6 7 8 9 x 11"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn idle_time_never_goes_back_but_for_a_reset() {
        let mut idle = IdleTime::default();
        assert_eq!(idle.advance(1_000_000, 10), 900_000);
        // Busy all the time, and counted 4 ms ahead: constant until it has caught up.
        assert_eq!(idle.advance(2_000_000, 114), 900_000);
        assert_eq!(idle.advance(3_000_000, 211), 900_000);
        assert_eq!(idle.advance(4_000_000, 220), 1_800_000);
        // The count wrapped, or it is a different disk: lower than before, so there is no value; then it
        // continues from there.
        assert_eq!(idle.advance(5_000_000, 1), 0);
        assert_eq!(idle.advance(6_000_000, 41), 600_000);
    }
}
