//! Reads captures once, and compares every counter with one of them.

use rayon::prelude::*;
use recount_compute::{Cancelled, Input, OnProgress};
use recount_model::{Pattern, Selection};

use super::answer::{Companion, Companions};
use super::ranks::{MAX_LAG, best, chance, differences, of_ranks, partial, ranked};
use super::refined::refined;
use super::words::{headline, label};
use crate::moved::chance::{corrected, median, memory, spread};
use crate::moved::{Axis, MAX_BINS, Track, Tracks, read_tracks};
use crate::report::CaptureFacts;
use crate::roster::Roster;
use crate::shown::unit_of;
use crate::stats::SeriesId;

/// What to compare with what.
#[derive(Clone, Debug)]
pub struct TargetOptions {
    /// The counter.
    pub target: Pattern,
    /// The counters that may move with it.
    pub selection: Selection,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoTarget {
    /// No counter is the target, which the text says.
    #[error("{0}")]
    Unmatched(String),
    /// The counters that match never change.
    #[error("nothing moves with what has the same value throughout: {}", listed(.0))]
    Still(Vec<String>),
    /// Several counters are the target.
    #[error("the target has to be one counter, and {} match: {}", .0.len(), listed(.0))]
    NotOne(Vec<String>),
    /// The caller gave up.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn listed(paths: &[String]) -> String {
    const MOST: usize = 5;
    let more = if paths.len() > MOST { ", ..." } else { "" };
    paths[..paths.len().min(MOST)].join(", ") + more
}

/// A change that isn't less likely may be chance.
const MAX_PROBABILITY: f64 = 0.01;
/// Less is no company, however sure it is.
const LEAST_CORRELATION: f64 = 0.3;

/// A series with its values and the ranks of their differences.
pub(super) struct Course {
    pub(super) id: SeriesId,
    values: Vec<f64>,
    pub(super) steps: Vec<f64>,
}

impl Course {
    pub(super) fn new((id, track): (SeriesId, &Track)) -> Course {
        let values = track.means().unwrap_or_default().to_vec();
        Course { id, steps: ranked(&differences(&values)), values }
    }
}

/// What counters are compared with, and in which steps.
pub(super) struct Against<'a> {
    pub(super) roster: &'a Roster,
    pub(super) target: &'a Course,
    pub(super) load: Option<&'a Course>,
    pub(super) axis: &'a Axis,
    pub(super) max_lag: i32,
}

/// How a counter moves with the target.
#[derive(Clone)]
pub(super) struct Compared {
    pub(super) companion: Companion,
    /// Of such a correlation by chance, not corrected for the number of counters.
    pub(super) probability: f64,
}

/// Which counters move with another. Captures are read once, or, if they have many samples, twice.
///
/// Memory: that of the pipeline, at most 9,600 bytes for every series that changes, and up to
/// 256 MiB for single samples.
pub fn companions(
    inputs: &[Input],
    facts: CaptureFacts,
    options: &TargetOptions,
    progress: OnProgress<'_>,
) -> Result<Companions, NoTarget> {
    let axis = Axis::whole(&facts.times, MAX_BINS);
    let (roster, tracks, health) = read_tracks(inputs, &facts.rhythm, &Selection::all(), &axis, progress)?;
    let all: Vec<(SeriesId, &Track)> = tracks.series().filter(|(_, track)| track.means().is_some()).collect();
    let target =
        target(&roster, &all, &options.target).ok_or_else(|| not_one(&roster, &tracks, &options.target))?;
    let target = Course::new(all[target]);
    let load = load(&roster, &all).map(|at| Course::new(all[at])).filter(|load| load.id != target.id);
    let others: Vec<Course> = all
        .into_iter()
        .filter(|(id, _)| *id != target.id && is_selected(&roster, *id, &options.selection))
        .map(Course::new)
        .collect();
    let against =
        Against { roster: &roster, target: &target, load: load.as_ref(), axis: &axis, max_lag: MAX_LAG };
    let fine = if axis.bin_samples() > 1 {
        refined(inputs, &facts, &against, &others, progress)?
    } else {
        Vec::new()
    };
    let found: Vec<Compared> = others
        .par_iter()
        .filter_map(|other| {
            let of_samples = fine.iter().find(|(id, _)| *id == other.id);
            of_samples.map(|(_, found)| found.clone()).or_else(|| compared(&against, other))
        })
        .collect();
    let probabilities: Vec<f64> = found.iter().map(|found| found.probability).collect();
    let mut kept: Vec<Companion> = found
        .into_iter()
        .zip(corrected(&probabilities, others.len()))
        .filter(|(_, probability)| *probability < MAX_PROBABILITY)
        .map(|(Compared { mut companion, .. }, probability)| {
            companion.probability = probability;
            companion.headline = headline(&companion);
            companion
        })
        .collect();
    let strength = |one: &Companion| one.partial.unwrap_or(one.correlation).abs();
    kept.sort_by(|a, b| {
        a.only_at_peaks
            .cmp(&b.only_at_peaks)
            .then_with(|| strength(b).total_cmp(&strength(a)))
            .then_with(|| a.path.cmp(&b.path))
    });
    Ok(Companions {
        target: path(&roster, target.id),
        companions: kept,
        num_series: others.len(),
        load: load.map(|load| path(&roster, load.id)),
        step_s: axis.bin_s(),
        num_values: axis.len(),
        bin_samples: axis.bin_samples(),
        health,
        facts,
    })
}

