//! The time since which counters have been counting.

use crate::Timestamp;

/// Since when the counters of a sample have been counting. If two captures of one machine agree about it, one continues
/// the other, and values are computed between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountsSince {
    /// When the machine was booted.
    pub boot_time: Option<Timestamp>,
    /// The run of the program that counts or forwards the counters, by any number that distinguishes its
    /// runs.
    pub program: Option<u64>,
}

/// The boot times in two logs of the same boot differ by as much as the clock was set in between.
const BOOT_TOLERANCE_TICKS: u64 = 30 * Timestamp::TICKS_PER_SECOND as u64;

impl CountsSince {
    /// Whether nothing was restarted between the two. Unknown facts prove nothing.
    pub fn is_same(self, other: CountsSince) -> bool {
        let is_same_boot = match (self.boot_time, other.boot_time) {
            (Some(one), Some(other)) => Some(one.0.abs_diff(other.0) <= BOOT_TOLERANCE_TICKS),
            _ => None,
        };
        self.program == other.program && is_same_boot.unwrap_or(self.program.is_some())
    }

    /// Whether nothing was restarted between a sample taken at `time`, whose counters count since `self`, and a later one.
    pub fn goes_on(self, time: Timestamp, later: CountsSince) -> bool {
        // Booted twice within the tolerance.
        self.is_same(later) && later.boot_time.is_none_or(|boot| boot <= time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_proves_nothing() {
        let boot = |s: i64| CountsSince {
            boot_time: Some(Timestamp(s * Timestamp::TICKS_PER_SECOND)),
            ..CountsSince::default()
        };
        let program = |run| CountsSince { program: Some(run), ..CountsSince::default() };
        assert!(boot(1_000).is_same(boot(1_030)));
        assert!(!boot(1_000).is_same(boot(1_031)));
        assert!(!CountsSince::default().is_same(CountsSince::default()));
        assert!(!boot(1_000).is_same(CountsSince::default()));
        assert!(program(7).is_same(program(7)));
        assert!(!program(7).is_same(program(8)));
        let both = |s, run| CountsSince { program: Some(run), ..boot(s) };
        assert!(both(1_000, 7).is_same(both(1_000, 7)));
        assert!(!both(1_000, 7).is_same(both(2_000, 7)));
        let sampled_at = |s: i64| Timestamp(s * Timestamp::TICKS_PER_SECOND);
        assert!(boot(1_000).goes_on(sampled_at(1_010), boot(1_010)));
        assert!(!boot(1_000).goes_on(sampled_at(1_010), boot(1_011)), "booted after the earlier sample");
        assert!(program(7).goes_on(sampled_at(1_010), program(7)));
    }
}
