//! When processes and threads started, as `FILETIME`: distinguishes a reused id from its earlier use.

use rustix::time::{ClockId, Timespec, clock_gettime};

use recount_model::Timestamp;

/// The start of a process or thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    /// As in the kernel: clock ticks since boot.
    ticks: u64,
    /// As `FILETIME`.
    pub(crate) time_100ns: i64,
}

/// Converts clock ticks to times.
#[derive(Debug)]
pub(crate) struct StartClock {
    ticks_per_second: u64,
    /// When the machine was booted, by the current wall clock.
    boot_100ns: i64,
    sample_100ns: i64,
    sample_before_100ns: i64,
}

impl StartClock {
    pub(crate) fn new() -> StartClock {
        StartClock {
            ticks_per_second: rustix::param::clock_ticks_per_second().max(1),
            boot_100ns: 0,
            sample_100ns: 0,
            sample_before_100ns: 0,
        }
    }

    /// Begins the sample at this time.
    pub(crate) fn begin(&mut self, sample_100ns: i64) {
        self.sample_before_100ns = std::mem::replace(&mut self.sample_100ns, sample_100ns);
        // Read one directly after the other.
        let (wall, since_boot) = (clock_gettime(ClockId::Realtime), clock_gettime(ClockId::Boottime));
        self.boot_100ns = Timestamp::UNIX_EPOCH.0 + of_100ns(wall) - of_100ns(since_boot);
    }

    /// Whether something began after the previous sample, if there was one.
    pub(crate) fn is_after_sample_before(&self, start: Start) -> bool {
        self.sample_before_100ns != 0 && start.time_100ns > self.sample_before_100ns
    }

    /// The time of the previous sample; 0 if there was none.
    pub(crate) fn sample_before_100ns(&self) -> i64 {
        self.sample_before_100ns
    }

    /// A time on the clock since boot as `FILETIME`.
    pub(crate) fn of_boot(&self, since_boot_100ns: i64) -> i64 {
        self.boot_100ns.saturating_add(since_boot_100ns)
    }

    /// When something began, on the clock since boot, to the tick.
    pub(crate) fn since_boot_100ns(&self, start: Start) -> i64 {
        i64::try_from(self.of_ticks(start.ticks)).unwrap_or(i64::MAX)
    }

    /// Clock ticks as 100 ns.
    pub(crate) fn of_ticks(&self, ticks: u64) -> u64 {
        let wide = u128::from(ticks) * Timestamp::TICKS_PER_SECOND as u128;
        (wide / u128::from(self.ticks_per_second)) as u64
    }

    /// The start of something that began `ticks` after boot. In the previous sample its id belonged to
    /// `before`.
    ///
    /// It is computed once and then stays the same, even if the wall clock is set. Clock ticks are coarse (10
    /// ms), so the result may be up to one tick too early. But if the id belonged to something else in the
    /// previous sample, or to nothing, the start must be after that sample.
    pub(crate) fn place(&self, ticks: u64, before: Option<Start>) -> Start {
        let computed = self.boot_100ns.saturating_add_unsigned(self.of_ticks(ticks));
        match before {
            Some(before) if before.ticks == ticks => before,
            Some(_) => Start { ticks, time_100ns: computed.max(self.sample_before_100ns + 1) },
            // Within the tick of the previous sample, which doesn't have it.
            None if computed <= self.sample_before_100ns
                && computed.saturating_add_unsigned(self.of_ticks(1)) > self.sample_before_100ns =>
            {
                Start { ticks, time_100ns: self.sample_before_100ns + 1 }
            }
            None => Start { ticks, time_100ns: computed },
        }
    }
}

fn of_100ns(time: Timespec) -> i64 {
    time.tv_sec * Timestamp::TICKS_PER_SECOND + time.tv_nsec / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_and_shows_a_reused_id() {
        let mut clock = StartClock::new();
        let now = 134_000_000_000_000_000;
        clock.begin(now);
        clock.begin(now + 10_000_000);
        (clock.boot_100ns, clock.ticks_per_second) = (now - 50_000_000, 100);
        let first = clock.place(100, None);
        assert_eq!(first.time_100ns, now - 40_000_000);
        clock.boot_100ns += 77;
        assert_eq!(clock.place(100, Some(first)), first);
        // 5.00 s after boot is the same tick as the previous sample.
        assert_eq!(clock.place(500, Some(first)).time_100ns, now + 77);
        assert_eq!(clock.place(499, Some(first)).time_100ns, now + 1);
        assert_eq!(clock.place(700, Some(first)).time_100ns, now + 20_000_077);
    }

    #[cfg(feature = "live-tests")]
    #[test]
    fn live_the_boot_is_where_the_kernel_says() {
        let mut clock = StartClock::new();
        clock.begin(0);
        let stat = std::fs::read_to_string("/proc/stat").expect("there");
        let line = stat.lines().find_map(|line| line.strip_prefix("btime ")).expect("there");
        let seconds: i64 = line.parse().expect("a number");
        let boot = Timestamp::from_unix_nanos(seconds * 1_000_000_000);
        assert!((Timestamp(clock.boot_100ns).seconds_since(boot)).abs() < 2.0);
    }
}
