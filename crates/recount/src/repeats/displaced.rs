//! Samples that two captures have at different times: in one of them, a time is damaged.

use std::collections::{BTreeSet, HashSet};

use recount_model::{SampleTime, Selection, Source, Timestamp, usual_step};

use super::rows::{Pair, Rows};

/// A sample of each capture, with the same values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Displaced {
    pub(super) of_earlier: u32,
    pub(super) of_later: u32,
    /// Whether the later capture's is farther from the usual time after the sample before it, or before the one behind it, by far, so that it
    /// is false, or the earlier one's. `None` if neither is.
    pub(super) is_later_unusual: Option<bool>,
    /// Whether they are so close that they are one, whichever time is false.
    pub(super) is_moment: bool,
}

/// By how many times the smaller deviation one must be larger to be false: recorders are late by a little, too.
const FARTHER: u64 = 4;

/// Nothing is sampled twice within this part of the usual time between two samples.
const MOMENT: u64 = 8;

/// More samples that the other capture doesn't have at their time aren't compared with each other: of one capture, and of the other, which may have
/// some that this one lost.
const MAX_OWN: usize = 8;
const MAX_OTHERS: usize = 256;

/// Pairs of samples, one of each capture, that have the same values at different times. Neither capture has a sample at the other's time.
/// Samples whose values differ from those around them are one; others only if they are close, or if one of them isn't at a time at
/// which a sample is usually taken, and no sample of both is between them.
pub(super) fn displaced(earlier: &dyn Source, later: &dyn Source) -> Vec<Displaced> {
    let known =
        |source: &dyn Source| -> HashSet<Timestamp> { source.times().iter().map(|time| time.utc).collect() };
    let sides = [known(earlier), known(later)];
    let own = |source: &dyn Source, others: &HashSet<Timestamp>| -> Vec<u32> {
        let own = source.times().iter().enumerate().filter(|(_, time)| !others.contains(&time.utc));
        own.map(|(sample, _)| sample as u32).take(MAX_OTHERS + 1).collect()
    };
    let (of_earlier, mut of_later) = (own(earlier, &sides[1]), own(later, &sides[0]));
    let (fewer, more) = (of_earlier.len().min(of_later.len()), of_earlier.len().max(of_later.len()));
    if fewer == 0 || fewer > MAX_OWN || more > MAX_OTHERS {
        return Vec::new();
    }
    let of_both: BTreeSet<Timestamp> = sides[0].intersection(&sides[1]).copied().collect();
    let decoded = earlier.decode(&of_earlier, &Selection::all());
    let near: BTreeSet<u32> = of_later.iter().flat_map(|sample| around(later, *sample)).collect();
    let others = later.decode(&near.into_iter().collect::<Vec<u32>>(), &Selection::all());
    let rows = || (Rows::of(earlier, &decoded).without_clocks(), Rows::of(later, &others).without_clocks());
    let ((of, others), (back_others, back_of)) = (rows(), rows());
    let (mut known, mut back) = (Pair::new(of, others), Pair::new(back_of, back_others));
    let mut is_same = |of_earlier: Timestamp, of_later: Timestamp| {
        let share = known.share_of(of_earlier, of_later);
        share.is_all() && share.num_same > 0 && back.share_of(of_later, of_earlier).is_all()
    };
    let utc = |source: &dyn Source, sample: u32| source.times()[sample as usize].utc;
    let mut found = Vec::new();
    for &one in &of_earlier {
        let time = utc(earlier, one);
        let alike = of_later.iter().copied().filter(|other| is_same(time, utc(later, *other)));
        let Some(other) = alike.min_by_key(|other| time.0.abs_diff(utc(later, *other).0)) else { continue };
        let of_other = utc(later, other);
        let mut beside = around(later, other).filter(|near| *near != other);
        let gap = Gap { between: [time.min(of_other), time.max(of_other)], of_both: &of_both };
        let places = [Place::of(earlier, one), Place::of(later, other)];
        let step = places.iter().flatten().map(|place| place.step).min();
        let is_moment = step.is_some_and(|step| gap.len().saturating_mul(MOMENT) <= step);
        let is_one_irregular = is_one_irregular(&places);
        let is_unique = !beside.any(|near| is_same(time, utc(later, near)));
        let is_likely = is_one_irregular || gap.is_within();
        if is_moment || (is_unique && is_likely) || (gap.is_empty() && is_one_irregular) {
            of_later.retain(|sample| *sample != other);
            let is_later_unusual = is_later_unusual(&places);
            found.push(Displaced { of_earlier: one, of_later: other, is_later_unusual, is_moment });
        }
    }
    found
}

/// A sample, and those before and after it.
fn around(source: &dyn Source, sample: u32) -> impl Iterator<Item = u32> {
    sample.saturating_sub(1)..(sample + 2).min(source.times().len() as u32)
}

/// The time from one of two samples to the other, and the samples that both captures have.
struct Gap<'a> {
    between: [Timestamp; 2],
    of_both: &'a BTreeSet<Timestamp>,
}

impl Gap<'_> {
    fn len(&self) -> u64 {
        self.between[1].0.abs_diff(self.between[0].0)
    }

    fn is_empty(&self) -> bool {
        let [begin, end] = self.between;
        self.of_both.range(begin..=end).next().is_none()
    }

    /// Whether one of the two is where both captures have samples.
    fn is_within(&self) -> bool {
        let (Some(first), Some(last)) = (self.of_both.first(), self.of_both.last()) else { return false };
        self.between.iter().any(|time| (first..=last).contains(&time))
    }
}

/// Where a sample is among those of its round.
struct Place {
    /// The usual time between two, in ticks.
    step: u64,
    /// By how much it isn't that time after the one before or before the one behind, whichever is less.
    deviation: u64,
}

impl Place {
    /// `None` if it is the only one of its round.
    fn of(source: &dyn Source, sample: u32) -> Option<Place> {
        let (sample, round) = (sample as usize, source.round(sample as usize));
        let of_round: Vec<usize> =
            (0..source.times().len()).filter(|other| source.round(*other) == round).collect();
        let times: Vec<SampleTime> = of_round.iter().map(|sample| source.times()[*sample]).collect();
        let step = u64::try_from(usual_step(times.iter().map(|time| time.utc))?).ok()?;
        let at = of_round.binary_search(&sample).ok()?;
        let steps = times[at.saturating_sub(1)..(at + 2).min(times.len())].windows(2);
        let deviation = steps.map(|pair| pair[1].utc.0.abs_diff(pair[0].utc.0).abs_diff(step)).min()?;
        Some(Place { step, deviation })
    }
}

fn is_later_unusual(places: &[Option<Place>; 2]) -> Option<bool> {
    let [Some(of_earlier), Some(of_later)] = places else { return None };
    let (one, other) = (of_earlier.deviation, of_later.deviation);
    (one.abs_diff(other) > FARTHER * one.min(other)).then_some(other > one)
}

/// Whether one is at a usual time and the other, by more than a moment, is not.
fn is_one_irregular(places: &[Option<Place>; 2]) -> bool {
    let is_far = |place: &Place| place.deviation.saturating_mul(MOMENT) > place.step;
    is_later_unusual(places).is_some() && places.iter().flatten().filter(|place| is_far(place)).count() == 1
}
