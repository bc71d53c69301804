//! The largest values of equal parts of the time: for sparklines.

use rayon::prelude::*;
use recount_compute::CookedColumn;
use recount_model::{SampleTime, Timestamp};

use super::SeriesId;
use crate::roster::Placed;

/// A few numbers per series, however long the capture is.
#[derive(Debug)]
pub(super) struct Parts {
    begin: Timestamp,
    end: Timestamp,
    num: usize,
    /// By object, then by counter: per instance and part its largest value, NaN without one.
    objects: Vec<Vec<Vec<f64>>>,
}

impl Parts {
    /// `num` parts of the time between the first sample and the last.
    pub(super) fn new((begin, end): (Timestamp, Timestamp), num: usize) -> Parts {
        Parts { begin, end, num, objects: Vec::new() }
    }

    pub(super) fn add(&mut self, placed: &[Placed<'_>]) {
        if self.num == 0 {
            return;
        }
        for one in placed {
            let parts: Vec<usize> = one.cooked.times.iter().map(|time| self.part_of(time)).collect();
            if self.objects.len() <= one.object {
                self.objects.resize_with(one.object + 1, Vec::new);
            }
            let counters = &mut self.objects[one.object];
            let columns =
                one.columns(one.counters.iter().map(|counter| *counter as usize + 1).max().unwrap_or(0));
            if counters.len() < columns.len() {
                counters.resize_with(columns.len(), Vec::new);
            }
            let num = self.num;
            counters.par_iter_mut().zip(columns).for_each(|(values, column)| {
                if let Some(column) = column {
                    add_column(values, &one.cooked.columns[column], &one.slots, &parts, num);
                }
            });
        }
    }

    fn part_of(&self, time: &SampleTime) -> usize {
        let span = i128::from(self.end.0) - i128::from(self.begin.0) + 1;
        let passed = i128::from(time.utc.0) - i128::from(self.begin.0);
        let part = passed * self.num as i128 / span.max(1);
        part.clamp(0, self.num as i128 - 1) as usize
    }

    /// The parts of a series.
    pub(super) fn of(&self, id: SeriesId) -> Vec<Option<f64>> {
        let counters = self.objects.get(id.object as usize);
        let values = counters.and_then(|counters| counters.get(id.counter as usize));
        let begin = id.instance as usize * self.num;
        let own = values.and_then(|values| values.get(begin..begin + self.num)).unwrap_or_default();
        own.iter().map(|value| Some(*value).filter(|value| !value.is_nan())).collect()
    }
}

fn add_column(values: &mut Vec<f64>, column: &CookedColumn, slots: &[u32], parts: &[usize], num: usize) {
    let num_slots = slots.iter().map(|slot| *slot as usize + 1).max().unwrap_or(0);
    if values.len() < num_slots * num {
        values.resize(num_slots * num, f64::NAN);
    }
    for (at, slot) in slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
        for (sample, part) in parts.iter().enumerate() {
            if let Some(value) = column.value_at(sample * slots.len() + at) {
                let most = &mut values[*slot as usize * num + part];
                // The other one, if one of them is NaN.
                *most = most.max(value);
            }
        }
    }
}
