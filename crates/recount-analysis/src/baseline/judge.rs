//! What is unusual in a capture: means beyond everything that a baseline has seen.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, Normal};

use super::answer::Usual;
use super::blocks::Block;
use super::held::{Held, Values};
use crate::moved::importance;

/// With fewer independent values nobody knows what is usual.
const LEAST_VALUES: f64 = 10.0;
/// An hour of the week has its own judgement if it is known of so many weeks.
const LEAST_WEEKS: usize = 3;
/// How far a normal value is beyond the mean once in two million times, in deviations. There are many values to judge.
const FAR: f64 = 4.9;
/// What isn't further than the furthest value so many times isn't unusual, however many values are known.
const LEAST_TIMES: f64 = 1.25;

/// How many times further from the median than the furthest of so many values something unusual is. Of normal values, the furthest of
/// few isn't far.
fn times_further(independent: f64) -> f64 {
    let share = 1.0 - 1.0 / (independent + 1.0);
    let furthest = Normal::standard().inverse_cdf(share).max(0.5);
    (FAR / furthest).max(LEAST_TIMES)
}

/// Between which values nothing is unusual.
#[derive(Clone, Copy, Debug)]
struct Limits {
    low: f64,
    high: f64,
    usual: Usual,
}

impl Limits {
    fn of(values: &Values, independent: f64, hour: Option<(u8, usize)>) -> Limits {
        let times = times_further(independent);
        let median = values.quantile(0.5);
        let (hour_of_week, weeks) = hour.unzip();
        Limits {
            low: median - times * (median - values.least),
            high: median + times * (values.most - median),
            usual: Usual {
                least: values.least,
                p05: values.quantile(0.05),
                p50: median,
                p95: values.quantile(0.95),
                most: values.most,
                hour_of_week,
                weeks,
            },
        }
    }

    fn is_beyond(&self, mean: f64, is_up: bool) -> bool {
        if is_up { mean > self.high } else { mean < self.low }
    }
}

/// Consecutive blocks beyond the limits, all to one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beyond {
    pub(super) first: Block,
    pub(super) last: Block,
    pub(super) is_up: bool,
    sum: f64,
    pub(super) count: u32,
    /// Furthest from the median.
    pub(super) extreme: f64,
    pub(super) usual: Usual,
}

/// A series that the baseline has.
#[derive(Debug)]
pub(super) struct Judged {
    limits: Option<Limits>,
    hours: BTreeMap<u8, Limits>,
    pub(super) unit: &'static str,
    /// From one sample to the next, in blocks.
    step: i64,
    open: Option<Beyond>,
    pub(super) found: Option<Beyond>,
}

impl Judged {
    /// `weeks`: in how many weeks each hour of the week is known of the machine.
    pub(super) fn new(held: &Held, weeks: &[usize], unit: &'static str) -> Judged {
        let independent = held.spread.independent();
        let limits = (independent >= LEAST_VALUES).then(|| Limits::of(&held.all, independent, None));
        let of_hour = |(hour, values): (&u8, &Values)| {
            let weeks = weeks.get(usize::from(*hour)).copied().unwrap_or(0);
            let share = values.sketch.count() as f64 / held.all.sketch.count().max(1) as f64;
            // One hour of different weeks is independent, whatever the neighbours are.
            let of_hour = (independent * share).max(weeks as f64);
            (weeks >= LEAST_WEEKS).then(|| (*hour, Limits::of(values, of_hour, Some((*hour, weeks)))))
        };
        let hours = held.hours.iter().filter_map(of_hour).collect();
        Judged { limits, hours, unit, step: 1, open: None, found: None }
    }

    /// Of a capture whose samples are so many blocks apart.
    pub(super) fn with_step(self, step: i64) -> Judged {
        Judged { step, ..self }
    }

    /// Whether enough is known to judge it.
    pub(super) fn is_known(&self) -> bool {
        self.limits.is_some() || !self.hours.is_empty()
    }

    pub(super) fn add(&mut self, block: Block, mean: f64, counter: &str) {
        let of_hour = self.hours.get(&block.hour());
        let both = || self.limits.iter().chain(of_hour);
        let beyond =
            |is_up: bool| both().find(|limits| limits.is_beyond(mean, is_up)).map(|found| (found, is_up));
        let found = beyond(true).or_else(|| beyond(false));
        let Some((limits, is_up)) = found else { return self.close(counter) };
        let usual = limits.usual;
        match &mut self.open {
            Some(open) if block.number - open.last.number <= self.step && open.is_up == is_up => {
                open.last = block;
                open.sum += mean;
                open.count += 1;
                if (mean > open.extreme) == is_up {
                    (open.extreme, open.usual) = (mean, usual);
                }
            }
            _ => {
                self.close(counter);
                self.open = Some(Beyond {
                    first: block,
                    last: block,
                    is_up,
                    sum: mean,
                    count: 1,
                    extreme: mean,
                    usual,
                });
            }
        }
    }

