//! Reads captures once, and finds what moved.

use rayon::prelude::*;
use recount_compute::{Cancelled, Input, OnProgress, Progress};
use recount_model::Selection;
use recount_tables::processes::Descriptions;

use super::answer::{Moved, MovedCounts};
use super::bins::{Track, Tracks};
use super::bounds::{Axis, Bounds, Interval};
use super::chance::corrected;
use super::groups::{Candidate, Group, groups};
use super::importance::says_how_much;
use super::judge::{Judged, judge};
use super::marked::mark_before;
use super::noted::{gap, is_short, notes, resources};
use super::parts::Sides;
use super::read::read_tracks;
use super::steady::{self, Steady};
use super::words::headline;
use crate::report::CaptureFacts;
use crate::roster::{ObjectEntry, Roster};
use crate::rules::{Asked, Known, Span, Who, named_in_spans, who_by_object};
use crate::shown::is_of_tasks;
use crate::stats::SeriesId;

/// A change whose corrected probability isn't below this may be chance.
const MAX_PROBABILITY: f64 = 0.01;
/// So many changes that may be chance are said.
const MAX_UNSURE: usize = 5;

/// Reads captures once, and once more the processes in the spans of groups that may name some. `inputs` are the samples of the span
/// and of the time it is compared with.
///
/// Memory: that of the pipeline, and at most 4,800 bytes for every series that changes.
pub fn moved(
    inputs: &[Input],
    facts: CaptureFacts,
    bounds: &Bounds,
    selection: &Selection,
    progress: OnProgress<'_>,
) -> Result<Moved, Cancelled> {
    let axis = Axis::new(bounds, &facts.times);
    let (roster, tracks, health) = read_tracks(inputs, &facts.rhythm, selection, &axis, progress)?;
    let resources = resources(&tracks, &roster, &axis);
    let Candidates { sure, unsure, steady, counts } = candidates(&tracks, &roster, &axis, bounds.is_later());
    drop(tracks);
    let mut found = groups(sure, &axis);
    if found.is_empty() {
        found = groups(unsure, &axis);
        found.truncate(MAX_UNSURE);
        for group in &mut found {
            group.is_sure = false;
        }
    }
    let said =
        name_processes(&mut found, &roster, inputs, || Cancelled::check(progress(Progress::default())))?;
    let headlines: Vec<String> =
        said.iter().enumerate().map(|(at, said)| headline((&found, at), &facts, bounds, said)).collect();
    for (group, headline) in found.iter_mut().zip(headlines) {
        if group.leader.is_begin_known && !bounds.is_later() {
            group.after_mark = mark_before(&facts, group.leader.onset).map(|mark| mark.text);
        }
        group.headline = headline;
    }
    let is_said = |path: &String| found.iter().flat_map(Group::paths).any(|said| said == path);
    let rest = resources.iter().filter(|resource| !is_said(&resource.path));
    let noted = rest.filter_map(|resource| resource.note(is_short(&counts)));
    let steady = steady::notes(steady, &roster);
    let notes = noted.chain(steady).chain(notes(&found, &counts, &axis)).chain(gap(&facts, bounds)).collect();
    let (span, against) = (bounds.span, bounds.against);
    Ok(Moved {
        span,
        against,
        groups: found,
        counts,
        notes,
        is_zone_unknown: facts.is_zone_unknown,
        health,
        facts,
    })
}

/// What was found of series.
struct Candidates {
    /// Those that moved.
    sure: Vec<Candidate>,
    /// Those that may have.
    unsure: Vec<Candidate>,
    /// Those that go on as they did.
    steady: Vec<Steady>,
    counts: MovedCounts,
}

