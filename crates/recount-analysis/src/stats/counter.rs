//! The figures of one counter, for all its instances.

use std::collections::BTreeMap;
use std::ops::Range;

use recount_compute::{Cooked, CookedColumn};
use recount_model::Timestamp;

use super::moments::Moments;
use super::series::Series;

/// A stretch of one column.
pub(super) struct CounterStretch<'a> {
    pub(super) cooked: &'a Cooked,
    pub(super) column: &'a CookedColumn,
    /// Per sample: its time, in seconds since the capture began.
    pub(super) seconds: &'a [f64],
    /// Per instance: the number of its series.
    pub(super) slots: &'a [u32],
}

/// The series of one counter.
#[derive(Debug, Default)]
pub(super) struct Counter {
    /// By instance number; if the capture is cut, first by stretch of time. Captures may overlap, so several
    /// stretches can be open.
    pub(super) open: BTreeMap<i64, Vec<Series>>,
    /// Series of finished stretches, by instance number and stretch.
    pub(super) done: Vec<(u32, i64, Series)>,
}

/// How the values of all counters are processed.
pub(super) struct Taking<'a> {
    /// Length of the stretches into which the capture is cut, in 100 ns.
    pub(super) bucket: Option<i64>,
    /// Whether a series, by instance number, is processed in this pass, and whether its values are kept.
    pub(super) keeps: &'a (dyn Fn(usize) -> bool + Sync),
}

impl Counter {
    pub(super) fn add(&mut self, stretch: &CounterStretch<'_>, taking: &Taking<'_>) {
        let times = &stretch.cooked.times;
        let num_samples = times.len();
        let Some(length) = taking.bucket else {
            self.add_samples(stretch, 0..num_samples, 0, taking);
            return;
        };
        let mut begin = 0;
        while begin < num_samples {
            let bucket = bucket_of(times[begin].utc, length);
            let end = begin + times[begin..].partition_point(|time| bucket_of(time.utc, length) == bucket);
            self.add_samples(stretch, begin..end, bucket, taking);
            begin = end;
        }
    }

    /// Sets aside the stretches before the given one: they are complete.
    pub(super) fn close_before(&mut self, bucket: i64) {
        let later = self.open.split_off(&bucket);
        for (bucket, all) in std::mem::replace(&mut self.open, later) {
            for (slot, mut series) in all.into_iter().enumerate().filter(|(_, series)| series.is_met()) {
                series.rank();
                self.done.push((slot as u32, bucket, series));
            }
        }
    }

    fn add_samples(
        &mut self,
        stretch: &CounterStretch<'_>,
        samples: Range<usize>,
        bucket: i64,
        taking: &Taking<'_>,
    ) {
        let CounterStretch { cooked, column, seconds, slots } = stretch;
        let all = self.open.entry(bucket).or_default();
        let num_slots = slots.iter().max().map_or(0, |slot| *slot as usize + 1);
        while all.len() < num_slots {
            all.push(Series::new((taking.keeps)(all.len())));
        }
        let num_instances = cooked.instances.len();
        for (at, slot) in slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
            let series = &mut all[*slot as usize];
            let mut block = Moments::default();
            for sample in samples.clone() {
                let cell = sample * num_instances + at;
                match column.status_at(cell) {
                    status if status.has_value() => {
                        block.count(column.values[cell], seconds[sample], cooked.weight_of(sample, at));
                        series.value(column.values[cell], seconds[sample], status);
                    }
                    status => series.null(status, seconds[sample]),
                }
            }
            if column.texts.is_some() {
                let last = samples.clone().next_back().map(|sample| sample * num_instances + at);
                series.newest_text = last.and_then(|cell| column.text_at(cell).cloned());
            }
            block.centre();
            for sample in samples.clone() {
                if let Some(value) = column.value_at(sample * num_instances + at) {
                    block.spread(value, seconds[sample]);
                }
            }
            series.moments.join(&block);
        }
    }
}

/// The stretch that contains a time, counted from the Unix epoch, as other tools round.
pub(super) fn bucket_of(time: Timestamp, length: i64) -> i64 {
    time.0.saturating_sub(Timestamp::UNIX_EPOCH.0).div_euclid(length)
}
