//! By how much one clock is behind another, by counters that two captures have in common: what moved one at a time moved the other, too.

use std::sync::Arc;

use rayon::prelude::*;
use recount_compute::{Input, Rhythm, unwatched};
use recount_model::{Pattern, SampleTime, Selection, Timestamp};

use crate::changes::{Bin, bins};
use crate::moved::chance::median;
use crate::moved::{Axis, read_tracks};
use crate::shown::series_label;

/// What most recorders have, and what moves with the load of a machine.
const COMPARED: [&str; 10] = [
    r"\Processor(_Total)\% Processor Time",
    r"\Processor(_Total)\% Idle Time",
    r"\Processor Information(_Total)\% Processor Time",
    r"\System\Context Switches/sec",
    r"\Memory\Available Bytes",
    r"\Memory\Available KBytes",
    r"\Memory\Available MBytes",
    r"\PhysicalDisk(*)\Disk Bytes/sec",
    r"\PhysicalDisk(*)\Disk Transfers/sec",
    r"\Network Interface(*)\Bytes Total/sec",
];

/// Values per series.
const MAX_VALUES: usize = 20_000;
/// Cells per value: an offset is looked for in steps of one.
const CELLS: usize = 8;
/// Pairs of values that are compared, at least.
const LEAST_PAIRS: usize = 30;
/// How much of the shorter capture has to be compared.
const LEAST_SHARE: f64 = 0.5;
/// A correlation that is no chance: at least, and times the square root of the number of pairs, since many offsets are tried.
const CERTAIN: (f64, f64) = (0.5, 6.0);
/// What an offset that is elsewhere may have, of the best one.
const SECOND: f64 = 0.8;

/// Of the best correlation: what is as good.
const AS_GOOD: f64 = 0.99;

/// One side.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "inputs have none")]
pub struct ClockSide<'a> {
    /// The captures.
    pub inputs: &'a [Input],
    /// The times of their samples.
    pub times: &'a [SampleTime],
}

/// By how much a clock is behind.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockOffset {
    /// Seconds; negative if it is ahead.
    pub behind_s: f64,
    /// Seconds, to either side.
    pub error_s: f64,
    /// The counter that says so, and how many more.
    pub counter: String,
    /// How many more say the same.
    pub num_others: usize,
}

/// Why an offset isn't known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoOffset {
    /// No counter of those that are compared is in both.
    #[error("the captures have no counter in common by which their clocks could be compared")]
    NothingInCommon,
    /// None of them moves so in both at one offset only.
    #[error(
        "{0} moves in both captures, but not so that one offset of their clocks fits better than all others"
    )]
    Unclear(String),
    /// Two counters say different things.
    #[error("{0} and {1} say different offsets of the clocks")]
    Contradiction(String, String),
}

/// By how much the clock of `other` is behind that of `first`. Each side is read once.
pub fn clock_offset(first: ClockSide<'_>, other: ClockSide<'_>) -> Result<ClockOffset, NoOffset> {
    let (first, other) = (series(first), series(other));
    let same = |one: &Series| other.iter().find(|other| other.key == one.key);
    let common: Vec<(String, &Series, &Series)> =
        first.iter().filter_map(|one| Some((one.label.clone(), one, same(one)?))).collect();
    let Some((label, ..)) = common.first() else { return Err(NoOffset::NothingInCommon) };
    let unclear = NoOffset::Unclear(label.clone());
    let found =
        common.par_iter().filter_map(|(label, one, other)| Some((label, fitted(&one.bins, &other.bins)?)));
    let mut found: Vec<(&String, Fitted)> = found.collect();
    found.sort_by(|a, b| b.1.correlation.total_cmp(&a.1.correlation));
    let Some(((counter, best), others)) = found.split_first() else { return Err(unclear) };
    let is_same = |fitted: &Fitted| (fitted.offset_s - best.offset_s).abs() <= fitted.step_s.max(best.step_s);
    if let Some((second, _)) = others.iter().find(|(_, fitted)| !is_same(fitted)) {
        return Err(NoOffset::Contradiction((*counter).clone(), (*second).clone()));
    }
    Ok(ClockOffset {
        behind_s: best.offset_s,
        error_s: best.error_s,
        counter: (*counter).clone(),
        num_others: others.len(),
    })
}

struct Series {
    /// Object, instance and counter.
    key: [String; 3],
    label: String,
    bins: Vec<Bin>,
}

