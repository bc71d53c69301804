//! The performance clock of a block, which tells restarts, and times that are wrong.

use recount_model::{CountsSince, Timestamp};

use crate::Header;

/// When a block was taken, and what the performance clock had counted until then. It begins at 0 when the machine starts, and goes on while the
/// time is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PerfClock {
    pub(crate) time: Timestamp,
    ticks: u64,
    frequency: u64,
}

impl PerfClock {
    pub(crate) fn of(header: &Header, time: Timestamp) -> PerfClock {
        PerfClock { time, ticks: header.perf_time as u64, frequency: header.perf_freq as u64 }
    }

    /// When it began; `None` if there is no clock.
    fn began(self) -> Option<Timestamp> {
        if self.ticks == 0 || self.frequency == 0 {
            return None;
        }
        let ticks = u128::from(self.ticks) * Timestamp::TICKS_PER_SECOND as u128 / u128::from(self.frequency);
        Some(Timestamp(self.time.0.checked_sub(i64::try_from(ticks).ok()?)?))
    }

    /// How it is known that the machine was restarted after an earlier block; `None` if it may have run on.
    pub(crate) fn restart_since(self, before: PerfClock) -> Option<String> {
        if (1..before.ticks).contains(&self.ticks) {
            return Some("its performance clock fell".to_owned());
        }
        let began = self.began().filter(|began| *began > before.time)?;
        before.began()?;
        Some(format!("its performance clock began at {began}"))
    }

    /// Why no value may be computed between an earlier block and this one.
    fn break_since(self, before: PerfClock) -> Option<String> {
        if self.time < before.time {
            return Some(format!("the clock was set back, from {} to {}", before.time, self.time));
        }
        let how = self.restart_since(before)?;
        Some(format!("the machine was restarted between {} and {}: {how}", before.time, self.time))
    }

    /// Whether both clocks of two blocks have gone on by about the same.
    fn is_steady(before: PerfClock, after: PerfClock) -> bool {
        let (Some(one), Some(other)) = (before.began(), after.began()) else { return false };
        let passed = after.time.0.abs_diff(before.time.0);
        after.break_since(before).is_none() && one.0.abs_diff(other.0) <= passed / 4
    }

    /// Blocks without a clock prove nothing, and may continue each other.
    pub(crate) fn counts_since(self) -> CountsSince {
        let boot_time = self.began();
        CountsSince { boot_time, program: boot_time.is_none().then_some(0) }
    }
}

/// The epochs of a machine's blocks, in the order of recording, and why one begins. Each clock comes with the number of its file: files that
/// overlap aren't a clock that was set back. A block with a wrong clock has an epoch of its own: those around it go on.
pub(crate) fn epochs(clocks: &[(usize, PerfClock)]) -> Vec<(u32, Option<String>)> {
    let (mut current, mut newest) = (0, 0);
    let mut last: Option<(usize, PerfClock)> = None;
    let mut all = Vec::with_capacity(clocks.len());
    for (at, &(file, now)) in clocks.iter().enumerate() {
        let Some((file_before, before)) = last else {
            last = Some((file, now));
            all.push((current, None));
            continue;
        };
        let after = clocks.get(at + 1).map(|(_, after)| *after);
        let after = after.filter(|after| PerfClock::is_steady(before, *after));
        let fits = |after: PerfClock| {
            now.began().is_some() && now.break_since(before).is_none() && after.break_since(now).is_none()
        };
        if after.is_some_and(|after| !fits(after)) {
            newest += 1;
            let why = "its clocks don't fit those of the blocks around it: no value is computed with it";
            all.push((newest, Some(why.to_owned())));
            continue;
        }
        let is_beside = file != file_before && now.time < before.time;
        let why = if is_beside { None } else { now.break_since(before) };
        if why.is_some() {
            newest += 1;
            current = newest;
        }
        last = Some((file, now));
        all.push((current, why.map(|why| format!("{why}: no value is computed across"))));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(second: i64, uptime_s: u64) -> PerfClock {
        PerfClock {
            time: Timestamp(second * Timestamp::TICKS_PER_SECOND),
            ticks: 1_000 * uptime_s,
            frequency: 1_000,
        }
    }

    #[test]
    fn a_clock_that_began_later_was_restarted() {
        let restart = |before: PerfClock, now: PerfClock| now.restart_since(before).is_some();
        assert!(restart(clock(1_000, 900), clock(1_010, 5)), "it fell");
        assert!(restart(clock(1_000, 60), clock(4_600, 3_000)), "it began at 1,600");
        assert!(!restart(clock(1_000, 60), clock(4_600, 3_660)));
        // Set by an hour, forward and back.
        assert!(!restart(clock(100_000, 90_000), clock(103_610, 90_010)));
        assert!(!restart(clock(100_000, 90_000), clock(96_410, 90_010)));
        // Without a clock.
        assert!(!restart(clock(1_000, 0), clock(1_010, 5)));
        assert!(!restart(clock(1_000, 5), clock(1_010, 0)));
    }

    #[test]
    fn a_wrong_clock_ends_no_epoch() {
        let sound: Vec<PerfClock> =
            (0..5).map(|at| clock(100_000 + 10 * at, 90_000 + 10 * at as u64)).collect();
        let epochs = |wrong: PerfClock, at: usize| {
            let mut clocks = sound.clone();
            clocks[at] = wrong;
            let found = super::epochs(&clocks.into_iter().map(|clock| (0, clock)).collect::<Vec<_>>());
            let notes = found.iter().filter(|(_, why)| why.is_some()).count();
            (found.into_iter().map(|(epoch, _)| epoch).collect::<Vec<_>>(), notes)
        };
        for wrong in
            [clock(4_000, 90_020), clock(900_000, 90_020), clock(100_020, 20), clock(100_020, 900_000)]
        {
            assert_eq!(epochs(wrong, 2), (vec![0, 0, 1, 0, 0], 1), "{wrong:?}");
        }
        assert_eq!(epochs(sound[2], 2), (vec![0; 5], 0));
        // At the end nobody knows.
        assert_eq!(epochs(clock(4_000, 90_040), 4), (vec![0, 0, 0, 0, 1], 1));
    }

    #[test]
    fn files_of_one_boot_continue_each_other() {
        assert!(clock(1_000, 900).counts_since().is_same(clock(1_010, 910).counts_since()));
        assert!(!clock(1_000, 900).counts_since().is_same(clock(1_010, 5).counts_since()));
        assert!(clock(1_000, 0).counts_since().is_same(clock(1_010, 0).counts_since()));
        assert!(!clock(1_000, 0).counts_since().is_same(clock(1_010, 910).counts_since()));
    }
}
