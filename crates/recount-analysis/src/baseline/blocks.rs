//! Means of five minutes of every series, as a capture is read.

use std::ops::Range;

use rayon::prelude::*;
use recount_model::{Cooked, SampleTime, Timestamp};

use crate::moved::says_how_much;
use crate::roster::{Placed, Roster};
use crate::shown::is_of_tasks;
use crate::stats::SeriesId;

/// Seconds of a block.
pub(super) const BLOCK_S: i64 = 300;
/// Blocks of an hour, and of a week.
pub(super) const OF_HOUR: i64 = 3_600 / BLOCK_S;
pub(super) const OF_WEEK: i64 = 168 * OF_HOUR;
/// A mean is of so many seconds at least.
const LEAST_S: f64 = 150.0;

/// Five minutes of the local time. They are counted from Monday, 1601-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) number: i64,
    /// When it begins, UTC.
    pub(super) begin: Timestamp,
}

impl Block {
    /// The block of the time before a sample, which is what its values are about.
    fn of(time: SampleTime) -> Block {
        const TICKS: i64 = BLOCK_S * Timestamp::TICKS_PER_SECOND;
        let local = time.local().0.saturating_sub(1);
        let begin = local.rem_euclid(TICKS);
        Block {
            number: local.div_euclid(TICKS),
            begin: Timestamp(time.utc.0.saturating_sub(1).saturating_sub(begin)),
        }
    }

    pub(super) fn end(self) -> Timestamp {
        Timestamp(self.begin.0.saturating_add(BLOCK_S * Timestamp::TICKS_PER_SECOND))
    }

    /// The hour of the week: from 0, that after midnight of Sunday.
    pub(super) fn hour(self) -> u8 {
        (self.number.div_euclid(OF_HOUR)).rem_euclid(168) as u8
    }
}

/// What receives the means: the series, the block, and the mean.
pub(super) type Sink<'a> = &'a mut dyn FnMut(SeriesId, Block, f64);

/// The means that are being computed.
#[derive(Debug, Default)]
pub(super) struct Means {
    objects: Vec<OfObject>,
}

/// The sum of values, each times its seconds, and these seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    sum: f64,
    seconds: f64,
}

#[derive(Debug, Default)]
struct OfObject {
    block: Option<Block>,
    /// By counter, then by instance.
    sums: Vec<Vec<Sum>>,
}

impl Means {
    /// Adds a batch; blocks that are over go to the sink.
    pub(super) fn add(&mut self, roster: &Roster, placed: &[Placed<'_>], sink: Sink<'_>) {
        self.objects.resize_with(roster.objects().len(), OfObject::default);
        for one in placed {
            let entry = &roster.objects()[one.object];
            let is_counted: Vec<bool> =
                entry.counters.iter().map(|counter| says_how_much(&counter.name)).collect();
            let is_kept = kept(one.cooked);
            let columns = one.columns(entry.counters.len());
            let state = &mut self.objects[one.object];
            state.sums.resize_with(entry.counters.len(), Vec::new);
            let num_slots = entry.instances.len();
            for (block, samples) in blocks(one.cooked) {
                if state.block != Some(block) {
                    state.close(one.object, sink);
                    state.block = Some(block);
                }
                state.sums.par_iter_mut().zip(&columns).zip(&is_counted).for_each(
                    |((sums, column), is_counted)| {
                        if let (Some(column), true) = (column, is_counted) {
                            sums.resize(num_slots, Sum::default());
                            add_column(sums, one, *column, &is_kept, samples.clone());
                        }
                    },
                );
            }
        }
    }

    /// The last blocks go to the sink.
    pub(super) fn finish(&mut self, sink: Sink<'_>) {
        for (object, state) in self.objects.iter_mut().enumerate() {
            state.close(object, sink);
        }
    }
}

impl OfObject {
    fn close(&mut self, object: usize, sink: Sink<'_>) {
        let Some(block) = self.block else { return };
        for (counter, sums) in self.sums.iter_mut().enumerate() {
            for (instance, sum) in sums.iter_mut().enumerate() {
                let mean = sum.sum / sum.seconds;
                if sum.seconds >= LEAST_S && mean.is_finite() {
                    let id = SeriesId {
                        object: object as u32,
                        instance: instance as u32,
                        counter: counter as u32,
                    };
                    sink(id, block, mean);
                }
                *sum = Sum::default();
            }
        }
    }
}

/// Per instance, whether it has a baseline: a process is there today, and another one tomorrow.
fn kept(cooked: &Cooked) -> Vec<bool> {
    let is_of_tasks = is_of_tasks(&cooked.object.name);
    cooked.instances.iter().map(|instance| !is_of_tasks || &*instance.shown() == "_Total").collect()
}

/// The blocks of a stretch, and the samples of each.
fn blocks(cooked: &Cooked) -> Vec<(Block, Range<usize>)> {
    let mut found: Vec<(Block, Range<usize>)> = Vec::new();
    for (at, time) in cooked.times.iter().enumerate() {
        let block = Block::of(*time);
        match found.last_mut() {
            Some((last, samples)) if *last == block => samples.end = at + 1,
            _ => found.push((block, at..at + 1)),
        }
    }
    found
}

fn add_column(sums: &mut [Sum], one: &Placed<'_>, column: usize, is_kept: &[bool], samples: Range<usize>) {
    let column = &one.cooked.columns[column];
    let num_instances = one.slots.len();
    let kept = (0..num_instances).filter(|at| is_kept[*at] && column.covers(*at));
    for at in kept {
        let sum = &mut sums[one.slots[at] as usize];
        for sample in samples.clone() {
            let value = column.value_at(sample * num_instances + at).filter(|value| value.is_finite());
            // A value counts as in any mean over time, but not for hours.
            let seconds = one.cooked.weight_of(sample, at).clamp(0.0, BLOCK_S as f64);
            if let Some(value) = value {
                sum.sum += value * seconds;
                sum.seconds += seconds;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(local_s: i64, offset_min: i16) -> SampleTime {
        let utc = (local_s - i64::from(offset_min) * 60) * Timestamp::TICKS_PER_SECOND;
        SampleTime { utc: Timestamp(utc), offset_min }
    }

    #[test]
    fn a_sample_belongs_to_the_time_before_it() {
        // Tuesday of the second week, 14:05 local time.
        let time = (8 * 24 + 14) * 3_600 + 300;
        for offset in [0, 60, -480, 345] {
            let block = Block::of(sample(time, offset));
            assert_eq!((block.hour(), block.end()), (24 + 14, sample(time, offset).utc));
            assert_eq!(Block::of(sample(time + 1, offset)).number, block.number + 1);
            assert_eq!(block.number, i64::from(8 * 24 + 14) * OF_HOUR);
        }
        assert_eq!(Block::of(sample(0, 0)).hour(), 167);
    }
}
