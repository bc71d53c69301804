//! Samples that are in two captures: the last of one day is often the first of the next, and a file may be next to its
//! copy.

use recount_model::{CountsSince, SampleTime};

use crate::Capture;

/// Samples of a capture that are already counted in another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeats {
    /// Their indices, ascending.
    pub(crate) samples: Vec<u32>,
    /// The capture that has most of them, and how many it has.
    pub(crate) most: Option<(usize, usize)>,
    /// A capture of the same machine, time and counters with samples of its own: two recorders ran at once.
    pub(crate) beside: Option<usize>,
}

/// The samples of each capture that are already in captures that begin before it.
pub(crate) fn repeats(captures: &[Capture]) -> Vec<Repeats> {
    let mut all = vec![Repeats::default(); captures.len()];
    let mut order: Vec<usize> = (0..captures.len()).collect();
    order.retain(|&capture| !times(&captures[capture]).is_empty());
    order.sort_by_key(|&capture| {
        let times = times(&captures[capture]);
        (times.first().map(|time| time.utc), std::cmp::Reverse(times.len()))
    });
    for (place, &later) in order.iter().enumerate() {
        for &earlier in &order[..place] {
            let found = repeated(&captures[earlier], &captures[later]);
            let of = &mut all[later];
            if found.is_empty() && of.beside.is_none() && is_beside(&captures[earlier], &captures[later]) {
                of.beside = Some(earlier);
            }
            if of.most.map_or(0, |(_, num)| num) < found.len() {
                of.most = Some((earlier, found.len()));
            }
            of.samples.extend(found);
        }
        all[later].samples.sort_unstable();
        all[later].samples.dedup();
    }
    all
}

fn times(capture: &Capture) -> &[SampleTime] {
    capture.source.times()
}

/// The samples of `later` that `earlier` has, too. Samples of two recorders on the same machine aren't repetitions,
/// unless both recorded the same things at the same times.
fn repeated(earlier: &Capture, later: &Capture) -> Vec<u32> {
    let (before, after) = (times(earlier), times(later));
    let (Some(first), Some(last)) = (after.first(), before.last()) else { return Vec::new() };
    if last.utc < first.utc || !is_same_recording(earlier, later) {
        return Vec::new();
    }
    let num_within = after.partition_point(|time| time.utc <= last.utc);
    let is_known = |at: &usize| before.binary_search_by_key(&after[*at].utc, |time| time.utc).is_ok();
    let known: Vec<u32> = (0..num_within).filter(is_known).map(|at| at as u32).collect();
    // Yesterday's file is closed a moment after today's begins.
    if num_within == 1 { vec![0] } else { known }
}

/// Whether both recorded the same counters of one machine for more than a moment.
fn is_beside(earlier: &Capture, later: &Capture) -> bool {
    let (Some(begin), Some(end)) = (times(later).first(), times(earlier).last()) else { return false };
    let num_before = times(earlier).iter().rev().take_while(|time| time.utc >= begin.utc).count();
    let num_after = times(later).iter().take_while(|time| time.utc <= end.utc).count();
    num_before > 1 && num_after > 1 && is_same_host(earlier, later) && {
        let known = counters(earlier);
        counters(later).iter().any(|(object, names)| {
            let of_both = known.binary_search_by(|(known, _)| known.cmp(object)).map(|at| &known[at].1);
            of_both.is_ok_and(|known| names.iter().any(|name| known.contains(name)))
        })
    }
}

fn is_same_host(earlier: &Capture, later: &Capture) -> bool {
    let hosts = |capture: &Capture| capture.source.info().hosts.clone();
    hosts(earlier).len() == 1 && hosts(earlier) == hosts(later)
}

fn is_same_recording(earlier: &Capture, later: &Capture) -> bool {
    if earlier.format != later.format || !is_same_host(earlier, later) {
        return false;
    }
    let since = |capture: &Capture, sample: usize| capture.source.counts_since(sample);
    let begin = times(later).first().map(|time| time.utc);
    let at = times(earlier).partition_point(|time| Some(time.utc) < begin);
    let of_both: (CountsSince, CountsSince) = (since(earlier, at), since(later, 0));
    of_both.0.is_same(of_both.1) && counters(earlier) == counters(later)
}

/// Objects and counters, sorted.
fn counters(capture: &Capture) -> Vec<(String, Vec<String>)> {
    let of = |(_, object): &(_, std::sync::Arc<recount_model::ObjectDef>)| {
        (object.name.to_string(), object.counters.iter().map(|counter| counter.name.to_string()).collect())
    };
    let mut all: Vec<_> = capture.source.objects().iter().map(of).collect();
    all.sort();
    all
}
