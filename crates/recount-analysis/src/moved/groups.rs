//! Counters that moved together.

use std::ops::Range;

use recount_model::{CounterPath, Timestamp};
use serde::Serialize;

use super::bounds::{Axis, Interval, missing};
use super::correlation::together;
use super::importance::{size, weight};
use super::shift::{Kind, Shift};
use crate::roster::Roster;
use crate::rules::Culprits;
use crate::shown::{is_of_tasks, quantity, task_id, unit_of};
use crate::stats::SeriesId;

/// Counters that moved together.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// What happened, in one sentence.
    pub headline: String,
    /// Whether chance is ruled out. If not, there are too few values to know.
    pub is_sure: bool,
    /// From 0 to 1: how large the change is for people.
    pub score: f64,
    /// The counter that moved most.
    pub leader: Member,
    /// The others, those that moved most first; at most 50.
    pub members: Vec<Member>,
    /// How many others there are.
    pub num_members: usize,
    /// The processes that used most of it.
    pub who: Option<Culprits>,
    /// The last mark of the ten minutes before it.
    pub after_mark: Option<String>,
}

impl Group {
    /// The paths of its leader and of the members that are listed.
    pub(super) fn paths(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.leader).chain(&self.members).map(|member| &member.path)
    }
}

/// A counter of a group.
#[derive(Clone, Debug, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a word of the sentence, and two are fields of the answer"
)]
pub struct Member {
    /// Its path.
    pub path: String,
    /// Performance object.
    pub object: String,
    /// Instance, as shown.
    pub instance: Option<String>,
    /// Id of a process or thread.
    pub instance_id: Option<u64>,
    /// Its name.
    pub counter: String,
    /// Unit of the values; may be empty.
    pub unit: &'static str,
    /// `rose`, `fell`, `unsteady` or `steady`.
    pub change: &'static str,
    /// Median of the time it is compared with, or, if the sentence says so, of the part of it next to the span; if there was a trend,
    /// where it leads to. For `unsteady` and `steady`: the mean distance from the median.
    pub before: f64,
    /// Whether it rose or fell steadily before, and left that.
    pub left_trend: bool,
    /// Whether it rose or fell before, less steadily: `before` is the median of the last tenth of that time.
    pub after_way: bool,
    /// Median of the part of the span that stands out.
    pub after: f64,
    /// The value of this part that is furthest from what was before.
    pub extreme: f64,
    /// How far it went, in units of the spread before.
    pub effect: f64,
    /// Of such a change by chance, corrected for the number of counters.
    pub probability: f64,
    /// From 0 to 1: how large the change is for people.
    pub score: f64,
    /// When it began.
    pub onset: Interval,
    /// From its begin to its end.
    pub event: Interval,
    /// The runs of values that stand out, if there are several.
    pub spells: Vec<Interval>,
    /// Correlation with the leader; `None` if it isn't strong: then it left its usual values at the same time.
    pub correlation: Option<f64>,
    /// Seconds that it is behind the leader; negative: it came first.
    pub lag_s: Option<f64>,
    /// Per spell the time of its first value.
    #[serde(skip)]
    pub(super) spells_from: Vec<Timestamp>,
    #[serde(skip)]
    pub(super) kind: Kind,
    #[serde(skip)]
    pub(super) host: String,
    /// Whether it lasts until the end of the span.
    #[serde(skip)]
    pub(super) lasts: bool,
    /// Whether its length isn't exact.
    #[serde(skip)]
    pub(super) is_rough: bool,
    /// What `before` is the median of, if it isn't the whole time that it is compared with.
    #[serde(skip)]
    pub(super) compared: Option<Interval>,
    /// When it was at this level, too.
    #[serde(skip)]
    pub(super) again: Option<Interval>,
    /// Whether the values before it are known: if not, it may have begun earlier.
    #[serde(skip)]
    pub(super) is_begin_known: bool,
    /// How many values are missing while it lasts, and how many there would be with them.
    #[serde(skip)]
    pub(super) missing: (usize, usize),
}

impl Member {
    /// Whether its values, or how much they vary, became larger.
    pub(super) fn is_up(&self) -> bool {
        matches!(self.change, "rose" | "unsteady")
    }
}

/// A series that moved, and its values.
pub(super) struct Candidate {
    pub(super) member: Member,
    values: Vec<f64>,
}

/// What has less isn't said.
const LEAST_SCORE: f64 = 0.2;
/// Less than this isn't said even if it is certain.
const LEAST_CERTAIN_SCORE: f64 = 0.02;
/// So far that it is said although chance can't be ruled out, if there are few values.
const LEAST_UNSURE: (f64, f64) = (0.3, 6.0);

