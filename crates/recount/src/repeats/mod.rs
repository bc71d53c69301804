//! Samples that are in two captures: the last of one day is often the first of the next, a file may be next to its copy,
//! and a circular log is copied more than once.
//!
//! The rule (`formats/tables.md#several-captures`): identical values of one time are one. A sample is left out if another
//! capture has each of its values. If captures contradict each other, both values are kept.

mod compared;
mod rows;

use recount_model::{CountsSince, SampleTime};

pub(crate) use self::compared::Comparisons;
pub(crate) use self::rows::{Block, Cell, keys};
use crate::Capture;

/// What a capture shares with others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeats {
    /// Samples that are counted in another capture: their indices, ascending.
    pub(crate) samples: Vec<u32>,
    /// The capture that has most of them, and how many it has.
    pub(crate) most: Option<(usize, usize)>,
    /// A capture of the same machine, time and counters with samples of its own: two recorders ran at once.
    pub(crate) beside: Option<usize>,
    /// A capture that has other values at the same times.
    pub(crate) contradicted: Option<Contradiction>,
    /// Other captures that have some of the same samples, so that both are parts of one recording: the epoch of this
    /// capture, the other capture, and its epoch.
    pub(crate) joined: Vec<(u32, usize, u32)>,
}

/// Samples at the same times whose values differ.
#[derive(Clone, Debug)]
pub(crate) struct Contradiction {
    pub(crate) other: usize,
    pub(crate) num: usize,
    /// The time of the first, and a counter that differs.
    pub(crate) time: SampleTime,
    pub(crate) path: String,
}

/// What each capture shares with captures that begin before it.
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
            add_pair(captures, &mut all, (earlier, later));
        }
    }
    for repeats in &mut all {
        repeats.samples.sort_unstable();
        repeats.samples.dedup();
    }
    all
}

fn add_pair(captures: &[Capture], all: &mut [Repeats], (earlier, later): (usize, usize)) {
    let (before, after) = (&captures[earlier], &captures[later]);
    if times(before).last().map(|time| time.utc) < times(after).first().map(|time| time.utc) {
        return;
    }
    let mut add = |of: usize, other: usize, found: &[u32], num: usize| {
        let repeats = &mut all[of];
        if repeats.most.map_or(0, |(_, most)| most) < num {
            repeats.most = Some((other, num));
        }
        repeats.samples.extend(found);
    };
    if is_begun_a_moment_early(before, after) {
        add(later, earlier, &[0], 1);
        return;
    }
    let mut is_known = false;
    if may_share(before, after) {
        let compared = after.comparisons.of(&before.source, &after.source);
        is_known = !compared.joined.is_empty();
        // A sample without any value says nothing about where it comes from.
        if is_known {
            add(later, earlier, &compared.of_later, compared.num_of_later);
            add(earlier, later, &compared.of_earlier, compared.num_of_earlier);
        }
        let joined = compared.joined.iter().map(|(of_earlier, of_later)| (*of_later, earlier, *of_earlier));
        all[later].joined.extend(joined);
        if let (Some((time, path)), None) = (&compared.first_difference, &all[later].contradicted) {
            let (num, path) = (compared.num_differing, path.clone());
            all[later].contradicted = Some(Contradiction { other: earlier, num, time: *time, path });
        }
    }
    let is_told = is_known || all[later].contradicted.is_some() || all[later].beside.is_some();
    if !is_told && is_beside(before, after) {
        all[later].beside = Some(earlier);
    }
}

/// Whether both have a machine in common, or neither names one.
fn may_share(earlier: &Capture, later: &Capture) -> bool {
    let (one, other) = (earlier.source.info(), later.source.info());
    let is_same_host = (one.hosts.is_empty() && other.hosts.is_empty())
        || one.hosts.iter().any(|host| other.hosts.contains(host));
    is_same_host && one.is_zone_unknown == other.is_zone_unknown
}

fn times(capture: &Capture) -> &[SampleTime] {
    capture.source.times()
}

/// Yesterday's file is closed a moment after today's begins, whose first sample then stands for the same moment.
fn is_begun_a_moment_early(earlier: &Capture, later: &Capture) -> bool {
    /// Of the time between two samples.
    const MOMENT: i64 = 5;
    let (before, after) = (times(earlier), times(later));
    let (Some(last), [first, second, ..]) = (before.last(), after) else { return false };
    let early = last.utc.0.saturating_sub(first.utc.0);
    early > 0
        && second.utc > last.utc
        && early <= second.utc.0.saturating_sub(first.utc.0) / MOMENT
        && is_same_recording(earlier, later)
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
