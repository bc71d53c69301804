//! Files of one recording without a sample in common, one of which has samples where the other has lost some.

use recount_model::{CountsSince, SampleTime, usual_step};

use super::{has_same_counters, times};
use crate::Capture;

/// Longer than the usual interval by this factor, the time between two samples is a hole.
const HOLE: f64 = 1.5;

/// A sample in the order of time: of the earlier capture or of the later one.
#[derive(Clone, Copy)]
struct Placed {
    time: SampleTime,
    is_later: bool,
    sample: usize,
}

/// The pairs of epochs, of the earlier and of the later capture, that continue each other, if all samples that one has between two of the
/// other are in holes of that one. Two recorders that run at once have samples between the usual ones.
pub(super) fn filled(earlier: &Capture, later: &Capture) -> Vec<(u32, u32)> {
    if !has_same_counters(earlier, later) {
        return Vec::new();
    }
    let all = in_time(times(earlier), times(later));
    let usual = [earlier, later].map(|capture| usual_step(times(capture).iter().map(|time| time.utc)));
    let mut last: [Option<Placed>; 2] = [None; 2];
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for pair in all.windows(2).filter(|pair| pair[0].is_later != pair[1].is_later) {
        let (before, after) = (pair[0], pair[1]);
        last[usize::from(before.is_later)] = Some(before);
        let captures = if after.is_later { [earlier, later] } else { [later, earlier] };
        let [of_earlier, of_later] = if after.is_later { [before, after] } else { [after, before] };
        // What was counted before the hole and after it is in the same capture.
        let hole = last[usize::from(after.is_later)].filter(|begin| begin.sample + 1 == after.sample);
        let is_hole = hole.is_none_or(|begin| {
            let step = after.time.utc.0.saturating_sub(begin.time.utc.0) as f64;
            usual[usize::from(after.is_later)].is_some_and(|usual| step > HOLE * usual as f64)
        });
        let since: [CountsSince; 2] =
            [captures[0].source.counts_since(before.sample), captures[1].source.counts_since(after.sample)];
        let is_one = since[0].goes_on(before.time.utc, since[1]);
        if !is_hole || !is_one || before.time.utc == after.time.utc {
            return Vec::new();
        }
        let epochs = (earlier.source.epoch(of_earlier.sample), later.source.epoch(of_later.sample));
        if joined.last() != Some(&epochs) && !joined.contains(&epochs) {
            joined.push(epochs);
        }
    }
    joined
}

fn in_time(earlier: &[SampleTime], later: &[SampleTime]) -> Vec<Placed> {
    let placed = |times: &[SampleTime], is_later: bool| -> Vec<Placed> {
        times.iter().enumerate().map(|(sample, &time)| Placed { time, is_later, sample }).collect()
    };
    let mut all = placed(earlier, false);
    all.extend(placed(later, true));
    all.sort_by_key(|placed| (placed.time.utc, placed.is_later, placed.sample));
    all
}
