//! The figures of one counter, of all its instances.

use recount_compute::{Cooked, CookedColumn};
use recount_model::{SampleTime, Status, Timestamp};

use super::moments::Moments;
use super::series::Series;

/// A stretch of one column.
pub(super) struct Stretch<'a> {
    pub(super) cooked: &'a Cooked,
    pub(super) column: &'a CookedColumn,
    /// Per instance: the number of its series.
    pub(super) slots: &'a [u32],
}

/// The series of one counter, by number of instance.
#[derive(Debug, Default)]
pub(super) struct Counter {
    pub(super) series: Vec<Series>,
    /// The stretch of time that `series` are of, if the capture is cut.
    pub(super) bucket: Option<i64>,
    /// Series of stretches that are over: number of instance, stretch.
    pub(super) done: Vec<(u32, i64, Series)>,
    /// Of each instance of a stretch; kept for its memory.
    block: Vec<Moments>,
}

/// How the values of all counters are taken.
pub(super) struct Taking<'a> {
    /// Times are counted from here, so that they are small.
    pub(super) origin: Timestamp,
    /// Length of the stretches to cut the capture in, 100 ns.
    pub(super) bucket: Option<i64>,
    /// Whether a series, by number of instance, is looked at in this pass, and its values are kept.
    pub(super) keeps: &'a (dyn Fn(usize) -> bool + Sync),
}

impl Counter {
    pub(super) fn add(&mut self, stretch: &Stretch<'_>, taking: &Taking<'_>) {
        let num_slots = stretch.slots.iter().max().map_or(0, |slot| *slot as usize + 1);
        while self.series.len() < num_slots {
            self.series.push(Series::new((taking.keeps)(self.series.len())));
        }
        let num_samples = stretch.cooked.num_samples();
        let Some(length) = taking.bucket else {
            self.add_samples(stretch, 0..num_samples, taking.origin);
            return;
        };
        let times = &stretch.cooked.times;
        let mut begin = 0;
        while begin < num_samples {
            // From the epoch of Unix on, as everybody else rounds.
            let bucket_of = |time: &SampleTime| (time.utc.0 - Timestamp::UNIX_EPOCH.0).div_euclid(length);
            let bucket = bucket_of(&times[begin]);
            let end = begin + times[begin..].partition_point(|time| bucket_of(time) == bucket);
            if self.bucket != Some(bucket) {
                self.close();
                self.bucket = Some(bucket);
            }
            self.add_samples(stretch, begin..end, taking.origin);
            begin = end;
        }
    }

    /// Puts the series of the stretch of time that is over aside.
    pub(super) fn close(&mut self) {
        let Some(bucket) = self.bucket.take() else { return };
        for (slot, series) in self.series.iter_mut().enumerate() {
            let next = Series::new(!series.is_deferred());
            let mut series = std::mem::replace(series, next);
            if series.is_met() {
                series.rank();
                self.done.push((slot as u32, bucket, series));
            }
        }
    }

    fn add_samples(&mut self, stretch: &Stretch<'_>, samples: std::ops::Range<usize>, origin: Timestamp) {
        let Stretch { cooked, column, slots } = stretch;
        let num_instances = cooked.instances.len();
        self.block.clear();
        self.block.resize(num_instances, Moments::default());
        let seconds = |sample: usize| cooked.times[sample].utc.seconds_since(origin);
        for sample in samples.clone() {
            let time = seconds(sample);
            let interval = cooked.interval_s[sample].unwrap_or(0.0);
            for (at, slot) in slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                let cell = sample * num_instances + at;
                let series = &mut self.series[*slot as usize];
                match column.status_at(cell) {
                    Status::Ok => {
                        let weight = if sample == 0 && !cooked.continued[at] { 0.0 } else { interval };
                        self.block[at].count(column.values[cell], time, weight);
                        series.value(column.values[cell], time);
                    }
                    status => series.null(status),
                }
            }
        }
        self.block.iter_mut().for_each(Moments::centre);
        for sample in samples {
            let time = seconds(sample);
            for (at, block) in self.block.iter_mut().enumerate().filter(|(at, _)| column.covers(*at)) {
                let cell = sample * num_instances + at;
                if column.status_at(cell) == Status::Ok {
                    block.spread(column.values[cell], time);
                }
            }
        }
        for (slot, block) in slots.iter().zip(&self.block) {
            self.series[*slot as usize].moments.join(block);
        }
    }
}
