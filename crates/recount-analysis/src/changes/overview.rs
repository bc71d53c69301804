//! Which series are looked at without being asked for, and what their changes are.

use rayon::prelude::*;
use recount_model::{Instance, Pattern};

use super::answer::{Change, ChangeKind};
use super::course::{Turn, TurnKind, turns};
use super::filling::filling;
use super::fit::{Bin, LONGEST_WITHOUT_GAP, bins};
use super::stores::{end, kept_in};
use super::words::{headline, sentences, shows_change};
use crate::moved::chance::corrected;
use crate::moved::{Interval, importance, mark_before};
use crate::report::{Candidate, CaptureFacts, Noted, Observed, charted};
use crate::roster::Roster;
use crate::shown::{task_id, unit_of};
use crate::stats::SeriesId;

/// A change whose corrected probability isn't below this may be chance.
const MAX_PROBABILITY: f64 = 0.01;

/// What has no chart at first, and says most about whether something got slower.
const MORE: [&str; 13] = [
    r"\PhysicalDisk(*)\Avg. Disk sec/*",
    r"\LogicalDisk(*)\Avg. Disk sec/*",
    AVAILABLE,
    r"\PhysicalDisk(_Total)\Disk Transfers/sec",
    r"\System\Processor Queue Length",
    r"\System\Context Switches/sec",
    r"\System\Processes",
    r"\System\Threads",
    r"\Memory\Pages/sec",
    r"\Memory\Committed Bytes",
    r"\Process(_Total)\Handle Count",
    r"\Process(_Total)\IO Read Operations/sec",
    r"\Process(_Total)\IO Write Operations/sec",
];

/// The same in several units: one is enough.
const AVAILABLE: &str = r"\Memory\Available *Bytes";

/// The places of the series that everybody looks at.
pub(super) fn overview_places(candidates: &[Candidate<'_>]) -> Vec<usize> {
    let mut places: Vec<usize> = charted(candidates).into_iter().flat_map(|chart| chart.series).collect();
    let patterns: Vec<Pattern> = MORE.iter().filter_map(|path| path.parse().ok()).collect();
    let is_more = |at: &usize| patterns.iter().any(|pattern| candidates[*at].matches(pattern));
    places.extend((0..candidates.len()).filter(is_more));
    places.retain(|at| importance::says_how_much(candidates[*at].counter));
    places.sort_unstable();
    places.dedup();
    let available: Option<Pattern> = AVAILABLE.parse().ok();
    let mut hosts: Vec<&str> = Vec::new();
    places.retain(|at| {
        let candidate = &candidates[*at];
        let is_available = available.as_ref().is_some_and(|pattern| candidate.matches(pattern));
        let is_known = is_available && hosts.contains(&candidate.host);
        hosts.extend(Some(candidate.host).filter(|_| is_available && !is_known));
        !is_known
    });
    places
}

/// A series by its names.
pub(crate) struct Named<'a> {
    roster: &'a Roster,
    id: SeriesId,
}

