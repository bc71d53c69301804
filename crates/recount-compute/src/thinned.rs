//! Values of a table that was thinned out, beside those of the recording that it was made from.

use recount_model::{Source, Timestamp};

/// Whether the samples of a capture have all of a value's interval, in more than one step: the value at `time` over `long_s`
/// seconds is then the mean of several of its values, the last of which covers `short_s`, or the time since its sample before if
/// that isn't known.
pub fn covers(source: &dyn Source, time: Timestamp, short_s: Option<f64>, long_s: f64) -> bool {
    /// Times of PDH text have milliseconds, and those of tables' intervals are of another clock.
    const TOLERANCE_S: f64 = 0.002;
    const TOLERANCE: f64 = 0.001;
    let tolerance_s = TOLERANCE_S.max(long_s * TOLERANCE);
    let times = source.times();
    let at = times.partition_point(|sample| sample.utc < time);
    let step_s = || Some(time.seconds_since(times.get(at.checked_sub(1)?)?.utc));
    if short_s.or_else(step_s).is_none_or(|short_s| long_s - short_s <= tolerance_s) {
        return false;
    }
    let ticks = ((long_s - tolerance_s) * Timestamp::TICKS_PER_SECOND as f64) as i64;
    let begin = Timestamp(time.0.saturating_sub(ticks));
    let before = times.partition_point(|sample| sample.utc <= begin).checked_sub(1);
    // What happened between two epochs is unknown.
    before.is_some_and(|before| at < times.len() && source.epoch(before) == source.epoch(at))
}
