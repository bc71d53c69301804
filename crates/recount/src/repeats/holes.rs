//! Captures of one recording without a sample in common, one of which has samples where the other has lost some.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use recount_model::{SampleTime, Timestamp, usual_step};

use super::compared::Compared;
use super::{ComparedPair, has_same_counters, times};
use crate::Capture;

/// Longer than the usual interval by this factor, the time between two samples is a hole.
const HOLE: f64 = 1.5;

/// The steps between fewer samples may all be holes.
const FEW: usize = 4;

/// Pairs of epochs that are compared, and of which it is found out whether they have to be: bounds the work.
const MAX_OPEN: usize = 4_096;
const MAX_LOOKED_AT: usize = 1 << 22;

/// The samples of one epoch of a capture, in order of time.
struct Part {
    capture: usize,
    epoch: u32,
    samples: Vec<usize>,
    begin: Timestamp,
    end: Timestamp,
    /// The usual interval of all epochs of the capture, in ticks.
    usual: Option<i64>,
    /// When the capture's epochs before this one have ended, and when the next one begins.
    ended_before: Option<Timestamp>,
    next_begin: Option<Timestamp>,
}

impl Part {
    /// Whether the other one isn't wholly beyond another epoch of the same capture.
    fn may_be_one_with(&self, other: &Part) -> bool {
        let begins_before_next = |one: &Part, other: &Part| {
            one.next_begin.is_none_or(|begin| other.begin < begin)
                && one.ended_before.is_none_or(|end| end < other.end)
        };
        begins_before_next(self, other) && begins_before_next(other, self)
    }
}

/// A sample of a capture on one of two sides.
#[derive(Clone, Copy)]
struct Placed<'a> {
    time: SampleTime,
    side: usize,
    part: &'a Part,
    sample: usize,
}

impl Placed<'_> {
    /// Whether a later sample isn't of another epoch: neither capture has a restart, a loss or a clock that was set in between.
    fn is_in_epoch_of(&self, later: &Placed<'_>) -> bool {
        self.part.next_begin.is_none_or(|begin| later.time.utc < begin)
            && later.part.ended_before.is_none_or(|end| end < self.time.utc)
    }
}

/// The pairs of epochs that fill each other's holes. What is known to be one recording is looked at as a whole, too: of three captures, one may have
/// samples between those of another because the third has the missing ones.
pub(super) fn filled(captures: &[Capture], pairs: &[ComparedPair]) -> Vec<ComparedPair> {
    let parts = parts(captures);
    let mut open = open(captures, pairs, &parts);
    let mut found: Vec<ComparedPair> = Vec::new();
    if open.is_empty() {
        return found;
    }
    open.retain(|both| {
        let alone = filled_by(captures, &both.map(|part| vec![&parts[part]]));
        let is_filled = !alone.is_empty();
        found.extend(alone);
        !is_filled
    });
    let mut groups = Groups::of(&parts);
    for pair in pairs.iter().chain(&found).filter(|pair| pair.compared.first_difference.is_none()) {
        groups.merge(pair);
    }
    let mut tried: HashSet<[(usize, usize); 2]> = HashSet::new();
    let mut num_before = usize::MAX;
    while found.len() != num_before {
        num_before = found.len();
        for both in &open {
            let sides = both.map(|part| groups.members(part));
            let is_one = sides[0].0 == sides[1].0;
            // A group has grown if it has more members.
            if !is_one && tried.insert(sides.map(|(group, members)| (group, members.len()))) {
                let together = sides.map(|(_, members)| members.iter().map(|at| &parts[*at]).collect());
                let together = filled_by(captures, &together);
                for pair in &together {
                    groups.merge(pair);
                }
                found.extend(together);
            }
        }
    }
    found
}