impl Candidate {
    /// `None` if the change is small.
    pub(super) fn new(
        (roster, axis): (&Roster, &Axis),
        id: SeriesId,
        shift: &Shift,
        values: Vec<f64>,
    ) -> Option<Candidate> {
        let entry = roster.objects().get(id.object as usize)?;
        let counter = entry.counters.get(id.counter as usize)?;
        let instance = entry.instances.get(id.instance as usize)?;
        let unit = unit_of(&counter.name, counter.unit);
        let path: CounterPath = entry.path(id.instance as usize, id.counter as usize);
        let shown = instance.shown.as_deref();
        let scale = (shift.after - shift.before).abs() / shift.effect.abs().max(1.0);
        // Of a step all values are evidence.
        let least_evidence = if shift.is_step { 0.5 } else { 0.0 };
        let evidence = (shift.effect.abs().max(1.0).ln() / 2.0).clamp(least_evidence, 1.0);
        // That a process ended is seldom the reason.
        let is_ended = !shift.is_up && is_of_tasks(&entry.name);
        let of_kind = match shift.kind {
            _ if is_ended => 0.5,
            Kind::Spread => 0.7,
            Kind::Level => 1.0,
        };
        let size = size(shift.before, shift.after, scale, unit, &counter.name);
        let score = of_kind * evidence * size * weight(&entry.name, &counter.name, shown);
        let least = if is_certain(shift) { LEAST_CERTAIN_SCORE } else { LEAST_SCORE };
        let is_shown = quantity(shift.before, unit) != quantity(shift.after, unit);
        if score < least || !is_shown {
            return None;
        }
        let last = shift.bins.end - 1;
        let begin = axis.lasted(&values, &shift.bins).begin;
        let within = axis.known(&values, &(shift.onset.0..shift.onset.1 + 1));
        // Of a moment, the most likely sample is said.
        let likely = axis.known(&values, &(shift.bins.start..shift.bins.start + 1));
        let onset = if within.is_moment() { likely } else { within };
        let is_any_known = |mut places: Range<usize>| places.any(|at| !values[at].is_nan());
        let of_run = |run: &Range<usize>| axis.lasted(&values, run);
        let spells = shift.spells.iter().map(of_run).collect::<Vec<_>>();
        let member = Member {
            path: path.to_string(),
            object: entry.name.to_string(),
            instance: shown.map(str::to_owned),
            instance_id: task_id(&entry.name, instance.instance.as_ref()),
            counter: counter.name.to_string(),
            unit,
            change: change(shift),
            before: shift.before,
            left_trend: shift.is_of_trend,
            after_way: shift.is_after_way,
            after: shift.after,
            extreme: shift.extreme,
            effect: shift.effect,
            probability: shift.probability,
            score,
            onset,
            event: Interval { end: axis.interval(last, last).end, begin },
            spells: if spells.len() > 1 { spells } else { Vec::new() },
            spells_from: shift.spells.iter().map(|run| axis.interval(run.start, run.start).end).collect(),
            correlation: None,
            lag_s: None,
            kind: shift.kind,
            host: entry.host.to_string(),
            lasts: last + 1 == axis.len(),
            is_rough: shift.is_rough,
            compared: shift.compared.map(|places| axis.between(places)),
            again: shift.again.map(|places| axis.between(places)),
            is_begin_known: axis.is_joined || is_any_known(axis.num_before..shift.bins.start),
            missing: missing(&values, &shift.spells),
        };
        Some(Candidate { member, values })
    }

    pub(super) fn is_large(&self) -> bool {
        self.member.score >= LEAST_UNSURE.0 && self.member.effect.abs() >= LEAST_UNSURE.1
    }
}

/// Whether a change of a level is so clear that it is said although it is small.
fn is_certain(shift: &Shift) -> bool {
    /// In units of the spread before.
    const LEAST_EFFECT: f64 = 5.0;
    const MAX_PROBABILITY: f64 = 1e-4;
    /// Of a step, whose probability is that of all its places together.
    const MAX_OF_STEP: f64 = 0.01;
    /// Values.
    const LEAST_LONG: usize = 10;
    // Two single values that are far apart aren't a long time.
    let num_values: usize = shift.spells.iter().map(ExactSizeIterator::len).sum();
    let is_far = shift.is_from_flat || shift.effect.abs() >= LEAST_EFFECT;
    let is_clear = is_far && num_values >= LEAST_LONG;
    let is_likely = |most: f64| shift.probability < most;
    shift.kind == Kind::Level
        && (is_clear && is_likely(MAX_PROBABILITY) || shift.is_step && is_likely(MAX_OF_STEP))
}

