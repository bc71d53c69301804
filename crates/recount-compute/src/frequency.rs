//! Ticks per second of the clocks.

use std::ops::Range;

use recount_model::{CounterDef, Recipe, Run, Timer, Timestamp};

/// Ticks per second; 0 where unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Frequency<'a> {
    Fixed(u64),
    PerSample(&'a [u64]),
}

/// The frequencies of a run's clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frequencies<'a> {
    perf: Frequency<'a>,
    object: Frequency<'a>,
}

impl<'a> Frequencies<'a> {
    pub(crate) fn of(run: &'a Run) -> Frequencies<'a> {
        let num_samples = run.num_samples();
        let clocks = &run.clocks;
        Frequencies {
            perf: Frequency::new(&clocks.perf_freq, num_samples),
            object: Frequency::new(&clocks.object_freq, num_samples),
        }
    }

    /// The frequency that a counter's formula needs; 1 if it needs none.
    pub(crate) fn needed(&self, def: &CounterDef, recipe: Recipe) -> Frequency<'a> {
        if !recipe.formula.needs_frequency() {
            return Frequency::Fixed(1);
        }
        match (def.time_base, recipe.clock) {
            (Some(time_base), _) => Frequency::Fixed(time_base),
            (None, Some(Timer::Tick)) => self.perf,
            (None, Some(Timer::HundredNs)) => Frequency::Fixed(Timestamp::TICKS_PER_SECOND as u64),
            (None, Some(Timer::Object)) => self.object,
            (None, None) => Frequency::Fixed(0),
        }
    }
}

impl<'a> Frequency<'a> {
    /// A frequency hardly ever changes, so that is found out once per run, not by each of its counters.
    fn new(all: &'a [u64], num_samples: usize) -> Frequency<'a> {
        match all.first() {
            None => Frequency::Fixed(0),
            Some(first) => {
                // All of them, without an early exit: a loop that vectorises.
                let differs = all.iter().fold(0, |any, frequency| any | (frequency ^ first)) != 0;
                let is_steady = !differs && all.len() >= num_samples;
                if is_steady { Frequency::Fixed(*first) } else { Frequency::PerSample(all) }
            }
        }
    }

    pub(crate) fn at(self, sample: usize) -> u64 {
        match self {
            Frequency::Fixed(frequency) => frequency,
            Frequency::PerSample(all) => all.get(sample).copied().unwrap_or(0),
        }
    }

    /// Cuts a range of samples into stretches of one frequency, each with it. If `singly`, into single samples.
    pub(crate) fn stretches(
        self,
        samples: Range<usize>,
        singly: bool,
    ) -> impl Iterator<Item = (Range<usize>, u64)> + use<'a> {
        let mut at = samples.start;
        std::iter::from_fn(move || {
            (at < samples.end).then(|| {
                let (start, frequency) = (at, self.at(at));
                at = match self {
                    _ if singly => start + 1,
                    Frequency::Fixed(_) => samples.end,
                    Frequency::PerSample(_) => {
                        (start + 1..samples.end).find(|s| self.at(*s) != frequency).unwrap_or(samples.end)
                    }
                };
                (start..at, frequency)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_are_cut_where_they_change() {
        let all = [vec![7; 600], vec![9; 3], vec![0]].concat();
        let cut = |end, singly| Frequency::new(&all, end).stretches(1..end, singly).collect::<Vec<_>>();
        assert_eq!(cut(604, false), [(1..600, 7), (600..603, 9), (603..604, 0)]);
        assert_eq!(cut(610, false)[2], (603..610, 0));
        assert_eq!(cut(3, true), [(1..2, 7), (2..3, 7)]);
    }

    #[test]
    fn steady_frequencies_are_known_as_such() {
        assert_eq!(Frequency::new(&[4, 4], 2), Frequency::Fixed(4));
        assert_eq!(Frequency::new(&[4, 4], 3).at(2), 0, "missing");
        assert_eq!(Frequency::new(&[4, 5], 2), Frequency::PerSample(&[4, 5]));
        assert_eq!(Frequency::new(&[], 2), Frequency::Fixed(0));
    }
}
