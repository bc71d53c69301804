//! Every counter of both captures, and how it changed.

use std::collections::HashMap;

use rayon::prelude::*;
use recount_model::CounterPath;

use super::bases::FurtherBase;
use super::direction::{Worse, worse};
use super::pairs::{Namesakes, Pairs};
use super::programs::{only_in, only_in_words, programs};
use super::side::Side;
use super::significance::{Batches, Of, apart, by_other, corrected, kolmogorov, welch};
use crate::shown::unit_of;
use crate::stats::{Figures, SeriesId, Tallied};

/// How a counter changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Worse: large and significant.
    Regression,
    /// Better: large and significant.
    Improvement,
    /// Significant, but small, or it isn't known which direction is better.
    Change,
    /// Too few values to decide, or many values differ much without being significant.
    Unsure,
    /// Not significant.
    Same,
}

impl Verdict {
    /// All of them.
    pub(super) const ALL: [Verdict; 5] =
        [Verdict::Regression, Verdict::Improvement, Verdict::Change, Verdict::Unsure, Verdict::Same];

    /// Lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Regression => "regression",
            Verdict::Improvement => "improvement",
            Verdict::Change => "change",
            Verdict::Unsure => "unsure",
            Verdict::Same => "same",
        }
    }
}

/// A figure in both captures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// In the base.
    pub base: f64,
    /// In the new capture.
    pub new: f64,
}

impl Figure {
    /// The change as a share of the base; `None` if the base is zero.
    pub fn relative(&self) -> Option<f64> {
        (self.base != 0.0).then(|| (self.new - self.base) / self.base.abs())
    }
}

/// One counter of one instance, in both captures.
#[derive(Clone, Debug)]
pub struct Change {
    /// Its path.
    pub path: CounterPath,
    /// Instance, as shown.
    pub instance: Option<String>,
    /// Unit of its values; may be empty.
    pub unit: &'static str,
    /// Mean over time.
    pub mean: Figure,
    /// Median.
    pub p50: Figure,
    /// 95th percentile.
    pub p95: Figure,
    /// 99th percentile.
    pub p99: Figure,
    /// Largest value.
    pub max: Figure,
    /// Probability of such a difference by chance, corrected for the number of counters; `None` if there are
    /// too few values.
    pub probability: Option<f64>,
    /// Cliff's delta, -1 to 1.
    pub effect: f64,
    /// How it changed.
    pub verdict: Verdict,
    /// The place, among the changes, of one that says the same: the same values under another name, or what is left to
    /// 100 %. Lists for people show that one only.
    pub same_as: Option<usize>,
    /// How many other changes say the same as this one.
    pub num_alike: usize,
    pub(super) has_namesakes: bool,
    /// The base of which it has the figures; 0 for the first.
    pub(super) base_number: usize,
    /// The verdict against that base alone.
    pub(super) verdict_of_first: Verdict,
    pub(super) base: (SeriesId, Figures),
    pub(super) new: (SeriesId, Figures),
}

/// Two captures, compared.
pub struct Difference {
    /// The base.
    pub base: Side,
    /// The new capture.
    pub new: Side,
    /// Every counter that both have, the most important first.
    pub changes: Vec<Change>,
    /// How many series only the base has.
    pub num_only_base: usize,
    /// How many only the new capture has.
    pub num_only_new: usize,
    pub(super) further_bases: Vec<FurtherBase>,
    /// Programs that used processors in the base only, in percent of one processor, the busiest first.
    pub(super) programs_only_base: Vec<(String, f64)>,
    /// In the new capture only.
    pub(super) programs_only_new: Vec<(String, f64)>,
}

