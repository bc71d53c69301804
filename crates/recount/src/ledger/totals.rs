//! Computed values, summed per counter and sample: so a text or a table is compared with the recording that it was made from
//! (`formats/ledger.md#totals`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;

use recount_compute::{CookOptions, Cooked, PipelineOptions, run};
use recount_model::{SampleTime, Timestamp};
use twox_hash::XxHash64;

use super::difference::{Difference, DifferenceKind};
use super::unit::Unit;
use crate::Capture;

/// Texts have times in milliseconds.
pub(super) const MOMENT: i64 = 10_000;
/// Samples of raw values of an hour that have totals.
const PER_HOUR: usize = 8;
const HOUR: i64 = 3_600 * 10_000_000;

/// The values of one counter in one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Total {
    /// Number of the counter.
    pub(crate) unit: u32,
    /// Number of values.
    pub(crate) count: u32,
    /// Time since the sample before, in ticks; 0 if there is none.
    pub(crate) step: i64,
    pub(crate) sum: f64,
}

/// The totals of a capture: of some of its samples if it has raw values, else of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) units: Vec<Unit>,
    pub(crate) samples: Vec<(Timestamp, Vec<Total>)>,
    /// Digits after the point to which the values were rounded; `None`: all digits are there.
    pub(crate) decimals: Option<u8>,
    numbers: HashMap<Unit, u32>,
}

/// What totals say about two captures.
#[derive(Clone, Debug)]
pub(crate) enum Likeness {
    /// They have nothing in common.
    Nothing,
    /// The same values wherever both have some.
    Alike,
    /// Something differs.
    Differing(Difference),
}

impl Totals {
    pub(super) fn loaded(
        units: Vec<Unit>,
        samples: Vec<(Timestamp, Vec<Total>)>,
        decimals: Option<u8>,
    ) -> Totals {
        let numbers = units.iter().cloned().zip(0..).collect();
        Totals { units, samples, decimals, numbers }
    }

    /// Computes those of a capture with raw values.
    pub(super) fn of(capture: &Capture, until: Option<Timestamp>) -> Totals {
        let mut totals = Totals::default();
        let source = &*capture.source;
        let times = source.times().iter().map(|time| time.utc);
        let mut chosen = chosen(times.clone().filter(|time| until.is_none_or(|until| *time <= until)));
        // They show which counters need no sample before.
        let is_first = |at: &usize| *at == 0 || source.epoch(at - 1) != source.epoch(*at);
        chosen.extend(times.enumerate().filter(|(at, _)| is_first(at)).map(|(_, time)| time));
        let cook = CookOptions { over_named: true, ..CookOptions::default() };
        let options = PipelineOptions { cook, ..PipelineOptions::default() };
        let mut found: BTreeMap<Timestamp, HashMap<u32, Total>> = BTreeMap::new();
        let timeline = capture.timeline();
        let done = run(timeline.inputs(), &options, |batch, _| {
            for cooked in &batch {
                totals.add_cooked(cooked, &chosen, &mut found);
            }
            Ok::<(), Infallible>(())
        });
        let Ok(_) = done;
        totals.samples = found
            .into_iter()
            .map(|(time, found)| {
                let mut of_sample: Vec<Total> = found.into_values().collect();
                of_sample.sort_unstable_by_key(|total| total.unit);
                (time, of_sample)
            })
            .collect();
        totals
    }

    fn add_cooked(
        &mut self,
        cooked: &Cooked,
        chosen: &HashSet<Timestamp>,
        found: &mut BTreeMap<Timestamp, HashMap<u32, Total>>,
    ) {
        let num = cooked.instances.len();
        let host: Arc<str> = cooked.host.to_lowercase().into();
        let unit = |counter: usize| Unit {
            host: Arc::clone(&host),
            object: Arc::clone(&cooked.object.name),
            counter: Some(Arc::clone(&cooked.object.counters[counter].name)),
        };
        // Also those without a value in the samples that are chosen.
        let units: Vec<u32> =
            cooked.columns.iter().map(|column| self.number(&unit(column.counter))).collect();
        for (row, time) in cooked.times.iter().enumerate().filter(|(_, time)| chosen.contains(&time.utc)) {
            let of_sample = found.entry(time.utc).or_default();
            let step = cooked.interval_s[row].map_or(0, |seconds| (seconds * 1e7).round() as i64);
            for (column, unit) in cooked.columns.iter().zip(&units) {
                let values = (0..num).filter(|instance| column.covers(*instance));
                let values = values.filter_map(|instance| column.value_at(row * num + instance));
                let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
                if count > 0 {
                    let none = Total { unit: *unit, count: 0, step, sum: 0.0 };
                    let total = of_sample.entry(*unit).or_insert(none);
                    total.count = total.count.saturating_add(count);
                    total.sum += sum;
                }
            }
        }
    }

    fn number(&mut self, unit: &Unit) -> u32 {
        if let Some(number) = self.numbers.get(unit) {
            return *number;
        }
        let number = self.units.len() as u32;
        self.units.push(unit.clone());
        self.numbers.insert(unit.clone(), number);
        number
    }

