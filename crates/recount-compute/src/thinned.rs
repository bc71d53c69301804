//! Values over several intervals of another capture, of a table that was thinned out or of a log that has lost samples, beside
//! those of a capture that has these intervals.

use recount_model::{Source, Timestamp};

/// By how many seconds intervals that are the same may differ: times of PDH text have milliseconds, and those of tables' intervals are of
/// another clock.
pub fn tolerance_s(long_s: f64) -> f64 {
    const SECONDS: f64 = 0.002;
    const SHARE: f64 = 0.001;
    SECONDS.max(long_s * SHARE)
}

/// Whether the samples of a capture have all of a value's interval, in more than one step: the value at `time` over `long_s`
/// seconds is then the mean of several of its values, the last of which covers `short_s`, or the time since its sample before if
/// that isn't known.
pub fn covers(source: &dyn Source, time: Timestamp, short_s: Option<f64>, long_s: f64) -> bool {
    let tolerance_s = tolerance_s(long_s);
    let times = source.times();
    let at = times.partition_point(|sample| sample.utc < time);
    let step_s = || Some(time.seconds_since(times.get(at.checked_sub(1)?)?.utc));
    if short_s.or_else(step_s).is_none_or(|short_s| long_s - short_s <= tolerance_s) {
        return false;
    }
    let begin = time.minus_seconds(long_s - tolerance_s);
    let before = times.partition_point(|sample| sample.utc <= begin).checked_sub(1);
    // What happened between two epochs is unknown.
    before.is_some_and(|before| at < times.len() && source.epoch(before) == source.epoch(at))
}