    pub(super) fn close(&mut self, counter: &str) {
        let Some(open) = self.open.take() else { return };
        let size = |beyond: &Beyond| beyond.size(self.unit, counter);
        if self.found.as_ref().is_none_or(|found| size(found) < size(&open)) {
            self.found = Some(open);
        }
    }
}

impl Beyond {
    pub(super) fn mean(&self) -> f64 {
        self.sum / f64::from(self.count)
    }

    /// From 0 to 1: how large for people it is, compared with the furthest value known.
    pub(super) fn size(&self, unit: &str, counter: &str) -> f64 {
        let furthest = if self.is_up { self.usual.most } else { self.usual.least };
        importance::size(furthest, self.mean(), 0.0, unit, counter)
    }
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;
    use crate::baseline::known::KnownBlocks;
    use crate::noise::noise;

    const TUESDAY_14: i64 = (24 + 14) * 12;

    fn block(number: i64) -> Block {
        Block { number, begin: Timestamp(number * 300 * Timestamp::TICKS_PER_SECOND) }
    }

    /// The values of the blocks of whole weeks.
    fn held(weeks: i64, value: impl Fn(i64) -> f64) -> (Held, KnownBlocks) {
        let (mut held, mut covered) = (Held::default(), KnownBlocks::default());
        let mut random = noise(2);
        for number in 0..weeks * 168 * 12 {
            held.push(block(number), value(number) + random());
            covered.add(number);
        }
        (held, covered)
    }

    fn judge((held, covered): &(Held, KnownBlocks), values: &[f64], first: i64) -> Option<Beyond> {
        let mut judged = Judged::new(held, &covered.weeks(), "");
        for (at, value) in values.iter().enumerate() {
            judged.add(block(first + at as i64), *value, "Things");
        }
        judged.close("Things");
        judged.found
    }

    #[test]
    fn the_furthest_of_few_isn_t_far() {
        assert!((times_further(10.0) - 3.67).abs() < 0.1, "{}", times_further(10.0));
        assert!((times_further(1e9) - LEAST_TIMES).abs() < 1e-9 && times_further(0.5).is_finite());
    }

    #[test]
    fn what_is_far_beyond_everything_known_is_unusual() {
        let known = held(1, |_| 50.0);
        let found = judge(&known, &[50.0, 51.0, 90.0, 95.0, 80.0, 50.0], TUESDAY_14).expect("it is far away");
        assert_eq!((found.first.number, found.count, found.is_up), (TUESDAY_14 + 2, 3, true));
        assert!((found.mean() - 265.0 / 3.0).abs() < 1e-9 && (found.extreme - 95.0).abs() < 1e-9);
        assert!(found.usual.hour_of_week.is_none() && (found.usual.p50 - 50.0).abs() < 1.0);
        let found = judge(&known, &[50.0, 10.0], TUESDAY_14).expect("it is far away");
        assert!(!found.is_up && found.count == 1);
        assert!(judge(&known, &[50.0, 53.5, 46.5, 50.0], TUESDAY_14).is_none());
    }

    #[test]
    fn an_hour_of_the_week_has_its_own_judgement() {
        // Loaded on Tuesdays from 14:00 to 15:00, and idle otherwise.
        let is_loaded = |number: i64| (number / 12) % 168 == TUESDAY_14 / 12;
        let known = held(4, |number| if is_loaded(number) { 500.0 } else { 50.0 });
        assert!(judge(&known, &[500.0; 6], TUESDAY_14).is_none());
        let found = judge(&known, &[500.0; 6], TUESDAY_14 + 24).expect("not at this hour");
        assert_eq!((found.usual.hour_of_week, found.usual.weeks), (Some(40), Some(4)));
        // In two weeks there is no hour of the week.
        let known = held(2, |number| if is_loaded(number) { 500.0 } else { 50.0 });
        assert!(judge(&known, &[500.0; 6], TUESDAY_14 + 24).is_none());
    }

    #[test]
    fn quiet_days_are_quiet() {
        let mut num_found = 0;
        for series in 0..400 {
            let mut random = noise(100 + series);
            let mut value = 0.0;
            // Correlated, and skewed as latencies are.
            let mut next = || {
                value = 0.7 * value + random();
                10.0 * (0.3_f64 * value).exp()
            };
            let (mut held, mut covered) = (Held::default(), KnownBlocks::default());
            for number in 0..3 * 288 {
                held.push(block(number), next());
                covered.add(number);
            }
            let mut judged = Judged::new(&held, &covered.weeks(), "");
            for number in 3 * 288..4 * 288 {
                judged.add(block(number), next(), "Things");
            }
            judged.close("Things");
            num_found += usize::from(judged.found.is_some());
        }
        assert!(num_found <= 8, "{num_found} of 400 quiet days");
    }

    #[test]
    fn little_is_no_judgement() {
        let (mut held, mut covered) = (Held::default(), KnownBlocks::default());
        for number in 0..9 {
            held.push(block(number), 5.0);
            covered.add(number);
        }
        assert!(!Judged::new(&held, &covered.weeks(), "").is_known());
    }
}