/// Compares every counter that both captures have.
pub fn compare(mut base: Side, mut new: Side) -> Difference {
    let (base_series, new_series) = (std::mem::take(&mut base.series), std::mem::take(&mut new.series));
    let Pairs { both: pairs, num_only_base, num_only_new } =
        Pairs::of((&base, &base_series), (&new, &new_series));
    let (of_base, of_new) = (programs(&base, &base_series), programs(&new, &new_series));
    let namesakes = [Namesakes::of(&base), Namesakes::of(&new)];
    let mut changes: Vec<Change> = pairs
        .par_iter()
        .map(|(of_base, of_new)| {
            let (of_base, of_new) = (&base_series[*of_base], &new_series[*of_new]);
            let has_namesakes = namesakes[0].has(&base, of_base.id) || namesakes[1].has(&new, of_new.id);
            Change { has_namesakes, ..change(&base, &new, of_base, of_new) }
        })
        .collect();
    drop((base_series, new_series, namesakes));
    let probabilities: Vec<Option<f64>> = changes.iter().map(|change| change.probability).collect();
    for (change, probability) in changes.iter_mut().zip(corrected(&probabilities)) {
        change.probability = probability;
        change.verdict = verdict(change);
        change.verdict_of_first = change.verdict;
    }
    by_importance(&mut changes);
    let (programs_only_base, programs_only_new) = (only_in(&of_base, &of_new), only_in(&of_new, &of_base));
    Difference {
        base,
        new,
        changes,
        num_only_base,
        num_only_new,
        further_bases: Vec::new(),
        programs_only_base,
        programs_only_new,
    }
}

/// Puts the most important changes first, and marks those that say the same.
pub(super) fn by_importance(changes: &mut [Change]) {
    changes.sort_by(|a, b| {
        a.verdict
            .cmp(&b.verdict)
            .then(weight(b).total_cmp(&weight(a)))
            .then_with(|| a.path.to_string().cmp(&b.path.to_string()))
    });
    for change in &mut *changes {
        (change.same_as, change.num_alike) = (None, 0);
    }
    mark_alike(changes);
}

/// Marks the changes that an earlier one says already: their means differ by the same amount, up or down, with the same
/// effect. A `_Total` of one instance, a counter that two objects have, and busy time next to idle time are such; so are
/// counters of one size in different units, such as `Available Bytes` and `Available MBytes`.
fn mark_alike(changes: &mut [Change]) {
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut sizes: HashMap<CounterPath, usize> = HashMap::new();
    for at in 0..changes.len() {
        let change = &changes[at];
        let by = (change.mean.new - change.mean.base).abs();
        if change.verdict > Verdict::Change || !by.is_finite() || by == 0.0 {
            continue;
        }
        if let Some((counter, _)) = in_bytes(&change.path.counter) {
            let of_size = CounterPath { counter, ..change.path.clone() };
            match sizes.get(&of_size) {
                Some(&same) if is_one_size(&changes[same], change) => {
                    changes[at].same_as = Some(same);
                    changes[same].num_alike += 1;
                    continue;
                }
                Some(_) => {}
                None => drop(sizes.insert(of_size, at)),
            }
        }
        let counts = change.base.1.count.max(change.new.1.count);
        let (effect, p) = (change.effect.abs(), change.probability.unwrap_or(1.0));
        let key = format!("{} {by:.8e} {effect:.6} {p:.6e} {counts}", change.unit);
        match first.get(&key) {
            Some(&same) if is_alike(&changes[same], change) => {
                changes[at].same_as = Some(same);
                changes[same].num_alike += 1;
            }
            Some(_) => {}
            None => {
                first.insert(key, at);
            }
        }
    }
}

/// The name of a counter of bytes, and how many bytes its unit is: `Available MBytes` counts `Available Bytes`.
fn in_bytes(counter: &str) -> Option<(String, f64)> {
    const UNITS: [(&str, f64); 6] = [
        ("Bytes", 1.0),
        ("KBytes", 1_024.0),
        ("Kilobytes", 1_024.0),
        ("MBytes", 1_048_576.0),
        ("Megabytes", 1_048_576.0),
        ("GBytes", 1_073_741_824.0),
    ];
    let mut size = None;
    let renamed = |word: &str| match UNITS.iter().find(|(unit, _)| word.eq_ignore_ascii_case(unit)) {
        Some((_, bytes)) => {
            size = Some(*bytes);
            UNITS[0].0.to_owned()
        }
        None => word.to_owned(),
    };
    let words: Vec<String> = counter.split(' ').map(renamed).collect();
    Some((words.join(" "), size?))
}

/// Whether two counters of a size in bytes have the same values, as far as the larger unit says.
fn is_one_size(one: &Change, other: &Change) -> bool {
    let unit = |change: &Change| in_bytes(&change.path.counter).map_or(1.0, |(_, unit)| unit);
    let (unit_of_one, unit_of_other) = (unit(one), unit(other));
    let near = |a: f64, b: f64| {
        (a * unit_of_one - b * unit_of_other).abs()
            <= 1e-9 * a.abs() * unit_of_one + unit_of_one.max(unit_of_other)
    };
    unit_of_one.to_bits() != unit_of_other.to_bits()
        && near(one.mean.base, other.mean.base)
        && near(one.mean.new, other.mean.new)
}

