//! Steps: a series that stays on one level, and then on another.

use std::collections::VecDeque;

use recount_model::Timestamp;

use super::cell::Cell;
use super::rule::ROUNDING;

/// Within a level, values differ by no more than this share of the step: a slow drift, a wave or noise isn't a level. The
/// crest of a wave that turns as fast as a step may is rounder than this.
const FLAT: f64 = 0.2;
/// How long a step may take, as a share of the time that a level has to last.
const ON_THE_WAY: f64 = 0.4;
/// Values that a level consists of at least: three lie on any wave.
const LEAST_VALUES: usize = 4;
/// Shorter values are joined, to this share of the time that a level has to last. It bounds what is kept.
const GRAIN: f64 = 0.1;
/// A value that begins later than the one before ended, by more than this share of its length, is behind a gap.
const APART: f64 = 0.5;

/// The latest values of a series, and its steps so far.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// Smallest step, in % of the higher level.
    least_percent: f64,
    /// How long a level has to last, in seconds.
    least_s: f64,
    /// Enough for two levels and the way between them, since the last step or gap.
    latest: VecDeque<PartialMean>,
    /// What will be the next part.
    open: Option<PartialMean>,
    last_end: Option<Timestamp>,
    steps: Steps,
}

/// A mean over some time.
#[derive(Clone, Copy, Debug)]
struct PartialMean {
    seconds: f64,
    /// Values times seconds.
    weighted: f64,
}

impl PartialMean {
    fn mean(&self) -> f64 {
        self.weighted / self.seconds
    }
}

/// A stretch of parts.
#[derive(Clone, Copy, Debug)]
struct LevelStretch {
    first: usize,
    mean: f64,
    /// The difference between its greatest and its least part.
    range: f64,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Steps {
    pub(super) count: u64,
    /// How many of them go up.
    pub(super) num_up: u64,
    pub(super) lowest: f64,
    pub(super) highest: f64,
}

impl Steps {
    /// Whether there are steps up and steps down.
    pub(super) fn go_both_ways(&self) -> bool {
        self.num_up > 0 && self.num_up < self.count
    }
}

impl Levels {
    pub(super) fn new(least_percent: f64, least_s: f64) -> Levels {
        let steps = Steps { count: 0, num_up: 0, lowest: f64::INFINITY, highest: f64::NEG_INFINITY };
        Levels { least_percent, least_s, latest: VecDeque::new(), open: None, last_end: None, steps }
    }

    pub(super) fn add(&mut self, cell: &Cell) {
        let Some(value) = cell.value.mean().filter(|_| cell.seconds > 0.0) else { return };
        // Nobody knows on which way it got to the other end of a gap.
        if self.last_end.is_some_and(|end| cell.begin.seconds_since(end) > APART * cell.seconds) {
            self.interrupt();
        }
        self.last_end = Some(cell.end);
        let open = self.open.get_or_insert(PartialMean { seconds: 0.0, weighted: 0.0 });
        open.seconds += cell.seconds;
        open.weighted += value * cell.seconds;
        if open.seconds >= GRAIN * self.least_s * (1.0 - ROUNDING) {
            self.latest.extend(self.open.take());
            self.find_step();
        }
    }

    /// No level and no way goes on behind this.
    pub(super) fn interrupt(&mut self) {
        self.latest.clear();
        self.open = None;
    }

    /// Whether the latest parts are a level, and those before them another one.
    fn find_step(&mut self) {
        let Some(after) = self.lasting(self.latest.len()) else { return };
        let mut on_the_way_s = 0.0;
        for end in (1..=after.first).rev() {
            let Some(before) = self.lasting(end) else { break };
            if self.is_step(&before, &after) {
                self.steps.count += 1;
                self.steps.num_up += u64::from(after.mean > before.mean);
                self.steps.lowest = self.steps.lowest.min(before.mean).min(after.mean);
                self.steps.highest = self.steps.highest.max(before.mean).max(after.mean);
                // The next step starts from this level.
                self.latest.drain(..after.first);
                return;
            }
            on_the_way_s += self.latest[end - 1].seconds;
            if on_the_way_s > ON_THE_WAY * self.least_s * (1.0 + ROUNDING) {
                // Parts before the level that this way leads from aren't needed again.
                self.latest.drain(..before.first);
                return;
            }
        }
    }

    /// The shortest stretch before a part that is long enough for a level.
    fn lasting(&self, end: usize) -> Option<LevelStretch> {
        let (mut seconds, mut weighted) = (0.0, 0.0);
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for (first, part) in self.latest.range(..end).enumerate().rev() {
            seconds += part.seconds;
            weighted += part.weighted;
            least = least.min(part.mean());
            greatest = greatest.max(part.mean());
            if seconds >= self.least_s * (1.0 - ROUNDING) && end - first >= LEAST_VALUES {
                return Some(LevelStretch { first, mean: weighted / seconds, range: greatest - least });
            }
        }
        None
    }