fn path(roster: &Roster, id: SeriesId) -> String {
    roster.objects()[id.object as usize].path(id.instance as usize, id.counter as usize).to_string()
}

/// Whether a pattern or a selection has a series.
fn is_of(
    roster: &Roster,
    id: SeriesId,
    is_met: impl Fn(&str, &str, Option<&recount_model::Instance>, &str) -> bool,
) -> bool {
    let object = &roster.objects()[id.object as usize];
    let instance = object.instances.get(id.instance as usize).and_then(|entry| entry.instance.as_ref());
    is_met(&object.host, &object.name, instance, &object.counters[id.counter as usize].name)
}

fn is_selected(roster: &Roster, id: SeriesId, selection: &Selection) -> bool {
    is_of(roster, id, |host, object, instance, counter| selection.matches(host, object, instance, counter))
}

/// Whether a series is the target.
fn is_target(roster: &Roster, id: SeriesId, pattern: &Pattern) -> bool {
    is_of(roster, id, |host, object, instance, counter| pattern.matches(host, object, instance, counter))
}

/// The place of the target: the only one, or of several instances the total.
fn target(roster: &Roster, all: &[(SeriesId, &Track)], pattern: &Pattern) -> Option<usize> {
    let found: Vec<usize> = (0..all.len()).filter(|at| is_target(roster, all[*at].0, pattern)).collect();
    let is_total = |at: &usize| path(roster, all[*at].0).contains("(_Total)");
    let totals: Vec<usize> = found.iter().copied().filter(is_total).collect();
    match (found.as_slice(), totals.as_slice()) {
        ([one], _) | (_, [one]) => Some(*one),
        _ => None,
    }
}

/// Why a pattern isn't one counter that changes.
fn not_one(roster: &Roster, tracks: &Tracks, pattern: &Pattern) -> NoTarget {
    let is_known = |(id, track): &(SeriesId, &Track)| track.has_values() && is_target(roster, *id, pattern);
    let (changing, still): (Vec<_>, Vec<_>) =
        tracks.series().filter(is_known).partition(|(_, track)| track.means().is_some());
    let paths = |found: Vec<(SeriesId, &Track)>| found.into_iter().map(|(id, _)| path(roster, id)).collect();
    match (changing.is_empty(), still.is_empty()) {
        (false, _) => NoTarget::NotOne(paths(changing)),
        (true, false) => NoTarget::Still(paths(still)),
        (true, true) => NoTarget::Unmatched(format!("no counter matches {pattern}")),
    }
}

/// The place of the counter that says how busy the machine is. Of several machines none does.
fn load(roster: &Roster, all: &[(SeriesId, &Track)]) -> Option<usize> {
    const LOADS: [&str; 2] =
        [r"\Processor(_Total)\% Processor Time", r"\Processor Information(_Total)\% Processor Time"];
    LOADS.iter().find_map(|load| {
        let pattern: Pattern = load.parse().ok()?;
        let is_met = |at: &usize| {
            is_of(roster, all[*at].0, |host, object, instance, counter| {
                pattern.matches(host, object, instance, counter)
            })
        };
        let mut found = (0..all.len()).filter(is_met);
        found.next().filter(|_| found.next().is_none())
    })
}

