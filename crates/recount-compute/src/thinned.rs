//! Values of a table that was thinned out, beside those of the recording that it was made from.

use recount_model::{Source, Timestamp};

/// Whether the samples of a capture have all of a value's interval, in more than one step: the value at `time` over `long_s`
/// seconds is then the mean of several of its values, the last of which covers `short_s`.
pub fn covers(source: &dyn Source, time: Timestamp, short_s: f64, long_s: f64) -> bool {
    /// Times of PDH text have milliseconds, and those of tables' intervals are of another clock.
    const TOLERANCE_S: f64 = 0.002;
    const TOLERANCE: f64 = 0.001;
    let tolerance_s = TOLERANCE_S.max(long_s * TOLERANCE);
    if !(long_s - short_s > tolerance_s) {
        return false;
    }
    let times = source.times();
    let ticks = ((long_s - tolerance_s) * Timestamp::TICKS_PER_SECOND as f64) as i64;
    let begin = Timestamp(time.0.saturating_sub(ticks));
    let before = times.partition_point(|sample| sample.utc <= begin).checked_sub(1);
    let at = times.partition_point(|sample| sample.utc < time);
    // What happened between two epochs is unknown.
    before.is_some_and(|before| at < times.len() && source.epoch(before) == source.epoch(at))
}
