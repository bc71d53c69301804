//! Times in requests: milliseconds since 1970 on the common axis, possibly with fractions.

use recount_model::Timestamp;

/// 100 ns ticks in a millisecond.
const TICKS_PER_MS: i64 = 10_000;

/// A time in the page's form: milliseconds since 1970 UTC.
pub(crate) fn ms(ticks: i64) -> f64 {
    let since = ticks.saturating_sub(Timestamp::UNIX_EPOCH.0);
    // In two parts, so that whole milliseconds are exact.
    since.div_euclid(TICKS_PER_MS) as f64 + since.rem_euclid(TICKS_PER_MS) as f64 / TICKS_PER_MS as f64
}

/// The last time at or before a start that the page can write: at today's times, a double has a resolution of a quarter
/// of a microsecond, and a request from here on must include the sample at the start.
pub(crate) fn ms_before(time: i64) -> f64 {
    let near = ms(time);
    if ticks(near).is_some_and(|read| read > time) { near.next_down() } else { near }
}

/// The first time at or after an end that the page can write.
pub(crate) fn ms_after(time: i64) -> f64 {
    let near = ms(time);
    if ticks(near).is_some_and(|read| read < time) { near.next_up() } else { near }
}

/// 100 ns ticks since 1601, rounded to the nearest; `None` if it isn't a valid time.
pub(crate) fn ticks(ms: f64) -> Option<i64> {
    /// Later than any time that a format can hold.
    const MAX_MS: f64 = 9e14;
    if !ms.is_finite() || ms.abs() > MAX_MS {
        return None;
    }
    let whole = ms.floor();
    let part = ((ms - whole) * TICKS_PER_MS as f64).round() as i64;
    Some(Timestamp::UNIX_EPOCH.0 + whole as i64 * TICKS_PER_MS + part)
}

/// A span of 100 ns ticks, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl Span {
    pub(crate) fn moved(self, by: i64) -> Span {
        Span { from: self.from.saturating_add(by), to: self.to.saturating_add(by) }
    }

    pub(crate) fn has(self, time: i64) -> bool {
        (self.from..=self.to).contains(&time)
    }

    pub(crate) fn len(self) -> i64 {
        self.to.saturating_sub(self.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_hold_their_samples() {
        for tick in 134_398_479_621_083_144..134_398_479_621_083_244 {
            // As the page has it from one answer, and writes it in a question.
            let back = |ms: f64| {
                let written = serde_json::to_string(&ms).expect("JSON");
                ticks(serde_json::from_str(&written).expect("a number")).expect("a time")
            };
            let (before, after) = (back(ms_before(tick)), back(ms_after(tick)));
            assert!(before <= tick && tick - before <= 5, "{tick} {before}");
            assert!(after >= tick && after - tick <= 5, "{tick} {after}");
        }
    }

    #[test]
    fn times_there_and_back() {
        for tick in [0, 1, 4_999, 130_058_022_178_447_225, 130_058_022_178_440_000] {
            let tick = Timestamp::UNIX_EPOCH.0 + tick;
            let back = ticks(ms(tick)).expect("a time");
            // A double has 53 bits: half a microsecond at today's times.
            assert!((back - tick).abs() <= 5, "{tick} {back}");
        }
        assert_eq!(ticks(1_361_328_617_844.0).map(ms), Some(1_361_328_617_844.0));
        assert_eq!([ticks(f64::NAN), ticks(f64::INFINITY), ticks(-1e300)], [None; 3]);
    }
}