/// Epochs that are known to be one recording.
struct Groups {
    number_of: HashMap<(usize, u32), usize>,
    group_of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Groups {
    /// Each epoch by itself.
    fn of(parts: &[Part]) -> Groups {
        let numbered = parts.iter().enumerate().map(|(at, part)| ((part.capture, part.epoch), at));
        Groups {
            number_of: numbered.collect(),
            group_of: (0..parts.len()).collect(),
            members: (0..parts.len()).map(|at| vec![at]).collect(),
        }
    }

    fn merge(&mut self, pair: &ComparedPair) {
        for (of_earlier, of_later) in &pair.compared.joined {
            let both = [(pair.earlier, *of_earlier), (pair.later, *of_later)];
            let [Some(one), Some(other)] = both.map(|part| self.number_of.get(&part)) else { continue };
            let (one, other) = (self.group_of[*one], self.group_of[*other]);
            if one != other {
                let is_larger = self.members[one].len() > self.members[other].len();
                let (to, from) = if is_larger { (one, other) } else { (other, one) };
                let moved = std::mem::take(&mut self.members[from]);
                for at in &moved {
                    self.group_of[*at] = to;
                }
                self.members[to].extend(moved);
            }
        }
    }

    /// The group of an epoch, and all epochs in it.
    fn members(&self, part: usize) -> (usize, &[usize]) {
        let group = self.group_of[part];
        (group, &self.members[group])
    }
}

fn parts(captures: &[Capture]) -> Vec<Part> {
    let of_capture = |(capture, opened): (usize, &Capture)| {
        let mut by_epoch: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for sample in 0..times(opened).len() {
            by_epoch.entry(opened.source.epoch(sample)).or_default().push(sample);
        }
        let step = |pair: &[usize]| times(opened)[pair[1]].utc.0.saturating_sub(times(opened)[pair[0]].utc.0);
        let steps = by_epoch.values().flat_map(|samples| samples.windows(2).map(step));
        let mut steps: Vec<i64> = steps.filter(|step| *step > 0).collect();
        let middle = steps.len().saturating_sub(1) / 2;
        let usual = (!steps.is_empty()).then(|| *steps.select_nth_unstable(middle).1);
        let bound = |samples: &Vec<usize>| {
            let times = samples.iter().map(|sample| times(opened)[*sample].utc);
            times.clone().min().zip(times.max())
        };
        let bounds: Vec<(Timestamp, Timestamp)> = by_epoch.values().filter_map(bound).collect();
        let mut ends: Vec<Option<Timestamp>> = vec![None];
        ends.extend(bounds.iter().scan(None, |latest, (_, end)| {
            *latest = (*latest).max(Some(*end));
            Some(*latest)
        }));
        let earliest = |earliest: &mut Option<Timestamp>, (begin, _): &(Timestamp, Timestamp)| {
            let next = *earliest;
            *earliest = Some(next.map_or(*begin, |next| next.min(*begin)));
            Some(next)
        };
        let mut next_begins: Vec<Option<Timestamp>> = bounds.iter().rev().scan(None, earliest).collect();
        next_begins.reverse();
        let around = bounds.into_iter().zip(ends).zip(next_begins);
        by_epoch.into_iter().zip(around).map(
            move |((epoch, samples), (((begin, end), ended_before), next_begin))| Part {
                capture,
                epoch,
                samples,
                begin,
                end,
                usual,
                ended_before,
                next_begin,
            },
        )
    };
    captures.iter().enumerate().flat_map(of_capture).collect()
}

/// The epochs of two captures that may be one: those that no common sample has joined.
fn open(captures: &[Capture], pairs: &[ComparedPair], parts: &[Part]) -> Vec<[usize; 2]> {
    let mut begins: Vec<usize> = vec![0; captures.len() + 1];
    for part in parts {
        begins[part.capture + 1] += 1;
    }
    for capture in 0..captures.len() {
        begins[capture + 1] += begins[capture];
    }
    let of_capture = |capture: usize| begins[capture]..begins[capture + 1];
    let is_raw = |pair: &&ComparedPair| pair.compared.first_difference.is_none() && pair.is_raw(captures);
    let mut open: Vec<[usize; 2]> = Vec::new();
    let mut num_looked_at = 0;
    for pair in pairs.iter().filter(is_raw) {
        let joined: HashSet<(u32, u32)> = pair.compared.joined.iter().copied().collect();
        let both =
            of_capture(pair.earlier).flat_map(|one| of_capture(pair.later).map(move |other| [one, other]));
        let both = both.take(MAX_LOOKED_AT - num_looked_at).inspect(|_| num_looked_at += 1);
        let may_be_one = |[one, other]: &[usize; 2]| {
            let (one, other) = (&parts[*one], &parts[*other]);
            one.may_be_one_with(other) && !joined.contains(&(one.epoch, other.epoch))
        };
        let mut found: Vec<[usize; 2]> = both.filter(may_be_one).take(MAX_OPEN - open.len()).collect();
        if !found.is_empty() && has_same_counters(&captures[pair.earlier], &captures[pair.later]) {
            open.append(&mut found);
        }
    }
    open
}

/// The captures with epochs that continue each other, if all samples that one side has between two of the other are in holes of that one. Two recorders
/// that run at once have samples between the usual ones.
fn filled_by(captures: &[Capture], sides: &[Vec<&Part>; 2]) -> Vec<ComparedPair> {
    let placed = [0, 1].map(|side| in_time(captures, &sides[side], side));
    let usual = [0, 1].map(|side| usual_step(placed[side].iter().map(|placed| placed.time.utc)));
    // Of an epoch with few samples, the whole capture says more.
    let of_few = sides.iter().zip(&placed).filter(|(_, placed)| placed.len() < FEW);
    let of_captures = of_few.flat_map(|(parts, _)| parts.iter().filter_map(|part| part.usual));
    let least = usual.iter().flatten().copied().chain(of_captures).min();
    let is_long =
        |ticks: i64, usual: Option<i64>| usual.is_some_and(|usual| ticks as f64 > HOLE * usual as f64);
    let mut all = placed.concat();
    all.sort_by_key(|placed| (placed.time.utc, placed.side));
    let mut last: [Option<Placed<'_>>; 2] = [None; 2];
    let mut joined: BTreeSet<[(usize, u32); 2]> = BTreeSet::new();
    // The first sample of those of one side that follow each other.
    let mut first = all.first().copied();
    for pair in all.windows(2).filter(|pair| pair[0].side != pair[1].side) {
        let (before, after) = (pair[0], pair[1]);
        last[before.side] = Some(before);
        // What was counted before the hole and after it is in the same capture.
        let hole = last[after.side]
            .filter(|begin| begin.part.capture != after.part.capture || begin.sample + 1 == after.sample);
        let ticks = |from: Placed<'_>, to: Placed<'_>| to.time.utc.0.saturating_sub(from.time.utc.0);
        let is_hole = hole.is_none_or(|begin| {
            let whole = ticks(begin, after);
            // Of a side that has few samples, the usual interval says little. What fills it without a gap was sampled with it.
            let edges = [first.map_or(0, |first| ticks(begin, first)), ticks(before, after)];
            let is_seamless = edges.iter().all(|edge| !is_long(*edge, least));
            is_long(whole, usual[after.side]) || is_long(whole, least) && is_seamless
        });
        first = Some(after);
        let [since, since_next] =
            [before, after].map(|placed| captures[placed.part.capture].source.counts_since(placed.sample));
        let is_one = before.is_in_epoch_of(&after) && since.goes_on(before.time.utc, since_next);
        if !is_hole || !is_one || before.time.utc == after.time.utc {
            return Vec::new();
        }
        let mut parts = [before, after].map(|placed| (placed.part.capture, placed.part.epoch));
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
fn in_time<'a>(captures: &[Capture], parts: &[&'a Part], side: usize) -> Vec<Placed<'a>> {
    let mut all: Vec<Placed<'a>> = Vec::new();
    for &part in parts {
        let times = times(&captures[part.capture]);
        all.extend(part.samples.iter().map(|&sample| Placed { time: times[sample], side, part, sample }));
    }
    all.sort_by_key(|placed| placed.time.utc);
    all.dedup_by(|next, kept| next.time.utc == kept.time.utc && next.part.capture != kept.part.capture);
    all
}