    /// Adds what a capture with computed values has of a counter in a sample: how many, the step, and their sum. Samples come in
    /// the order of time.
    pub(super) fn add(&mut self, time: SampleTime, unit: &Unit, (count, step, sum): (u32, i64, f64)) {
        if count == 0 {
            return;
        }
        let unit = self.number(unit);
        let total = Total { unit, count, step, sum };
        match self.samples.last_mut() {
            Some((last, totals)) if *last == time.utc => totals.push(total),
            _ => self.samples.push((time.utc, vec![total])),
        }
    }

    /// Takes out those of a unit whose rows are another capture's now.
    pub(super) fn take_away(&mut self, time: Timestamp, unit: &Unit) {
        let Ok(at) = self.samples.binary_search_by_key(&time, |(time, _)| *time) else { return };
        let units = &self.units;
        self.samples[at].1.retain(|total| !is_of(&units[total.unit as usize], unit));
    }

    /// Adds those of a capture of the same recording whose rows are kept: of these units, by time.
    pub(super) fn absorb(&mut self, other: &Totals, kept: &HashMap<Timestamp, Vec<Unit>>) {
        let mut all: BTreeMap<Timestamp, Vec<Total>> =
            std::mem::take(&mut self.samples).into_iter().collect();
        for unit in &other.units {
            self.number(unit);
        }
        for (time, totals) in &other.samples {
            let Some(kept) = kept.get(time) else { continue };
            let is_kept =
                |total: &&Total| kept.iter().any(|kept| is_of(&other.units[total.unit as usize], kept));
            let renumbered = totals.iter().filter(is_kept).map(|total| {
                let unit = self.number(&other.units[total.unit as usize]);
                Total { unit, ..*total }
            });
            let renumbered: Vec<Total> = renumbered.collect();
            let of_sample = all.entry(*time).or_default();
            let known: BTreeSet<u32> = of_sample.iter().map(|total| total.unit).collect();
            of_sample.extend(renumbered.into_iter().filter(|total| !known.contains(&total.unit)));
        }
        self.samples = all.into_iter().collect();
        self.decimals = self.decimals.or(other.decimals);
    }

    /// Whether nothing was computed of a counter in a sample. Of most samples of raw values that isn't known.
    pub(super) fn lacks(&self, time: Timestamp, unit: &Unit) -> bool {
        let Ok(at) = self.samples.binary_search_by_key(&time, |(time, _)| *time) else { return false };
        let Some(number) = self.numbers.get(unit) else { return false };
        !self.samples[at].1.iter().any(|total| total.unit == *number)
    }

    /// The counters of an object.
    pub(super) fn counters<'a>(&'a self, object: &'a Unit) -> impl Iterator<Item = &'a Unit> {
        self.units.iter().filter(|unit| is_of(unit, object))
    }

    /// Whether the capture has values of a counter, as far as is known.
    pub(super) fn may_have(&self, unit: &Unit) -> bool {
        self.units.is_empty() || self.numbers.contains_key(unit)
    }

    /// Compares with another capture. One may have lost samples: its next values are over a longer interval, and say nothing if
    /// others are the same over the same interval. If `is_raw`, both have raw values, and one must have all counters of the objects that both
    /// have.
    pub(super) fn likeness(&self, other: &Totals, is_raw: bool) -> Likeness {
        let of_self: Vec<Option<u32>> =
            other.units.iter().map(|unit| self.numbers.get(unit).copied()).collect();
        let (mut num_same, mut has_same_step) = (0_u64, false);
        let (mut over_another, mut lacking) = (None, None);
        for (utc, totals) in &other.samples {
            let Some(at) = nearest(&self.samples, *utc, |(time, _)| *time) else { continue };
            let known: HashMap<u32, &Total> =
                self.samples[at].1.iter().map(|total| (total.unit, total)).collect();
            for total in totals {
                let number = of_self[total.unit as usize];
                let Some(known) = number.and_then(|number| known.get(&number)) else { continue };
                let is_over_another = (known.step - total.step).abs() > MOMENT;
                let has_none_before = known.step == 0 || total.step == 0;
                // A mean over no operations is 0 in a text, and no value of a recording.
                let kind = match (self.agree(other, known, total), known.count == total.count) {
                    (true, _) => {
                        num_same += u64::from(total.sum != 0.0);
                        has_same_step |= total.sum != 0.0 && !is_over_another && !has_none_before;
                        continue;
                    }
                    (false, true) if is_over_another && !has_none_before => DifferenceKind::Interval,
                    (false, true) => DifferenceKind::Values,
                    // The first sample of a file has no rates.
                    (false, false) if is_over_another || has_none_before => continue,
                    (false, false) => DifferenceKind::Lacking,
                };
                let time = SampleTime { utc: *utc, offset_min: 0 };
                let found = Difference { time, unit: other.units[total.unit as usize].clone(), kind };
                match kind {
                    DifferenceKind::Values => return Likeness::Differing(found),
                    DifferenceKind::Interval => over_another.get_or_insert(found),
                    DifferenceKind::Lacking => lacking.get_or_insert(found),
                };
            }
        }
        let differing = lacking.or(over_another.filter(|_| !has_same_step));
        match differing.or_else(|| self.beside(other).filter(|_| is_raw && num_same > 0)) {
            Some(found) => Likeness::Differing(found),
            None if num_same > 0 => Likeness::Alike,
            None => Likeness::Nothing,
        }
    }