fn series(side: ClockSide<'_>) -> Vec<Series> {
    let selection: Selection = COMPARED.iter().filter_map(|path| path.parse::<Pattern>().ok()).collect();
    let axis = Axis::whole(side.times, MAX_VALUES);
    let rhythm = Arc::new(Rhythm::of(side.inputs));
    let Ok((roster, tracks, _)) = read_tracks(side.inputs, &rhythm, &selection, &axis, &unwatched) else {
        return Vec::new();
    };
    let series = tracks.series().filter_map(|(id, track)| {
        let object = roster.objects().get(id.object as usize)?;
        let instance = object.instances.get(id.instance as usize)?.shown.as_deref();
        let counter = &*object.counters.get(id.counter as usize)?.name;
        let key = [&*object.name, instance.unwrap_or_default(), counter].map(str::to_lowercase);
        let label = series_label(&object.name, instance, None, counter);
        Some(Series { key, label, bins: bins(track, &axis) })
    });
    series.filter(|series| series.bins.len() > LEAST_PAIRS).collect()
}

/// An offset at which one series moves as another.
#[derive(Clone, Copy, Debug)]
struct Fitted {
    /// Seconds to be added to the times of the other one.
    offset_s: f64,
    error_s: f64,
    correlation: f64,
    /// Seconds per value.
    step_s: f64,
}

/// The offset at which the steps from one value to the next are most alike, if no other one is nearly as good.
fn fitted(one: &[Bin], other: &[Bin]) -> Option<Fitted> {
    let usual_s = |bins: &[Bin]| median(bins.iter().map(Bin::width_s).collect());
    let step_s = usual_s(one).max(usual_s(other));
    if step_s <= 0.0 || !step_s.is_finite() {
        return None;
    }
    let cell_s = step_s / CELLS as f64;
    let origin = one.first()?.interval.begin.min(other.first()?.interval.begin);
    let (one, other) = (Steps::of(one, origin, cell_s)?, Steps::of(other, origin, cell_s)?);
    let least = (LEAST_SHARE * one.cells.len().min(other.cells.len()) as f64) as i64;
    let least = least.max((LEAST_PAIRS * CELLS) as i64);
    // From where only the end of the one and the begin of the other are compared, to the opposite.
    let (first, last) = (
        one.first - other.first + least - other.cells.len() as i64,
        one.first - other.first + one.cells.len() as i64 - least,
    );
    let at = |lag: i64| (lag, one.correlation(&other, lag));
    let rough: Vec<(i64, f64)> =
        (first..=last).step_by(CELLS / 2).map(at).filter_map(|(lag, found)| Some((lag, found?.0))).collect();
    let best = rough.iter().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
    let near = best - CELLS as i64..=best + CELLS as i64;
    let fine: Vec<(i64, (f64, usize))> =
        near.map(at).filter_map(|(lag, found)| Some((lag, found?))).collect();
    let (lag, (correlation, num_pairs)) = *fine.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    let is_apart = |(other, _): &&(i64, f64)| (other - lag).unsigned_abs() > 2 * CELLS as u64;
    let second = rough.iter().filter(is_apart).map(|(_, correlation)| *correlation).fold(0.0, f64::max);
    if correlation < CERTAIN.0.max(CERTAIN.1 / (num_pairs as f64).sqrt()) || second > SECOND * correlation {
        return None;
    }
    let as_good: Vec<i64> =
        fine.iter().filter(|(_, found)| found.0 >= AS_GOOD * correlation).map(|(lag, _)| *lag).collect();
    let (low, high) = (*as_good.first()?, *as_good.last()?);
    let offset_s = (low + high) as f64 / 2.0 * cell_s;
    Some(Fitted { offset_s, error_s: ((high - low) as f64 / 2.0 + 1.0) * cell_s, correlation, step_s })
}

/// How far a series goes from the mean of the cells of one value to that of the next, for each cell at which it may begin.
struct Steps {
    /// The first cell.
    first: i64,
    /// NaN: not known.
    cells: Vec<f64>,
}

