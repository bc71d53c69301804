//! The figures of all series of a capture, computed batch by batch.

use std::collections::BTreeMap;

use rayon::prelude::*;
use recount_model::Timestamp;

use super::counter::{Counter, CounterStretch, Taking, bucket_of};
use super::series::Series;
use crate::roster::{Placed, by_object};

/// Which series a pass processes, by object, counter and instance.
pub(crate) type Keeps<'a> = &'a (dyn Fn(SeriesId) -> bool + Sync);

/// A series, by its numbers in the roster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SeriesId {
    pub(crate) object: u32,
    pub(crate) instance: u32,
    pub(crate) counter: u32,
}

/// All figures so far.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// By object, then by counter.
    objects: Vec<Vec<Counter>>,
    origin: Option<Timestamp>,
    /// Length of the stretches into which the capture is cut, in 100 ns.
    bucket: Option<i64>,
}

/// A finished series.
#[derive(Clone)]
pub(crate) struct Tallied {
    pub(crate) id: SeriesId,
    /// Begin of its stretch of time, if the capture was cut.
    pub(crate) bucket: Option<Timestamp>,
    pub(crate) series: Series,
    /// From which its times are counted.
    pub(super) origin: Timestamp,
}

impl Tally {
    pub(crate) fn new(bucket: Option<i64>) -> Tally {
        Tally { bucket: bucket.map(|length| length.max(1)), ..Tally::default() }
    }

    /// Adds a batch, in parallel over counters.
    pub(crate) fn add(&mut self, batch: &[Placed<'_>], keeps: Keeps<'_>) {
        let earliest = batch.iter().filter_map(|placed| placed.cooked.times.first()).min();
        let Some(origin) = self.origin.or(earliest.map(|time| time.utc)) else { return };
        self.origin = Some(origin);
        let num_objects = batch.iter().map(|placed| placed.object + 1).max().unwrap_or(0);
        if self.objects.len() < num_objects {
            self.objects.resize_with(num_objects, Vec::new);
        }
        let of_object = by_object(batch, self.objects.len());
        let bucket = self.bucket;
        // Everything before the end of a batch is in this batch or an earlier one.
        let latest = batch.iter().filter_map(|placed| placed.cooked.times.last()).max();
        let over = bucket.zip(latest).map(|(length, latest)| bucket_of(latest.utc, length));
        let jobs = self.objects.par_iter_mut().zip(of_object).enumerate();
        jobs.for_each(|(object, (counters, placed))| {
            let keeps = |counter: usize, slot: usize| {
                keeps(SeriesId { object: object as u32, instance: slot as u32, counter: counter as u32 })
            };
            add_object(counters, &placed, keeps, origin, bucket);
            if let Some(over) = over {
                counters.par_iter_mut().for_each(|counter| counter.close_before(over));
            }
        });
    }

    /// Bytes of the values kept.
    pub(crate) fn len_bytes(&self) -> usize {
        self.series().map(|(_, series)| series.len_bytes()).sum()
    }

    /// Drops the values of the largest series until at most `len` bytes are left, and returns these series.
    pub(crate) fn defer(&mut self, len: usize) -> Vec<SeriesId> {
        let mut by_series: BTreeMap<SeriesId, usize> = BTreeMap::new();
        for (id, series) in self.series().filter(|(_, series)| series.len_bytes() > 0) {
            *by_series.entry(id).or_default() += series.len_bytes();
        }
        let mut sizes: Vec<(usize, SeriesId)> = by_series.into_iter().map(|(id, size)| (size, id)).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let mut kept: usize = sizes.iter().map(|(size, _)| size).sum();
        let mut deferred = Vec::new();
        for (size, id) in sizes {
            // One series is always kept, so that every pass finishes one.
            if kept <= len || kept == size {
                break;
            }
            kept -= size;
            let counter = &mut self.objects[id.object as usize][id.counter as usize];
            for all in counter.open.values_mut() {
                if let Some(series) = all.get_mut(id.instance as usize) {
                    series.defer();
                }
            }
            deferred.push(id);
        }
        deferred
    }

    /// Every series of an open stretch of time.
    pub(super) fn series(&self) -> impl Iterator<Item = (SeriesId, &Series)> {
        self.objects.iter().enumerate().flat_map(|(object, counters)| {
            counters.iter().enumerate().flat_map(move |(counter, state)| {
                state.open.values().flat_map(|all| all.iter().enumerate()).map(move |(instance, series)| {
                    let (object, counter, instance) = (object as u32, counter as u32, instance as u32);
                    (SeriesId { object, instance, counter }, series)
                })
            })
        })
    }

    /// Every series seen, by object, instance, counter and stretch of time.
    pub(crate) fn finish(self) -> Vec<Tallied> {
        let (length, origin) = (self.bucket, self.origin.unwrap_or_default());
        let mut all = Vec::new();
        for (object, counters) in self.objects.into_iter().enumerate() {
            for (counter, mut state) in counters.into_iter().enumerate() {
                let id = |instance: usize| SeriesId {
                    object: object as u32,
                    instance: instance as u32,
                    counter: counter as u32,
                };
                if length.is_some() {
                    state.close_before(i64::MAX);
                }
                all.extend(state.done.into_iter().map(|(instance, bucket, series)| {
                    let begin =
                        |length: i64| bucket.saturating_mul(length).saturating_add(Timestamp::UNIX_EPOCH.0);
                    let bucket = length.map(|length| Timestamp(begin(length)));
                    Tallied { id: id(instance as usize), bucket, series, origin }
                }));
                let whole = state.open.into_values().flat_map(|all| all.into_iter().enumerate());
                let whole = whole.filter(|(_, series)| series.is_met());
                all.extend(whole.map(|(instance, series)| Tallied {
                    id: id(instance),
                    bucket: None,
                    series,
                    origin,
                }));
            }
        }
        all.sort_by_key(|tallied| (tallied.id, tallied.bucket));
        all
    }
}

fn add_object(
    counters: &mut Vec<Counter>,
    placed: &[&Placed<'_>],
    keeps: impl Fn(usize, usize) -> bool + Sync,
    origin: Timestamp,
    bucket: Option<i64>,
) {
    let num_counters =
        placed.iter().flat_map(|placed| &placed.counters).max().map_or(0, |most| *most as usize + 1);
    if counters.len() < num_counters {
        counters.resize_with(num_counters, Counter::default);
    }
    let columns: Vec<Vec<Option<usize>>> = placed.iter().map(|placed| placed.columns(num_counters)).collect();
    // The origin keeps them small.
    let seconds = |placed: &&Placed<'_>| -> Vec<f64> {
        placed.cooked.times.iter().map(|time| time.utc.seconds_since(origin)).collect()
    };
    let seconds: Vec<Vec<f64>> = placed.iter().map(seconds).collect();
    counters.par_iter_mut().enumerate().for_each(|(number, counter)| {
        let keeps = |slot: usize| keeps(number, slot);
        let taking = Taking { bucket, keeps: &keeps };
        for ((placed, columns), seconds) in placed.iter().zip(&columns).zip(&seconds) {
            if let Some(column) = columns.get(number).copied().flatten() {
                let (cooked, column) = (placed.cooked, &placed.cooked.columns[column]);
                counter.add(&CounterStretch { cooked, column, seconds, slots: &placed.slots }, &taking);
            }
        }
    });
}