    /// An object of which each has a counter that the other lacks.
    fn beside(&self, other: &Totals) -> Option<Difference> {
        let object = |unit: &Unit| (Arc::clone(&unit.host), Arc::clone(&unit.object));
        let without = |one: &Totals, other: &Totals| -> BTreeMap<(Arc<str>, Arc<str>), Unit> {
            let objects: HashSet<(Arc<str>, Arc<str>)> = other.units.iter().map(object).collect();
            let is_only =
                |unit: &&Unit| objects.contains(&object(unit)) && !other.numbers.contains_key(*unit);
            one.units.iter().filter(is_only).map(|unit| (object(unit), unit.clone())).collect()
        };
        let of_self = without(self, other);
        let (_, unit) = without(other, self).into_iter().find(|(object, _)| of_self.contains_key(object))?;
        let time = SampleTime { utc: other.samples.first()?.0, offset_min: 0 };
        Some(Difference { time, unit, kind: DifferenceKind::Lacking })
    }

    /// Whether sums agree, to the digits of the one that was rounded. Values rounded alike have to be equal.
    fn agree(&self, other: &Totals, one: &Total, two: &Total) -> bool {
        let half = |decimals: Option<u8>| decimals.map_or(0.0, |num| 0.5 * 10_f64.powi(-i32::from(num)));
        let rounded =
            if self.decimals == other.decimals { 0.0 } else { half(self.decimals) + half(other.decimals) };
        let num = f64::from(one.count.max(two.count));
        let most = num * (rounded * 1.001 + f64::EPSILON * one.sum.abs().max(two.sum.abs()));
        one.sum.to_bits() == two.sum.to_bits() || (one.sum - two.sum).abs() <= most
    }
}

/// Whether a counter is of a unit, which may be its whole object.
fn is_of(counter: &Unit, unit: &Unit) -> bool {
    counter.host == unit.host
        && counter.object == unit.object
        && (unit.counter.is_none() || unit.counter == counter.counter)
}

/// Which of the samples of a capture have totals: the same ones of an hour in every file that has the hour.
fn chosen(times: impl Iterator<Item = Timestamp>) -> HashSet<Timestamp> {
    let mut hours: BTreeMap<i64, Vec<(u64, Timestamp)>> = BTreeMap::new();
    for time in times {
        hours
            .entry(time.0.div_euclid(HOUR))
            .or_default()
            .push((XxHash64::oneshot(0, &time.0.to_le_bytes()), time));
    }
    let lowest = hours.into_values().flat_map(|mut hour| {
        hour.sort_unstable();
        hour.dedup();
        hour.truncate(PER_HOUR);
        hour
    });
    lowest.map(|(_, time)| time).collect()
}

/// The index of what is nearest to a time, and at most a moment away. `all` is in the order of time.
pub(super) fn nearest<T>(all: &[T], time: Timestamp, of: impl Fn(&T) -> Timestamp) -> Option<usize> {
    let at = all.partition_point(|one| of(one) < time);
    let away = |at: usize| all.get(at).map(|one| (of(one).0.abs_diff(time.0), at));
    let found = [at.checked_sub(1), Some(at)].into_iter().flatten().filter_map(away).min();
    found.filter(|(away, _)| *away <= MOMENT.unsigned_abs()).map(|(_, at)| at)
}

/// How many digits after the point values need.
#[derive(Clone, Debug, Default)]
pub(super) struct Decimals([u64; Decimals::MORE + 1]);

impl Decimals {
    const MORE: usize = 7;
    /// Fewer digits may be all that there are.
    const LEAST: usize = 3;

    pub(super) fn add(&mut self, value: f64) {
        let needs = |num: &usize| {
            let shifted = value * 10_f64.powi(*num as i32);
            (shifted - shifted.round()).abs() <= 4.0 * f64::EPSILON * shifted.abs()
        };
        self.0[(0..Decimals::MORE).find(needs).unwrap_or(Decimals::MORE)] += 1;
    }

    pub(super) fn absorb(&mut self, other: &Decimals) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }

    /// The number of digits if values were rounded: most of those that need several digits need as many.
    pub(super) fn of_rounded(&self) -> Option<u8> {
        let most = self.0.iter().rposition(|num| *num > 0)?;
        let is_rounded = (Decimals::LEAST..Decimals::MORE).contains(&most)
            && self.0[most] * 2 >= self.0[Decimals::LEAST..].iter().sum::<u64>();
        is_rounded.then_some(most as u8)
    }
}
