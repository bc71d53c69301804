//! Captures of one recording without a sample in common, one of which has samples where the other has lost some.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use recount_model::{SampleTime, usual_step};

use super::compared::Compared;
use super::{ComparedPair, has_same_counters, times};
use crate::Capture;

/// Longer than the usual interval by this factor, the time between two samples is a hole.
const HOLE: f64 = 1.5;

/// A sample of a capture on one of two sides.
#[derive(Clone, Copy)]
struct Placed {
    time: SampleTime,
    side: usize,
    capture: usize,
    sample: usize,
}

/// The pairs of captures that fill each other's holes. What is known to be one recording is looked at as a whole, too: of three captures, one may have
/// samples between those of another because the third has the missing ones.
pub(super) fn filled(captures: &[Capture], pairs: &[ComparedPair]) -> Vec<ComparedPair> {
    let is_open = |pair: &&ComparedPair| {
        pair.compared.num_common == 0
            && pair.is_raw(captures)
            && has_same_counters(&captures[pair.earlier], &captures[pair.later])
    };
    let mut open: Vec<[usize; 2]> =
        pairs.iter().filter(is_open).map(|pair| [pair.earlier, pair.later]).collect();
    let mut found: Vec<ComparedPair> = Vec::new();
    open.retain(|both| {
        let alone = filled_by(captures, &both.map(|capture| vec![capture]));
        let is_filled = !alone.is_empty();
        found.extend(alone);
        !is_filled
    });
    let mut group_of: Vec<usize> = (0..captures.len()).collect();
    let is_joined =
        |pair: &&ComparedPair| !pair.compared.joined.is_empty() && pair.compared.first_difference.is_none();
    for pair in pairs.iter().chain(&found).filter(is_joined) {
        merge(&mut group_of, pair);
    }
    let mut tried: HashSet<[Vec<usize>; 2]> = HashSet::new();
    let mut num_before = usize::MAX;
    while found.len() != num_before {
        num_before = found.len();
        for both in &open {
            let members = |group: usize| (0..captures.len()).filter(|at| group_of[*at] == group).collect();
            let sides = both.map(|capture| members(group_of[capture]));
            if sides[0] != sides[1] && tried.insert(sides.clone()) {
                let together = filled_by(captures, &sides);
                for pair in &together {
                    merge(&mut group_of, pair);
                }
                found.extend(together);
            }
        }
    }
    found
}

fn merge(group_of: &mut [usize], pair: &ComparedPair) {
    let (to, from) = (group_of[pair.earlier], group_of[pair.later]);
    for group in group_of.iter_mut().filter(|group| **group == from) {
        *group = to;
    }
}

/// The captures with epochs that continue each other, if all samples that one side has between two of the other are in holes of that one. Two recorders
/// that run at once have samples between the usual ones.
fn filled_by(captures: &[Capture], sides: &[Vec<usize>; 2]) -> Vec<ComparedPair> {
    let placed = [0, 1].map(|side| in_time(captures, &sides[side], side));
    let usual = [0, 1].map(|side| usual_step(placed[side].iter().map(|placed| placed.time.utc)));
    let least = usual.iter().flatten().min().copied();
    let is_long =
        |ticks: i64, usual: Option<i64>| usual.is_some_and(|usual| ticks as f64 > HOLE * usual as f64);
    let mut all = placed.concat();
    all.sort_by_key(|placed| (placed.time.utc, placed.side));
    let mut last: [Option<Placed>; 2] = [None; 2];
    let mut joined: BTreeSet<[(usize, u32); 2]> = BTreeSet::new();
    // The first sample of those of one side that follow each other.
    let mut first = all.first().copied();
    for pair in all.windows(2).filter(|pair| pair[0].side != pair[1].side) {
        let (before, after) = (pair[0], pair[1]);
        last[before.side] = Some(before);
        // What was counted before the hole and after it is in the same capture.
        let hole = last[after.side]
            .filter(|begin| begin.capture != after.capture || begin.sample + 1 == after.sample);
        let ticks = |from: Placed, to: Placed| to.time.utc.0.saturating_sub(from.time.utc.0);
        let is_hole = hole.is_none_or(|begin| {
            let whole = ticks(begin, after);
            // Of a side that has few samples, the usual interval says little. What fills it without a gap was sampled with it.
            let edges = [first.map_or(0, |first| ticks(begin, first)), ticks(before, after)];
            let is_seamless = edges.iter().all(|edge| !is_long(*edge, least));
            is_long(whole, usual[after.side]) || is_long(whole, least) && is_seamless
        });
        first = Some(after);
        let [since, since_next] =
            [before, after].map(|placed| captures[placed.capture].source.counts_since(placed.sample));
        let is_one = since.goes_on(before.time.utc, since_next);
        if !is_hole || !is_one || before.time.utc == after.time.utc {
            return Vec::new();
        }
        let mut parts = [before, after]
            .map(|placed| (placed.capture, captures[placed.capture].source.epoch(placed.sample)));
        parts.sort_unstable();
        joined.insert(parts);
    }
    let pair = |[(earlier, of_earlier), (later, of_later)]: [(usize, u32); 2]| {
        let compared = Compared { joined: vec![(of_earlier, of_later)], ..Compared::default() };
        ComparedPair { earlier, later, compared: Arc::new(compared) }
    };
    joined.into_iter().map(pair).collect()
}

/// The samples of captures in order of time. What one of them has at a time of another is left out.
fn in_time(captures: &[Capture], members: &[usize], side: usize) -> Vec<Placed> {
    let of_capture = |&capture: &usize| {
        let placed = move |(sample, &time)| Placed { time, side, capture, sample };
        times(&captures[capture]).iter().enumerate().map(placed)
    };
    let mut all: Vec<Placed> = members.iter().flat_map(of_capture).collect();
    all.sort_by_key(|placed| placed.time.utc);
    all.dedup_by(|next, kept| next.time.utc == kept.time.utc && next.capture != kept.capture);
    all
}