impl<'a> Named<'a> {
    pub(super) fn new(roster: &'a Roster, id: SeriesId) -> Named<'a> {
        Named { roster, id }
    }

    fn host(&self) -> &str {
        self.roster.objects().get(self.id.object as usize).map_or("", |entry| &entry.host)
    }

    /// A change without what all of them have to say about it.
    fn change(&self, turn: &Turn, probability: f64, facts: &CaptureFacts) -> Option<Change> {
        let entry = self.roster.objects().get(self.id.object as usize)?;
        let counter = entry.counters.get(self.id.counter as usize)?;
        let instance = entry.instances.get(self.id.instance as usize)?;
        let unit = unit_of(&counter.name, counter.unit);
        let (before, after) = (turn.before.ends.1, ends(turn));
        let is_up = after > before || (after - before).abs() < f64::MIN_POSITIVE && turn.effect > 0.0;
        let kind = match (turn.kind, is_up) {
            (TurnKind::Step, true) => ChangeKind::Rose,
            (TurnKind::Step, false) => ChangeKind::Fell,
            (TurnKind::Bend, _) if turn.after.slope > turn.before.slope => ChangeKind::Up,
            (TurnKind::Bend, _) => ChangeKind::Down,
        };
        let shown = instance.shown.as_deref();
        let scale = (after - before).abs() / turn.effect.abs().max(1.0);
        // Where a rise or fall ends, what counts is how far it went.
        let way = |(from, to): (f64, f64)| (to - from).abs();
        let is_end = turn.kind == TurnKind::Bend && way(turn.before.ends) > way((before, after));
        let (from, to) = if is_end { turn.before.ends } else { (before, after) };
        let weight = importance::weight(&entry.name, &counter.name, shown);
        let mut change = Change {
            host: entry.host.to_string(),
            object: entry.name.to_string(),
            instance: shown.map(str::to_owned),
            instance_id: task_id(&entry.name, instance.instance.as_ref()),
            counter: counter.name.to_string(),
            unit,
            kind,
            at: turn.at,
            time: turn.time,
            is_exact: turn.is_exact,
            is_of_few: turn.is_of_few,
            until: turn.until.map(|(_, time)| time),
            until_at: turn.until.map(|(at, _)| at),
            before,
            after,
            slope_per_hour: 3600.0 * turn.after.slope,
            effect: turn.effect,
            probability,
            score: weight * importance::size(from, to, scale, unit, &counter.name),
            is_return: turn.is_return,
            after_mark: mark_before(facts, turn.time).map(|mark| (mark.text, mark.seconds)),
            stretches: (turn.before, turn.after),
            headline: String::new(),
        };
        change.headline = headline(&change, facts);
        shows_change(&change).then_some(change)
    }
}

/// The changes of a series of a machine. What was so when its values ended isn't so any more, if the machine was sampled for longer.
fn turns_of(bins: &[Bin], host: &str, facts: &CaptureFacts) -> Option<Vec<Turn>> {
    let mut turns = turns(bins, MAX_PROBABILITY)?;
    let (last, end) = (bins.last()?, facts.rhythm.extent(host)?.1);
    let is_over = end.seconds_since(last.interval.end) > LONGEST_WITHOUT_GAP * last.width_s();
    if let Some(turn) = turns.last_mut().filter(|turn| is_over && turn.until.is_none()) {
        let end = last.interval.end;
        turn.until = Some((end, Interval { begin: end, end }));
    }
    Some(turns)
}

/// The value that a change leads to: of a slope, that at its end.
fn ends(turn: &Turn) -> f64 {
    if turn.kind == TurnKind::Bend { turn.after.ends.1 } else { turn.after.ends.0 }
}

/// The changes of all series, the largest first, and how many series never change or have too few values.
pub(super) fn found(series: Vec<(Named<'_>, Vec<Bin>)>, facts: &CaptureFacts) -> (Vec<Change>, usize) {
    let judged: Vec<(Named<'_>, Option<Vec<Turn>>)> = series
        .into_par_iter()
        .map(|(named, bins)| {
            let turns = turns_of(&bins, named.host(), facts);
            (named, turns)
        })
        .collect();
    let num_still = judged.iter().filter(|(_, turns)| turns.is_none()).count();
    let turns: Vec<(&Named<'_>, &Turn)> = judged
        .iter()
        .flat_map(|(named, turns)| turns.iter().flatten().map(move |turn| (named, turn)))
        .collect();
    let probabilities: Vec<f64> = turns.iter().map(|(_, turn)| turn.probability).collect();
    // A series without changes was tested once.
    let num_tests =
        turns.len() + judged.iter().filter(|(_, turns)| turns.as_ref().is_some_and(Vec::is_empty)).count();
    let mut changes: Vec<Change> = turns
        .into_iter()
        .zip(corrected(&probabilities, num_tests))
        .filter(|(_, probability)| *probability < MAX_PROBABILITY)
        .filter_map(|((named, turn), probability)| named.change(turn, probability, facts))
        .collect();
    changes.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.time.begin.cmp(&b.time.begin)));
    (changes, num_still)
}

/// So many forecasts are said, the next ones.
const MOST_FILLS: usize = 3;

/// What changed in a capture of which a report is made: a sentence for each time, the largest change first.
pub fn changes_of_report(observed: &Observed) -> Vec<Noted> {
    let (candidates, ids) = observed.candidates();
    // As `stats --changes` has them, so that both say the same.
    let bins =
        |id: SeriesId| observed.tracks.of(id).map_or_else(Vec::new, |track| bins(track, &observed.axis));
    let chosen = overview_places(&candidates)
        .into_iter()
        .map(|at| (Named::new(&observed.roster, ids[at]), bins(ids[at])));
    let (changes, _) = found(chosen.collect(), &observed.facts);
    // What will be full comes first: there is something to be done about it.
    let fills = candidates.iter().enumerate().filter_map(|(at, candidate)| {
        let end = end(candidate, &candidates)?;
        let shown = candidate.instance.map(Instance::shown);
        let unit = unit_of(candidate.counter, candidate.unit);
        let names = (candidate.host, candidate.object, shown.as_deref(), candidate.counter, unit);
        let said = filling(names, end, &bins(ids[at]), &observed.facts)?;
        Some((kept_in(candidate)?, said))
    });
    // A disk's percent and megabytes are the same room.
    let mut named = Vec::new();
    let mut fills: Vec<(f64, Noted)> = fills
        .filter(|(of, _)| {
            let is_new = !named.contains(of);
            named.push(of.clone());
            is_new
        })
        .map(|(_, said)| said)
        .collect();
    fills.sort_by(|one, other| one.0.total_cmp(&other.0));
    if let Some(num_more) = fills.len().checked_sub(MOST_FILLS).filter(|num_more| *num_more > 0) {
        fills.truncate(MOST_FILLS);
        if let Some((_, last)) = fills.last_mut() {
            last.text.push_str(&format!("; {num_more} more will be full later"));
        }
    }
    let fills = fills.into_iter().map(|(_, said)| said);
    fills.chain(sentences(&changes)).collect()
}