/// Whether two changes by the same amount are one: their values are the same, or add up to the same before and after.
fn is_alike(one: &Change, other: &Change) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let is_same = near(one.mean.base, other.mean.base) && near(one.p95.new, other.p95.new);
    let is_rest = near(one.mean.base + other.mean.base, one.mean.new + other.mean.new);
    (is_same || is_rest) && !are_of_two(&one.path, &other.path)
}

/// Whether two paths are one counter of two things: two processes, say, though not a disk and the total.
fn are_of_two(one: &CounterPath, other: &CounterPath) -> bool {
    let is_total = |path: &CounterPath| path.instance.as_deref().is_none_or(|name| name == "_Total");
    one.object == other.object && one.counter == other.counter && !is_total(one) && !is_total(other)
}

/// Large and frequent changes come before small and rare ones.
fn weight(change: &Change) -> f64 {
    let relative = change.mean.relative().map_or(1.0, |share| share.abs().min(1.0));
    change.effect.abs() * (0.1 + relative)
}

fn change(base: &Side, new: &Side, of_base: &Tallied, of_new: &Tallied) -> Change {
    let entry = &new.roster.objects()[of_new.id.object as usize];
    let counter = &entry.counters[of_new.id.counter as usize];
    let figures = [of_base, of_new].map(|tallied| tallied.clone().figures());
    let both = |of: &dyn Fn(&Figures) -> Option<f64>| Figure {
        base: of(&figures[0]).unwrap_or(f64::NAN),
        new: of(&figures[1]).unwrap_or(f64::NAN),
    };
    let sorted = [of_base, of_new].map(|tallied| tallied.series.clone().into_sorted());
    let between = apart(&sorted[0], &sorted[1]);
    let batches = [batches(base, of_base.id), batches(new, of_new.id)];
    let probability = match (&batches, between) {
        ([Some(one), Some(other)], Some(between)) => {
            let [n, m] = [(one, &figures[0]), (other, &figures[1])].map(|(batches, figures)| {
                let deviation = figures.std.unwrap_or(0.0);
                batches.independent(deviation * deviation, figures.count)
            });
            let mut tests = vec![welch(one, other), kolmogorov(between.distance, n, m)];
            let of = |at: usize, independent: f64| Of {
                values: &sorted[at],
                mean: figures[at].mean.unwrap_or(f64::NAN),
                deviation: figures[at].std.unwrap_or(0.0),
                count: figures[at].count as f64,
                independent,
            };
            // Either may lie outside of what the other one may be, as it varies.
            tests.extend(by_other(of(0, n), of(1, m), between));
            tests.extend(by_other(of(1, m), of(0, n), between));
            let least = tests.iter().copied().fold(1.0, f64::min);
            Some((least * tests.len() as f64).min(1.0))
        }
        _ => None,
    };
    Change {
        path: entry.path(of_new.id.instance as usize, of_new.id.counter as usize),
        instance: entry.instances[of_new.id.instance as usize].shown.as_deref().map(str::to_owned),
        unit: unit_of(&counter.name, counter.unit),
        mean: both(&|figures| figures.mean),
        p50: both(&|figures| figures.quantiles[0]),
        p95: both(&|figures| figures.quantiles[2]),
        p99: both(&|figures| figures.quantiles[3]),
        max: both(&|figures| figures.max),
        probability,
        effect: between.map_or(0.0, |between| between.delta),
        verdict: Verdict::Unsure,
        base_number: 0,
        verdict_of_first: Verdict::Unsure,
        same_as: None,
        num_alike: 0,
        has_namesakes: false,
        base: (of_base.id, figures[0]),
        new: (of_new.id, figures[1]),
    }
}

fn batches(side: &Side, id: SeriesId) -> Option<Batches> {
    let course = side.points.of(id.object as usize, id.instance as usize, id.counter as usize);
    let parts: Vec<(f64, u64)> = course
        .stretches()
        .iter()
        .filter(|point| point.count > 0)
        .map(|point| (point.sum / f64::from(point.count), u64::from(point.count)))
        .collect();
    Batches::of(&parts)
}

