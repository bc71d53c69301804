//! Intervals between samples, and gaps.

use crate::SampleTime;

/// An interval longer than this many medians is a gap.
pub const GAP_MEDIANS: f64 = 2.5;

/// The intervals between consecutive samples of a capture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals<'a> {
    times: &'a [SampleTime],
    /// The median, in seconds; for an even number of intervals, the upper of the middle two. Samples of the same time have
    /// no interval between them.
    pub median_s: f64,
}

impl<'a> Intervals<'a> {
    /// `None` for fewer than two times. `times` must be ascending.
    pub fn of(times: &'a [SampleTime]) -> Option<Intervals<'a>> {
        let mut seconds: Vec<f64> = times.windows(2).map(seconds).filter(|seconds| *seconds > 0.0).collect();
        let middle = seconds.len() / 2;
        if seconds.is_empty() {
            return None;
        }
        let (_, median_s, _) = seconds.select_nth_unstable_by(middle, f64::total_cmp);
        Some(Intervals { times, median_s: *median_s })
    }

    /// The longest interval that does not count as a gap, in seconds.
    pub fn longest_s(self) -> f64 {
        GAP_MEDIANS * self.median_s
    }

    /// The gaps: the samples before and after each.
    pub fn gaps(self) -> impl Iterator<Item = (SampleTime, SampleTime)> + use<'a> {
        let pairs = self.times.windows(2);
        pairs.filter(move |pair| seconds(pair) > self.longest_s()).map(|pair| (pair[0], pair[1]))
    }
}

fn seconds(pair: &[SampleTime]) -> f64 {
    pair[1].utc.seconds_since(pair[0].utc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    #[test]
    fn gaps_are_measured_against_the_median() {
        let time = |s: i64| SampleTime { utc: Timestamp(s * Timestamp::TICKS_PER_SECOND), offset_min: 0 };
        let times: Vec<SampleTime> = [0, 1, 2, 3, 13, 14, 16].map(time).into();
        let intervals = Intervals::of(&times).expect("two samples");
        assert_eq!((intervals.median_s, intervals.longest_s()), (1.0, 2.5));
        assert_eq!(intervals.gaps().collect::<Vec<_>>(), [(time(3), time(13))]);
        assert_eq!(Intervals::of(&times[..1]), None);
        assert_eq!(Intervals::of(&[]), None);
    }

    #[test]
    fn equal_times_have_no_interval() {
        let time = |s: i64| SampleTime { utc: Timestamp(s * Timestamp::TICKS_PER_SECOND), offset_min: 0 };
        let times: Vec<SampleTime> = [0, 0, 1, 1, 2, 2].map(time).into();
        let intervals = Intervals::of(&times).expect("three times");
        assert_eq!((intervals.median_s, intervals.gaps().count()), (1.0, 0));
        assert_eq!(Intervals::of(&times[..2]), None);
    }
}