impl Steps {
    fn of(bins: &[Bin], origin: Timestamp, cell_s: f64) -> Option<Steps> {
        /// As long as so many usual values: nobody sampled.
        const LONGEST: f64 = 3.0;
        let cell = |time: Timestamp| time.seconds_since(origin) / cell_s;
        let (begin, end) = (cell(bins.first()?.interval.begin), cell(bins.last()?.interval.end));
        let (first, num_cells) = (begin.floor() as i64, (end - begin).ceil() as usize + 1);
        // Values are at most as many as there are, so this is no more than eight times as many, but for gaps.
        if num_cells > 64 * MAX_VALUES {
            return None;
        }
        let mut values = vec![f64::NAN; num_cells];
        for bin in bins.iter().filter(|bin| bin.width_s() <= LONGEST * CELLS as f64 * cell_s) {
            let range = cell(bin.interval.begin).round()..cell(bin.interval.end).round();
            let range =
                (range.start as i64 - first).max(0) as usize..(range.end as i64 - first).max(0) as usize;
            values.get_mut(range).into_iter().flatten().for_each(|cell| *cell = bin.value);
        }
        let mean = |at: usize| values[at..at + CELLS].iter().sum::<f64>() / CELLS as f64;
        let num_steps = values.len().checked_sub(2 * CELLS)?;
        let cells = (0..num_steps).map(|at| mean(at + CELLS) - mean(at)).collect();
        Some(Steps { first, cells })
    }

    /// The correlation with another one whose times are later by some cells, and of how many values. `None` if these are too few.
    fn correlation(&self, other: &Steps, lag: i64) -> Option<(f64, usize)> {
        let begin = self.first.max(other.first + lag);
        let end = (self.first + self.cells.len() as i64).min(other.first + lag + other.cells.len() as i64);
        let pairs = (begin..end).step_by(CELLS).map(|at| {
            (self.cells[(at - self.first) as usize], other.cells[(at - lag - other.first) as usize])
        });
        let pairs = pairs.filter(|(a, b)| a.is_finite() && b.is_finite());
        let (mut num, mut sums) = (0, [0.0; 5]);
        for (a, b) in pairs {
            num += 1;
            for (sum, by) in sums.iter_mut().zip([a, b, a * a, b * b, a * b]) {
                *sum += by;
            }
        }
        let count = num as f64;
        let [a, b, aa, bb, ab] = sums;
        let (width, height) = (aa - a * a / count, bb - b * b / count);
        let is_known = num >= LEAST_PAIRS && width > 0.0 && height > 0.0;
        is_known.then(|| ((ab - a * b / count) / (width * height).sqrt(), num))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::Interval;
    use crate::noise::noise;

    /// What a recorder with this interval and a clock that is behind has of a load that changes at random.
    fn recorded(load: &[f64], (begin, end): (usize, usize), interval: usize, behind_s: f64) -> Vec<Bin> {
        let time = |at: usize| Timestamp(1_000_000_000_000).minus_seconds(behind_s - at as f64 / 10.0);
        let bin = |at: usize| Bin {
            interval: Interval { begin: time(at), end: time(at + interval) },
            value: load[at..at + interval].iter().sum::<f64>() / interval as f64,
            num_samples: 1,
            is_alone: false,
        };
        (begin..end - interval).step_by(interval).map(bin).collect()
    }

    /// Tenths of seconds.
    fn load(seed: u64) -> Vec<f64> {
        let mut random = noise(seed);
        let mut level = 0.0;
        (0..20_000)
            .map(|_| {
                level = 0.97 * level + random();
                20.0 + level
            })
            .collect()
    }

    #[test]
    fn the_offset_of_two_recorders_is_found() {
        let load = load(5);
        for (intervals, behind_s) in
            [((10, 10), 12.4), ((10, 50), -73.0), ((50, 10), 300.25), ((50, 50), 0.0)]
        {
            let one = recorded(&load, (0, 18_000), intervals.0, 0.0);
            let other = recorded(&load, (2_003, 20_000), intervals.1, behind_s);
            let found = fitted(&one, &other).expect("an offset");
            assert!(found.error_s <= 0.1 * intervals.0.max(intervals.1) as f64, "{found:?}");
            assert!((found.offset_s - behind_s).abs() <= found.error_s, "{behind_s}: {found:?}");
        }
    }

    #[test]
    fn what_does_not_move_together_has_no_offset() {
        let (one, other) =
            (recorded(&load(5), (0, 18_000), 10, 0.0), recorded(&load(6), (0, 18_000), 10, 0.0));
        assert!(fitted(&one, &other).is_none());
        // It comes back every minute.
        let regular: Vec<f64> = (0..20_000).map(|at| f64::from(u8::from(at % 600 < 100))).collect();
        let one = recorded(&regular, (0, 18_000), 10, 0.0);
        assert!(fitted(&one, &recorded(&regular, (0, 18_000), 10, 5.0)).is_none());
        // Nothing moves.
        assert!(fitted(&recorded(&vec![1.0; 20_000], (0, 18_000), 10, 0.0), &one).is_none());
    }
}
