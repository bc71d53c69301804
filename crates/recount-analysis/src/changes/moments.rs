//! When changes happened, as far as means of several samples say.

use recount_model::Timestamp;

use super::fit::{Bin, Fit, LONGEST_WITHOUT_GAP};
use super::partition::Break;
use crate::moved::Interval;

/// Within a mean of so many samples it is found out at which of them a change happened.
const FEW_SAMPLES: usize = 4;

/// Where the first value after a change at a bin begins. A bin of a few samples in which it happened has a mean between what was before and what
/// is after, if that is distinguishable from noise.
pub(super) fn begin_of(bins: &[Bin], at: usize, [before, after]: [&Fit; 2]) -> Timestamp {
    /// In units of the noise: how far a mean is from one of the two levels.
    const OFF: f64 = 3.0;
    let bin = &bins[at];
    if bin.is_alone || bin.num_samples > FEW_SAMPLES {
        return begin_of_bin(bin);
    }
    let (from, to) = (before.stretch.ends.1, after.stretch.ends.0);
    let is_clear = is_clear(before, after);
    let is_off = |bin: &Bin, level: f64, noise: f64| {
        // One sample on the other side makes twice as much.
        let least = 0.5 * (to - from).abs() / bin.num_samples as f64;
        is_clear && (bin.value - level).abs() > least.max(OFF * noise)
    };
    let is_mixed_with_before =
        |bin: &Bin| bin.num_samples > 1 && !bin.is_alone && is_off(bin, from, before.usual_noise);
    let earlier = at.checked_sub(1).filter(|earlier| is_mixed_with_before(&bins[*earlier]));
    let at = earlier.unwrap_or(at);
    let bin = &bins[at];
    let num = bin.num_samples as f64;
    let is_mixed = earlier.is_some() || is_off(bin, to, after.usual_noise);
    let num_after = if is_mixed { (num * (bin.value - from) / (to - from)).round() } else { num };
    let end = bin.interval.end;
    // A gap may lie before a bin.
    let own = bin.width_s();
    let near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|near| bins.get(near));
    let usual = near.map(Bin::width_s).reduce(f64::max).unwrap_or(own);
    let width = if own > LONGEST_WITHOUT_GAP * usual { usual } else { own };
    end.minus_seconds(width / num * num_after.clamp(1.0, num))
}

/// Whether it is known at which sample a change happened that is first seen in a bin.
pub(super) fn is_known_to_sample(bin: &Bin, [before, after]: [&Fit; 2]) -> bool {
    bin.num_samples == 1 || bin.num_samples <= FEW_SAMPLES && is_clear(before, after)
}

/// Whether a mean of samples on both sides of a change is unlike those of either.
fn is_clear(before: &Fit, after: &Fit) -> bool {
    /// In units of the noise.
    const APART: f64 = 8.0;
    let noise = before.usual_noise.max(after.usual_noise);
    (after.stretch.ends.0 - before.stretch.ends.1).abs() > APART * noise
}

/// Where a value begins. What is before a value that is alone isn't known.
pub(super) fn begin_of_bin(bin: &Bin) -> Timestamp {
    if bin.is_alone { bin.interval.end } else { bin.interval.begin }
}

/// From the value before the earliest place to the value at the latest one. A mean of several samples among which it happened is with those that it is
/// nearer to: so it may be half a bin earlier.
pub(super) fn time_of(bins: &[Bin], found: &Break) -> Interval {
    let (first, last) = (&bins[found.between.0], &bins[found.between.1.min(bins.len() - 1)]);
    let half_s = |bin: &Bin| {
        if bin.num_samples > 1 && !bin.is_alone { bin.width_s() / 2.0 } else { 0.0 }
    };
    let (begin, end) = (first.interval.begin, last.interval.end);
    Interval { begin: begin.minus_seconds(half_s(first)), end: end.minus_seconds(half_s(last)) }
}