/// How one counter moves with the target.
pub(super) fn compared(against: &Against<'_>, other: &Course) -> Option<Compared> {
    let Against { roster, target, load, axis, max_lag } = *against;
    let entry = &roster.objects()[other.id.object as usize];
    let counter = &entry.counters[other.id.counter as usize];
    let found = best(&target.steps, &other.steps, max_lag)?;
    let is_with = found.correlation.abs() >= LEAST_CORRELATION;
    let beyond = load.filter(|load| load.id != other.id).and_then(|load| {
        // The load may lead or follow, too.
        let first = best(&target.steps, &load.steps, max_lag)?;
        let second = best(&other.steps, &load.steps, max_lag)?;
        Some(partial(found.correlation, first.correlation, second.correlation))
    });
    let (at_peaks, of_peaks) = peaks(&target.values, &other.values).unzip();
    let only_at_peaks = !is_with;
    let probability = if is_with { found.probability } else { of_peaks? };
    // What follows from the load alone is no news.
    if is_with && beyond.is_some_and(|beyond| beyond.abs() < LEAST_CORRELATION / 2.0) {
        return None;
    }
    // Of means the delay may be anything between those on either side.
    let slack = i32::from(axis.bin_samples() > 1);
    let seconds = |lag: i32| f64::from(lag) * axis.bin_s();
    let companion = Companion {
        path: path(roster, other.id),
        label: label(entry, other.id),
        correlation: found.correlation,
        partial: beyond,
        lag_s: seconds(found.lag),
        lags_s: (seconds(found.lags.0 - slack), seconds(found.lags.1 + slack)),
        longest_s: seconds(max_lag),
        value_s: axis.bin_s(),
        probability,
        only_at_peaks,
        at_peaks,
        unit: unit_of(&counter.name, counter.unit),
        headline: String::new(),
    };
    Some(Compared { companion, probability })
}

/// The medians of another series at the peaks of the target and otherwise, if they differ, with the probability of the rank-sum test.
fn peaks(target: &[f64], other: &[f64]) -> Option<((f64, f64), f64)> {
    /// Of its values, if few are far from their neighbours.
    const SHARE: f64 = 0.05;
    const LEAST: usize = 5;
    /// In units of the spread.
    const FAR: f64 = 4.0;
    // A common trend would make the end of both a peak.
    let near = (about_neighbours(target), about_neighbours(other));
    let pairs: Vec<(f64, f64, f64)> = near
        .0
        .iter()
        .zip(near.1)
        .zip(other)
        .filter(|((a, b), _)| a.is_finite() && b.is_finite())
        .map(|((a, b), value)| (*a, b, *value))
        .collect();
    let mut highest: Vec<f64> = pairs.iter().map(|pair| pair.0).collect();
    highest.sort_unstable_by(f64::total_cmp);
    let usual = spread(&highest, 0.0);
    let num_far = highest.iter().rev().take_while(|value| **value > FAR * usual).count();
    let num_peaks = if num_far >= LEAST { num_far } else { (pairs.len() as f64 * SHARE) as usize };
    if num_peaks < LEAST {
        return None;
    }
    let limit = highest[highest.len() - num_peaks];
    let is_peak: Vec<bool> = pairs.iter().map(|pair| pair.0 >= limit).collect();
    let values: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    // The rank-sum test is the correlation of ranks with who is in which group.
    let flags: Vec<f64> = is_peak.iter().map(|is_peak| f64::from(u8::from(*is_peak))).collect();
    let (correlation, _) = of_ranks(&flags, &values)?;
    let independent = pairs.len() as f64 / memory(&values);
    let part = |of_peaks: bool| {
        let of =
            values.iter().zip(&is_peak).filter(|(_, is_peak)| **is_peak == of_peaks).map(|(value, _)| *value);
        median(of.collect())
    };
    Some(((part(true), part(false)), chance(correlation, independent as usize)))
}

/// Values less the median of their neighbours.
fn about_neighbours(values: &[f64]) -> Vec<f64> {
    /// To each side.
    const NEIGHBOURS: usize = 15;
    let middle = |at: usize| {
        let near = &values[at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS + 1).min(values.len())];
        median(near.iter().copied().filter(|value| value.is_finite()).collect())
    };
    values.iter().enumerate().map(|(at, value)| value - middle(at)).collect()
}