fn change(shift: &Shift) -> &'static str {
    match (shift.kind, shift.is_up) {
        (Kind::Level, true) => "rose",
        (Kind::Level, false) => "fell",
        (Kind::Spread, true) => "unsteady",
        (Kind::Spread, false) => "steady",
    }
}

/// How many series are put in groups: of more, the rest moved less.
const MAX_GROUPED: usize = 1_000;
/// How many groups there are at most.
const MAX_GROUPS: usize = 30;
/// How many members are listed.
const MAX_LISTED: usize = 50;

/// The groups, those that moved most first.
pub(super) fn groups(mut candidates: Vec<Candidate>, axis: &Axis) -> Vec<Group> {
    candidates.sort_by(|a, b| {
        b.member.score.total_cmp(&a.member.score).then_with(|| a.member.path.cmp(&b.member.path))
    });
    candidates.truncate(MAX_GROUPED);
    let bin_s = axis.bin_s();
    let mut groups: Vec<(Candidate, Vec<Member>)> = Vec::new();
    for mut candidate in candidates {
        let found =
            groups.iter().enumerate().find_map(|(at, (leader, _))| Some((at, joined(leader, &candidate)?)));
        match found {
            Some((at, how)) => {
                candidate.member.correlation = how.map(|(correlation, _)| correlation);
                candidate.member.lag_s = how.map(|(_, lag)| f64::from(lag) * bin_s);
                groups[at].1.push(candidate.member);
            }
            None if groups.len() < MAX_GROUPS => groups.push((candidate, Vec::new())),
            None => {}
        }
    }
    let made = groups.into_iter().map(|(leader, mut members)| {
        let num_members = members.len();
        members.truncate(MAX_LISTED);
        Group {
            headline: String::new(),
            is_sure: true,
            score: leader.member.score,
            leader: leader.member,
            members,
            num_members,
            who: None,
            after_mark: None,
        }
    });
    made.collect()
}

/// Whether a series belongs to the group of a leader; with correlation and lag, if it is by these.
#[expect(clippy::option_option, reason = "the outer one says whether it belongs, the inner one how")]
fn joined(leader: &Candidate, other: &Candidate) -> Option<Option<(f64, i32)>> {
    if leader.member.host != other.member.host {
        return None;
    }
    if let Some(found) = together(&leader.values, &other.values) {
        return Some(Some((found.correlation, found.lag)));
    }
    if [leader, other].iter().any(|one| one.member.kind == Kind::Spread) {
        return None;
    }
    let is_same_counter =
        leader.member.object == other.member.object && leader.member.counter == other.member.counter;
    let shared = overlap(leader.member.event, other.member.event);
    let is_at_once = shared >= if is_same_counter { 0.3 } else { 0.75 };
    is_at_once.then_some(None)
}

/// Whether two counters were at another level at the same time, from the same begin on.
pub(super) fn is_at_once(one: &Member, other: &Member) -> bool {
    const LEAST_SHARED: f64 = 0.75;
    let is_known = [one, other].iter().all(|member| member.kind == Kind::Level && member.is_begin_known);
    let is_same_begin = one.onset.begin <= other.onset.end && other.onset.begin <= one.onset.end;
    is_known && is_same_begin && overlap(one.event, other.event) >= LEAST_SHARED
}

/// The common part of two intervals, as a share of both together.
fn overlap(one: Interval, other: Interval) -> f64 {
    let (begin, end) = (one.begin.max(other.begin), one.end.min(other.end));
    let (first, last) = (one.begin.min(other.begin), one.end.max(other.end));
    let whole = last.seconds_since(first);
    if whole > 0.0 { (end.seconds_since(begin) / whole).max(0.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_values_far_apart_are_not_certain() {
        let shift = |spells: Vec<Range<usize>>| Shift {
            kind: Kind::Level,
            before: 50.0,
            is_of_trend: false,
            is_after_way: false,
            after: 42.0,
            extreme: 41.0,
            effect: -6.0,
            probability: 1e-6,
            is_up: false,
            bins: spells[0].start..spells[spells.len() - 1].end,
            onset: (spells[0].start, spells[0].start),
            spells,
            is_step: false,
            is_from_flat: false,
            is_rough: false,
            compared: None,
            again: None,
        };
        assert!(!is_certain(&shift(vec![10..11, 40..41])));
        assert!(is_certain(&shift(vec![10..16, 40..46])));
    }
}