fn candidates(tracks: &Tracks, roster: &Roster, axis: &Axis, is_later: bool) -> Candidates {
    let all: Vec<(SeriesId, &Track)> = tracks.series().collect();
    let sides = Sides {
        num_before: axis.num_before,
        usual: axis.usual.clone(),
        is_later,
        is_joined: axis.is_joined,
        lag: axis.lag(),
    };
    let judged: Vec<(SeriesId, Judged, Vec<f64>, Option<Steady>)> = all
        .into_par_iter()
        .filter_map(|(id, track)| {
            let values = values(track, &roster.objects()[id.object as usize], id, axis)?;
            let judged = judge(&values, &sides);
            // Only those that moved are looked at again.
            if matches!(judged, Judged::Compared(Some(_))) {
                return Some((id, judged, values, None));
            }
            let may_go_on = axis.is_joined && !is_later;
            let steady = may_go_on.then(|| Steady::of(id, &values, axis)).flatten();
            Some((id, judged, Vec::new(), steady))
        })
        .collect();
    let count = |is: fn(&Judged) -> bool| judged.iter().filter(|(_, judged, ..)| is(judged)).count();
    let mut counts = MovedCounts {
        series: judged.len(),
        still: count(|judged| matches!(judged, Judged::Still)),
        few: count(|judged| matches!(judged, Judged::Few)),
        moved: 0,
        often: count(|judged| matches!(judged, Judged::Often)),
        samples_before: axis.num_samples_before(),
        samples: axis.num_samples() - axis.num_samples_before(),
    };
    let num_compared = count(|judged| matches!(judged, Judged::Compared(_) | Judged::Often));
    let (mut shifts, mut steady) = (Vec::new(), Vec::new());
    for (id, judged, values, goes_on) in judged {
        if let Judged::Compared(Some(shift)) = judged {
            shifts.push((id, shift, values));
        }
        steady.extend(goes_on);
    }
    let probabilities: Vec<f64> = shifts.iter().map(|(_, shift, _)| shift.probability).collect();
    let (mut sure, mut unsure) = (Vec::new(), Vec::new());
    let is_short = is_short(&counts);
    for ((id, mut shift, values), probability) in
        shifts.into_iter().zip(corrected(&probabilities, num_compared))
    {
        shift.probability = probability;
        let is_sure = probability < MAX_PROBABILITY;
        let Some(candidate) = Candidate::new((roster, axis), id, &shift, values) else { continue };
        if is_sure {
            counts.moved += 1;
            sure.push(candidate);
        } else if is_short && candidate.is_large() {
            unsure.push(candidate);
        }
    }
    Candidates { sure, unsure, steady, counts }
}

/// Whether a counter of processes says how much they use, so that its value is zero while they aren't there.
fn is_use(counter: &str) -> bool {
    counter.starts_with('%') || counter.contains("Bytes") || counter.starts_with("Working Set")
}

/// The means of a series. Of a process, what it used before it began and after it ended is zero.
fn values(track: &Track, entry: &ObjectEntry, id: SeriesId, axis: &Axis) -> Option<Vec<f64>> {
    let counter = entry.counters.get(id.counter as usize)?;
    if !says_how_much(&counter.name) {
        return None;
    }
    let is_task = is_of_tasks(&entry.name)
        && is_use(&counter.name)
        && entry.instances.get(id.instance as usize)?.instance.is_some();
    let mut values = track.filled(axis.len())?;
    if is_task {
        let first = values.iter().position(|value| !value.is_nan())?;
        let last = values.iter().rposition(|value| !value.is_nan())?;
        // The first value of a rate needs a second sample.
        if first > 1 {
            values[..first].fill(0.0);
        }
        values[last + 1..].fill(0.0);
    }
    Some(values)
}

/// Adds the processes behind the groups; returns what is said of them.
fn name_processes(
    groups: &mut [Group],
    roster: &Roster,
    inputs: &[Input],
    step: impl FnMut() -> Result<(), Cancelled> + Send,
) -> Result<Vec<String>, Cancelled> {
    /// Of how many groups.
    const MAX_ASKED: usize = 10;
    let question = |group: &Group| {
        let leader = &group.leader;
        let is_more = leader.is_up() != leader.counter.contains("Available") && leader.change != "steady";
        let who = who(&leader.object, &leader.counter).filter(|_| is_more)?;
        let Interval { begin, end } = leader.event;
        let span =
            Span { begin, end, seconds: end.seconds_since(begin), mean: leader.after, peak: leader.extreme };
        // Who has most memory had most of it before.
        Some(Asked { who, group_by: None, host: leader.host.clone(), span, is_growth: true })
    };
    let (places, asked): (Vec<usize>, Vec<Asked>) = groups
        .iter()
        .take(MAX_ASKED)
        .enumerate()
        .filter_map(|(at, group)| Some((at, question(group)?)))
        .unzip();
    let mut said = vec![String::new(); groups.len()];
    if asked.is_empty() {
        return Ok(said);
    }
    let descriptions = &Descriptions::of_all(inputs.iter().map(|input| &input.source));
    let known = Known { descriptions, groups: &[] };
    for (at, (text, who)) in places.into_iter().zip(named_in_spans(&asked, roster, inputs, known, step)?) {
        said[at] = text;
        groups[at].who = who;
    }
    Ok(said)
}

/// Which processes may be behind a counter.
fn who(object: &str, counter: &str) -> Option<Who> {
    match object {
        "PhysicalDisk" | "LogicalDisk" if counter.contains("Write") => Some(Who::Writes),
        "PhysicalDisk" | "LogicalDisk" if counter.contains("Read") => Some(Who::Reads),
        "LogicalDisk" => Some(Who::Io),
        "System" if counter.contains("Queue") || counter.contains("Switches") => Some(Who::Cpu),
        // Who has most memory isn't who reads pages.
        "Memory" if counter.ends_with("/sec") => None,
        object => who_by_object(object, counter),
    }
}
