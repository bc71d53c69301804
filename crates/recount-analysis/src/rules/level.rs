//! Steps: a series that stays on one level, and then on another.

use super::spell::Cell;

/// How much of the past a level remembers, in seconds: slow drift isn't a step.
const MEMORY_S: f64 = 1800.0;

/// The level of a series, and its steps so far.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// Smallest step, in % of the higher level.
    least_percent: f64,
    /// How long a level has to last, in seconds.
    least_s: f64,
    /// The level, and for how long it is known.
    level: Option<(f64, f64)>,
    /// What may become the next level: sum of values times seconds, and seconds.
    next: (f64, f64),
    steps: Steps,
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

impl Levels {
    pub(super) fn new(least_percent: f64, least_s: f64) -> Levels {
        let steps = Steps { count: 0, num_up: 0, lowest: f64::INFINITY, highest: f64::NEG_INFINITY };
        Levels { least_percent, least_s, level: None, next: (0.0, 0.0), steps }
    }

    pub(super) fn add(&mut self, cell: &Cell) {
        let Some(value) = cell.value.mean() else { return };
        let Some((level, known_s)) = self.level else {
            self.level = Some((value, cell.seconds));
            return;
        };
        let of_candidate = if self.next.1 > 0.0 { self.next.0 / self.next.1 } else { value };
        let is_same_side = (value > level) == (of_candidate > level);
        if !(self.is_step(level, value) && is_same_side) {
            self.next = (0.0, 0.0);
            let share = cell.seconds / (known_s + cell.seconds).clamp(f64::MIN_POSITIVE, MEMORY_S);
            let share = share.clamp(0.0, 1.0);
            self.level = Some((level + (value - level) * share, known_s + cell.seconds));
            return;
        }
        self.next.0 += value * cell.seconds;
        self.next.1 += cell.seconds;
        if self.next.1 >= self.least_s {
            let reached = self.next.0 / self.next.1;
            // A level that was too short is only a way to the next one.
            if known_s >= self.least_s {
                self.steps.count += 1;
                self.steps.num_up += u64::from(reached > level);
                self.steps.lowest = self.steps.lowest.min(level).min(reached);
                self.steps.highest = self.steps.highest.max(level).max(reached);
            }
            self.level = Some((reached, self.next.1));
            self.next = (0.0, 0.0);
        }
    }

    fn is_step(&self, level: f64, value: f64) -> bool {
        let higher = level.abs().max(value.abs());
        higher > 0.0 && (value - level).abs() > self.least_percent / 100.0 * higher
    }

    pub(super) fn finish(self) -> Steps {
        self.steps
    }
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;
    use crate::rules::spell::Figure;

    fn steps(values: &[f64]) -> Steps {
        let mut levels = Levels::new(25.0, 300.0);
        for (at, value) in values.iter().enumerate() {
            let time = |at: usize| Timestamp(at as i64 * 60 * Timestamp::TICKS_PER_SECOND);
            let (begin, end) = (time(at), time(at + 1));
            let value = Figure::of(*value, 60.0);
            levels.add(&Cell { begin, end, seconds: 60.0, value, shown: Vec::new() });
        }
        levels.finish()
    }

    #[test]
    fn levels_that_last_are_steps() {
        let plateau = |level: f64, minutes: usize| vec![level; minutes];
        let stairs = [plateau(9000.0, 20), plateau(4500.0, 20), plateau(9100.0, 20)].concat();
        let found = steps(&stairs);
        assert_eq!((found.count, found.num_up), (2, 1));
        assert!((found.lowest - 4500.0).abs() < 1.0 && found.highest > 8990.0, "{found:?}");
        // A burst, a slow drift and noise aren't.
        assert_eq!(steps(&[plateau(9000.0, 20), plateau(4500.0, 3), plateau(9000.0, 20)].concat()).count, 0);
        let drift: Vec<f64> = (0..600).map(|at| 9000.0 - 10.0 * f64::from(at)).collect();
        assert_eq!(steps(&drift).count, 0);
        let noise: Vec<f64> = (0..100).map(|at| if at % 2 == 0 { 9000.0 } else { 4000.0 }).collect();
        assert_eq!(steps(&noise).count, 0);
    }
}