/// A difference with a higher probability is taken for chance.
const MAX_PROBABILITY: f64 = 0.01;
/// Smaller effects are negligible, and those of at least `LARGE_EFFECT` are large (Romano et al., 2006).
const SMALL_EFFECT: f64 = 0.147;
const LARGE_EFFECT: f64 = 0.474;
/// An effect that nobody would call the same, though it isn't significant.
const STRIKING_EFFECT: f64 = 0.8;
/// Minimum relative change of the mean in a regression.
const MUCH: f64 = 0.05;
/// An effect that a few values in a hundred have.
const RARE_EFFECT: f64 = 0.02;
/// Means of which one is so many times the other: the first counts with a large effect, the second with a rare one.
const LARGE_RATIO: f64 = 1.25;
const STRIKING_RATIO: f64 = 2.0;

fn verdict(change: &Change) -> Verdict {
    let Some(probability) = change.probability else {
        // Constant values need no test.
        let same = change.base.1.min == change.new.1.min
            && change.base.1.max == change.new.1.max
            && change.effect == 0.0;
        return if same { Verdict::Same } else { Verdict::Unsure };
    };
    let by = |ratio: f64| is_multiple(change.mean, ratio);
    let (effect, by_much) =
        (change.effect.abs(), change.mean.relative().is_none_or(|share| share.abs() >= MUCH));
    if probability >= MAX_PROBABILITY {
        // Many values differ much, but they go up and down too slowly to know that it wasn't chance; or a few differ by so much that
        // the mean does.
        let is_striking = effect >= STRIKING_EFFECT && by_much
            || effect >= LARGE_EFFECT && by(LARGE_RATIO)
            || effect >= RARE_EFFECT && by(STRIKING_RATIO);
        return if is_striking { Verdict::Unsure } else { Verdict::Same };
    }
    if effect < SMALL_EFFECT {
        // Few values differ, but by so much that the mean does.
        return if by(LARGE_RATIO) { Verdict::Change } else { Verdict::Same };
    }
    let larger = change.effect > 0.0;
    let same_way = (change.mean.new > change.mean.base) == larger;
    if effect < LARGE_EFFECT || !by_much || !same_way {
        return Verdict::Change;
    }
    // Instances with the same name can't be matched across captures.
    if change.has_namesakes {
        return Verdict::Change;
    }
    match worse(&change.path) {
        Worse::Unknown => Verdict::Change,
        Worse::Larger if larger => Verdict::Regression,
        Worse::Smaller if !larger => Verdict::Regression,
        Worse::Larger | Worse::Smaller => Verdict::Improvement,
    }
}

/// Whether one mean is at least so many times the other, or only one is zero.
fn is_multiple(mean: Figure, ratio: f64) -> bool {
    let (small, large) = (mean.base.abs().min(mean.new.abs()), mean.base.abs().max(mean.new.abs()));
    large > 0.0 && large >= ratio * small
}

impl Change {
    /// Whether there were enough values for a verdict. Constant values need no test.
    pub(super) fn is_judged(&self) -> bool {
        self.probability.is_some() || self.verdict == Verdict::Same
    }

    /// What follows its path in a list: how many counters say the same.
    pub fn alike(&self) -> String {
        match self.num_alike {
            0 => String::new(),
            num => format!(" (and {num} alike)"),
        }
    }
}

impl Difference {
    /// The changes that matter, each once, the most important first; last those that are large without being significant.
    pub fn notable(&self) -> impl Iterator<Item = &Change> {
        let is_notable = |change: &&Change| {
            let is_striking = change.verdict == Verdict::Unsure && change.probability.is_some();
            (change.verdict <= Verdict::Change || is_striking) && change.same_as.is_none()
        };
        self.changes.iter().filter(is_notable)
    }

    /// How many counters have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.changes.iter().filter(|change| change.verdict == verdict).count()
    }

    /// How many are unsure because they have too few values.
    pub fn num_with_few_values(&self) -> usize {
        self.changes.iter().filter(|change| !change.is_judged()).count()
    }

    /// The programs that used processors in one of the two only.
    pub fn programs(&self) -> Vec<String> {
        let sides = [("new one", &self.programs_only_new), ("base", &self.programs_only_base)];
        let known = sides.into_iter().filter(|(_, programs)| !programs.is_empty());
        known.map(|(side, programs)| only_in_words(side, programs)).collect()
    }
}
