//! Ticks per second of the clocks.

use std::ops::Range;

use recount_model::{Recipe, Run, Timer, Timestamp};

use crate::operand;
use crate::wrap::Wrap;

/// Ticks per second; 0 if unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Frequency<'a> {
    Fixed(u64),
    PerSample(&'a [u64]),
    /// Raw values of a counter.
    PerCell(&'a [u64], Wrap),
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
    ///
    /// A frequency counter takes precedence over the time base in the definition, and that over the clocks of
    /// the samples.
    pub(crate) fn needed(&self, run: &'a Run, counter: usize, recipe: Recipe) -> Frequency<'a> {
        if !recipe.formula.needs_frequency() {
            return Frequency::Fixed(1);
        }
        if let Some(linked) = run.columns.get(counter).and_then(|column| column.frequency) {
            return operand::frequency(run, linked)
                .map_or(Frequency::Fixed(0), |(cells, wrap)| Frequency::PerCell(cells, wrap));
        }
        let time_base = run.object.counters.get(counter).and_then(|def| def.time_base);
        match (time_base, recipe.clock) {
            (Some(time_base), _) => Frequency::Fixed(time_base),
            (None, Some(Timer::Tick)) => self.perf,
            (None, Some(Timer::HundredNs)) => Frequency::Fixed(Timestamp::TICKS_PER_SECOND as u64),
            (None, Some(Timer::Object)) => self.object,
            (None, None) => Frequency::Fixed(0),
        }
    }
}

impl<'a> Frequency<'a> {
    /// A frequency rarely changes, so this is checked once per run, not once per counter.
    fn new(all: &'a [u64], num_samples: usize) -> Frequency<'a> {
        match all.first() {
            None => Frequency::Fixed(0),
            Some(first) => {
                // No early exit, so that the loop vectorises.
                let differs = all.iter().fold(0, |any, frequency| any | (frequency ^ first)) != 0;
                let is_steady = !differs && all.len() >= num_samples;
                if is_steady { Frequency::Fixed(*first) } else { Frequency::PerSample(all) }
            }
        }
    }

    /// Cuts the cells of a range of samples into stretches with one frequency each. If `singly`, a stretch
    /// ends with its sample.
    pub(crate) fn stretches(
        self,
        samples: Range<usize>,
        num_instances: usize,
        singly: bool,
    ) -> impl Iterator<Item = (Range<usize>, u64)> + use<'a> {
        let n = num_instances;
        let (mut at, end) = (samples.start * n, samples.end * n);
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let start = at;
                let sample = start / n;
                let limit = if singly { (sample + 1) * n } else { end };
                let frequency;
                (frequency, at) = match self {
                    Frequency::Fixed(fixed) => (fixed, limit),
                    Frequency::PerSample(all) => {
                        let of = |sample: usize| all.get(sample).copied().unwrap_or(0);
                        let next = (sample + 1..limit / n).find(|next| of(*next) != of(sample));
                        (of(sample), next.map_or(limit, |next| next * n))
                    }
                    Frequency::PerCell(cells, wrap) => {
                        let of = |cell: &u64| wrap.value(*cell);
                        let first = of(&cells[start]);
                        let len = cells[start..limit].iter().position(|cell| of(cell) != first);
                        (first, len.map_or(limit, |len| start + len))
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

    fn cut(
        frequency: Frequency<'_>,
        samples: Range<usize>,
        n: usize,
        singly: bool,
    ) -> Vec<(Range<usize>, u64)> {
        frequency.stretches(samples, n, singly).collect()
    }

    #[test]
    fn frequencies_are_cut_where_they_change() {
        let all = [vec![7; 600], vec![9; 3], vec![0]].concat();
        let whole = |end| cut(Frequency::new(&all, end), 1..end, 1, false);
        assert_eq!(whole(604), [(1..600, 7), (600..603, 9), (603..604, 0)]);
        assert_eq!(whole(610)[2], (603..610, 0), "missing");
        assert_eq!(cut(Frequency::new(&all, 3), 1..3, 1, true), [(1..2, 7), (2..3, 7)]);
        assert_eq!(cut(Frequency::new(&all, 604), 599..601, 2, false), [(1198..1200, 7), (1200..1202, 9)]);
        assert_eq!(cut(Frequency::new(&all, 604), 0..604, 0, false), []);
    }

    #[test]
    fn frequencies_of_counters_are_cut_within_samples() {
        let cells = [5, 5, 5, 5, 1 << 32 | 5, 6];
        let large = Frequency::PerCell(&cells, Wrap::LARGE);
        assert_eq!(cut(large, 0..3, 2, false), [(0..4, 5), (4..5, 1 << 32 | 5), (5..6, 6)]);
        assert_eq!(cut(large, 0..2, 2, true), [(0..2, 5), (2..4, 5)]);
        let small = Frequency::PerCell(&cells, Wrap::DWORD);
        assert_eq!(cut(small, 1..3, 2, false), [(2..5, 5), (5..6, 6)]);
    }

    #[test]
    fn steady_frequencies_are_known_as_such() {
        assert_eq!(Frequency::new(&[4, 4], 2), Frequency::Fixed(4));
        assert_eq!(Frequency::new(&[4, 4], 3), Frequency::PerSample(&[4, 4]), "one is missing");
        assert_eq!(Frequency::new(&[4, 5], 2), Frequency::PerSample(&[4, 5]));
        assert_eq!(Frequency::new(&[], 2), Frequency::Fixed(0));
    }
}
