//! The clocks of a schedule, and waiting on them.

use std::time::Duration;

use recount_model::Timestamp;

use crate::Interrupts;

/// A simultaneous reading of the clocks, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// A clock that is never set and doesn't count while the machine sleeps (`CLOCK_MONOTONIC`).
    pub monotonic_ns: i64,
    /// The same, including sleep (`CLOCK_BOOTTIME`). If the system has no such clock, it equals
    /// `monotonic_ns`, and suspends aren't detected.
    pub boottime_ns: i64,
    /// The wall clock, since 1970-01-01 UTC (`CLOCK_REALTIME`).
    pub realtime_ns: i64,
}

impl Moment {
    /// The wall clock's time.
    pub fn time(self) -> Timestamp {
        Timestamp::from_unix_nanos(self.realtime_ns)
    }
}

/// Reads the time and waits.
pub trait Clock {
    /// The current readings.
    fn now(&mut self) -> Moment;

    /// Waits until `monotonic_ns` is reached, or until `interrupts` wakes; may also return early.
    fn wait(&mut self, monotonic_ns: i64, interrupts: &Interrupts);
}

/// The clocks of this machine.
#[derive(Debug)]
pub struct SystemClock {
    /// If the system has no such clocks, monotonic time is counted from here.
    #[cfg(not(target_os = "linux"))]
    started: std::time::Instant,
}

impl SystemClock {
    /// The clocks of this machine.
    #[expect(clippy::new_without_default, reason = "a clock has no default reading")]
    pub fn new() -> SystemClock {
        SystemClock {
            #[cfg(not(target_os = "linux"))]
            started: std::time::Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    #[cfg(target_os = "linux")]
    fn now(&mut self) -> Moment {
        use rustix::time::{ClockId, clock_gettime};

        /// Attempts to read the clocks without being interrupted in between.
        const MAX_ATTEMPTS: u32 = 5;
        /// A reading faster than this is accepted immediately; it is far below the limits for a suspend or a
        /// step.
        const GOOD_NS: i64 = 100_000;

        let read = |clock| {
            let time = clock_gettime(clock);
            time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
        };
        // A process that loses the processor between two readings would see their difference change, as if
        // the machine had slept. So the readings closest together count.
        let mut best = (i64::MAX, Moment::default());
        for _ in 0..MAX_ATTEMPTS {
            let monotonic_ns = read(ClockId::Monotonic);
            let (boottime_ns, realtime_ns) = (read(ClockId::Boottime), read(ClockId::Realtime));
            let took = read(ClockId::Monotonic) - monotonic_ns;
            if took < best.0 {
                best = (took, Moment { monotonic_ns, boottime_ns, realtime_ns });
            }
            if took <= GOOD_NS {
                break;
            }
        }
        best.1
    }

    #[cfg(not(target_os = "linux"))]
    fn now(&mut self) -> Moment {
        let nanos = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        let monotonic_ns = nanos(self.started.elapsed());
        let unix = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Moment { monotonic_ns, boottime_ns: monotonic_ns, realtime_ns: nanos(unix.unwrap_or_default()) }
    }

    fn wait(&mut self, monotonic_ns: i64, interrupts: &Interrupts) {
        let left = monotonic_ns.saturating_sub(self.now().monotonic_ns);
        if left > 0 {
            interrupts.wait(Duration::from_nanos(left as u64));
        }
    }
}