    fn is_step(&self, before: &LevelStretch, after: &LevelStretch) -> bool {
        let higher = before.mean.abs().max(after.mean.abs());
        let size = (after.mean - before.mean).abs();
        let is_flat = before.range.max(after.range) <= FLAT * size;
        is_flat && size > self.least_percent / 100.0 * higher
    }

    pub(super) fn finish(self) -> Steps {
        self.steps
    }
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;
    use crate::rules::cell::Figure;

    fn cell(at: usize, value: f64) -> Cell {
        cell_of(at, value, 60.0)
    }

    fn cell_of(at: usize, value: f64, seconds: f64) -> Cell {
        let time = |at: usize| Timestamp((at as f64 * seconds) as i64 * Timestamp::TICKS_PER_SECOND);
        let (begin, end) = (time(at), time(at + 1));
        Cell { begin, follows: begin, end, seconds, value: Figure::of(value, seconds), shown: Vec::new() }
    }

    fn steps(values: &[f64]) -> Steps {
        steps_of(values, 60.0)
    }

    fn steps_of(values: &[f64], seconds: f64) -> Steps {
        let mut levels = Levels::new(25.0, 300.0);
        for (at, value) in values.iter().enumerate() {
            levels.add(&cell_of(at, *value, seconds));
        }
        levels.finish()
    }

    fn plateau(level: f64, minutes: usize) -> Vec<f64> {
        vec![level; minutes]
    }

    #[test]
    fn levels_that_last_are_steps() {
        let stairs = [plateau(9000.0, 20), plateau(4500.0, 5), plateau(9100.0, 20)].concat();
        let found = steps(&stairs);
        assert_eq!((found.count, found.num_up, found.go_both_ways()), (2, 1, true));
        assert_eq!((found.lowest, found.highest), (4500.0, 9100.0));
        // Two minutes on the way are still a step, and a little noise on the levels is still a level.
        let slow = [plateau(9000.0, 10), vec![7000.0, 5500.0], plateau(4500.0, 10)].concat();
        assert_eq!(steps(&slow).count, 1);
        let rough: Vec<f64> =
            stairs.iter().enumerate().map(|(at, level)| level + [0.0, 400.0, -300.0][at % 3]).collect();
        assert_eq!(steps(&rough).count, 2);
        // A burst and noise aren't.
        assert_eq!(steps(&[plateau(9000.0, 20), plateau(4500.0, 3), plateau(9000.0, 20)].concat()).count, 0);
        let noise: Vec<f64> = (0..100).map(|at| if at % 2 == 0 { 9000.0 } else { 4000.0 }).collect();
        assert_eq!(steps(&noise).count, 0);
    }

    #[test]
    fn what_moves_all_the_time_has_no_levels() {
        for slope in [5.0, 10.0, 20.0, 30.0, 60.0, 200.0, 1000.0] {
            let falling: Vec<f64> =
                (0..1000).map(|at| 8000.0 - slope * f64::from(at)).take_while(|value| *value > 0.0).collect();
            assert_eq!(steps(&falling).count, 0, "{slope} a minute");
            let rising: Vec<f64> = falling.iter().rev().copied().collect();
            assert_eq!(steps(&rising).count, 0, "{slope} a minute, rising");
        }
        // Waves of any length, at any phase, sampled at any interval.
        for step_s in [10.0, 60.0, 90.0, 120.0, 150.0, 180.0, 300.0, 600.0] {
            for period_s in (360..5400).step_by(30).chain([7200, 14_400, 36_000]) {
                for shift in [0.0, 0.25, 0.5, 0.75] {
                    let turn = |at: usize| (at as f64 + shift) * step_s / f64::from(period_s);
                    let wave: Vec<f64> = (0..(6.0 * f64::from(period_s) / step_s) as usize)
                        .map(|at| 5000.0 + 3000.0 * (std::f64::consts::TAU * turn(at)).sin())
                        .collect();
                    assert_eq!(
                        steps_of(&wave, step_s).count,
                        0,
                        "{period_s} s, every {step_s} s from {shift}"
                    );
                }
            }
        }
        for share in [0.5, 0.8, 0.95, 0.99] {
            let decay: Vec<f64> = (0..300).map(|at| 8000.0 * f64::powi(share, at)).collect();
            assert_eq!(steps(&decay).count, 0, "{share}");
        }
    }

    #[test]
    fn a_gap_hides_how_it_moved() {
        let mut levels = Levels::new(25.0, 300.0);
        for at in (0..20).chain(200..220) {
            levels.add(&cell(at, 9000.0 - 20.0 * at as f64));
        }
        assert_eq!(levels.finish().count, 0);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut levels = Levels::new(25.0, 3600.0);
        for at in 0..100_000 {
            let value = Figure::of((at % 7) as f64, 1.0);
            let time = |at: i64| Timestamp(at * Timestamp::TICKS_PER_SECOND);
            let (begin, end) = (time(at), time(at + 1));
            levels.add(&Cell { begin, follows: begin, end, seconds: 1.0, value, shown: Vec::new() });
            assert!(levels.latest.len() <= 30, "{}", levels.latest.len());
        }
    }
}
