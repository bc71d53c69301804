//! Evaluates a rule for one series, incrementally.

use recount_compute::Covered;
use recount_model::Timestamp;

use super::cell::{Cell, Figure};
use super::level::Levels;
use super::rule::{Aggregate, Rule};
use super::spell::Spells;
use super::verdict::{Span, Verdict, is_reported};
use super::whole::Whole;
use super::window::{Window, Windowed};
use crate::stats::{Moments, Ranked};

/// Values of a series at the times of a batch.
pub(super) struct JudgedStretch<'a> {
    pub(super) times: &'a [Timestamp],
    /// Length of the interval that ends at each time, in seconds; NaN if unknown, infinite if it is a gap.
    pub(super) intervals: &'a [f64],
    /// How much each value counts in a mean, in seconds; NaN if there is no value.
    pub(super) weights: &'a [f64],
    /// NaN if there is no value.
    pub(super) values: &'a [f64],
    /// Per quantity that the finding shows, its values; NaN if there is none.
    pub(super) shown: &'a [&'a [f64]],
    /// The origin of times.
    pub(super) origin: Timestamp,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    moments: Moments,
    ranked: Option<Ranked>,
    spells: Spells,
    window: Option<Box<Window>>,
    throughout: Option<Box<Whole>>,
    levels: Option<Box<Levels>>,
    /// Quantities shown, over the whole time.
    whole: Vec<Figure>,
    first: Option<(Timestamp, f64)>,
    last: (Timestamp, f64),
    /// Time that was sampled in which there was a value, in seconds.
    sampled_s: f64,
    /// Time since the last value in which a value was missing, in seconds.
    missing_s: f64,
}

/// A time without a value interrupts what goes on if it is longer, in intervals of the next value: from one value to the next it is then longer
/// than two and a half, as a gap is.
const MOST_MISSING: f64 = 1.5;

impl Judge {
    pub(super) fn new(rule: &Rule) -> Judge {
        let ranked = matches!(rule.aggregate, Aggregate::Percentile(_)).then(Ranked::default);
        let levels = match &rule.aggregate {
            Aggregate::Steps { .. } => Some(Box::new(Levels::new(rule.threshold.number, rule.least_s))),
            _ => None,
        };
        let window = (rule.window_s > 0.0).then(|| Box::new(Window::new(rule.window_s)));
        let throughout = Whole::of(rule).map(Box::new);
        Judge { ranked, window, throughout, levels, ..Judge::default() }
    }

    pub(super) fn feed(&mut self, rule: &Rule, stretch: &JudgedStretch<'_>) {
        let mut block = Moments::default();
        let cells = || stretch.times.iter().zip(stretch.intervals).zip(stretch.values).enumerate();
        for (at, ((time, interval), value)) in cells() {
            if value.is_nan() {
                // A time at which nothing was sampled has no interval.
                if interval.is_infinite() || self.levels.is_some() && !interval.is_nan() {
                    self.interrupt(rule);
                } else if !interval.is_nan() {
                    self.missing_s += interval;
                }
                continue;
            }
            let is_gap = interval.is_infinite();
            let interval = if interval.is_finite() { *interval } else { 0.0 };
            let missing_s = std::mem::take(&mut self.missing_s);
            if missing_s > MOST_MISSING * interval {
                self.interrupt(rule);
            }
            let weight = stretch.weights[at].max(0.0);
            block.count(*value, time.seconds_since(stretch.origin), weight);
            if let Some(ranked) = &mut self.ranked {
                ranked.push(*value);
            }
            let begin = time.minus_seconds(interval);
            self.first.get_or_insert((begin, *value));
            self.last = (*time, *value);
            self.sampled_s += interval;
            let shown: Vec<Figure> =
                stretch.shown.iter().map(|values| Figure::of(values[at], weight)).collect();
            Figure::join_all(&mut self.whole, &shown);
            // A value across a gap is the mean of a time that nobody watched.
            if is_gap && (rule.least_s > 0.0 || self.window.is_some()) {
                self.interrupt(rule);
                continue;
            }
            let value = Figure::of(*value, weight);
            let follows = begin.minus_seconds(missing_s);
            self.see(rule, &Cell { begin, follows, end: *time, seconds: interval, value, shown });
        }
        block.centre();
        for (_, ((time, _), value)) in cells().filter(|(_, (_, value))| !value.is_nan()) {
            block.spread(*value, time.seconds_since(stretch.origin));
        }
        self.moments.join(&block);
    }

    /// What comes next doesn't continue what was before, however long its interval is.
    fn interrupt(&mut self, rule: &Rule) {
        if let Some(rest) = self.window.as_mut().and_then(|window| window.flush()) {
            self.judge_window(rule, &rest);
        }
        if let Some(levels) = &mut self.levels {
            levels.interrupt();
        }
        self.spells.interrupt(rule);
    }

    fn see(&mut self, rule: &Rule, cell: &Cell) {
        if let Some(throughout) = &mut self.throughout {
            throughout.add(rule, cell);
        }
        match &mut self.window {
            None => self.judge(rule, cell),
            Some(window) => {
                let is_any = matches!(rule.aggregate, Aggregate::Any);
                for window in window.add(cell, is_any.then(|| rule.goes_on(&cell.value))) {
                    self.judge_window(rule, &window);
                }
            }
        }
    }

    fn judge(&mut self, rule: &Rule, cell: &Cell) {
        if let Some(levels) = &mut self.levels {
            levels.add(cell);
        } else if matches!(rule.aggregate, Aggregate::Any | Aggregate::Share(_)) {
            self.spells.add(rule, cell);
        }
    }

    fn judge_window(&mut self, rule: &Rule, window: &Windowed) {
        match &rule.aggregate {
            Aggregate::Any => self.spells.add_window(rule, window),
            _ => self.judge(rule, &window.whole),
        }
    }

    /// How long its values were sampled, in seconds.
    pub(super) fn observed_s(&self) -> f64 {
        self.sampled_s
    }

    /// Whether the rule fires in a capture of so many seconds. `reported`: what the rules to which it yields have reported.
    pub(super) fn verdict(mut self, rule: &Rule, capture_s: f64, reported: &Covered) -> Option<Verdict> {
        if let Some(rest) = self.window.as_mut().and_then(|window| window.flush()) {
            self.judge_window(rule, &rest);
        }
        let found = match &rule.aggregate {
            Aggregate::Any => {
                let found = std::mem::take(&mut self.spells).verdict(rule, None, reported);
                found.or_else(|| self.throughout(rule, capture_s))
            }
            Aggregate::Share(limit) => {
                let seconds = self.sampled_s;
                let is_enough = rule.is_covered(seconds) && seconds > 0.0;
                let share = is_enough.then(|| 100.0 * self.spells.holds_s() / seconds)?;
                if limit.holds(share) {
                    self.spells.verdict(rule, Some(share), &Covered::default())
                } else {
                    None
                }
            }
            _ => self.of_whole(rule),
        };
        found.filter(|verdict| !is_reported(&verdict.time, reported))
    }

    /// In a capture that is too short for `for`: whether the condition holds from beginning to end.
    fn throughout(mut self, rule: &Rule, capture_s: f64) -> Option<Verdict> {
        let (first, last) = (self.first?, self.last);
        let throughout = self.throughout.take()?;
        if !rule.is_covered_wholly(self.sampled_s, capture_s) || !throughout.holds(rule) {
            return None;
        }
        let mean = self.moments.mean()?;
        let verdict = self.whole_verdict(rule, mean, (first.1, last.1), (first.0, last.0));
        Some(Verdict { is_whole: true, ..verdict })
    }

    /// For aggregates over the whole time.
    fn of_whole(mut self, rule: &Rule) -> Option<Verdict> {
        let (first, last) = (self.first?, self.last);
        if !rule.is_covered(self.sampled_s) {
            return None;
        }
        let mut ends = (first.1, last.1);
        let value = match &rule.aggregate {
            Aggregate::Any | Aggregate::Share(_) => return None,
            Aggregate::Mean => self.moments.mean()?,
            Aggregate::Min => self.moments.min,
            Aggregate::Max => self.moments.max,
            Aggregate::Percentile(share) => self.ranked.take()?.quantiles([*share])[0]?,
            Aggregate::Trend { .. } => self.trend(rule)?,
            Aggregate::Steps { least, both_ways } => {
                let steps = self.levels.take()?.finish();
                let is_one_way = *both_ways && !steps.go_both_ways();
                if steps.count < *least || steps.count == 0 || is_one_way {
                    return None;
                }
                ends = (steps.lowest, steps.highest);
                let verdict = self.whole_verdict(rule, steps.count as f64, ends, (first.0, last.0));
                return Some(Verdict { num_up: steps.num_up, ..verdict });
            }
        };
        rule.threshold.holds(value).then(|| self.whole_verdict(rule, value, ends, (first.0, last.0)))
    }

    fn whole_verdict(
        self,
        rule: &Rule,
        value: f64,
        ends: (f64, f64),
        (begin, end): (Timestamp, Timestamp),
    ) -> Verdict {
        let peak = if rule.threshold.is_upper() { self.moments.max } else { self.moments.min };
        let mean = self.moments.mean().unwrap_or(value);
        let seconds = match rule.aggregate {
            Aggregate::Trend { .. } | Aggregate::Steps { .. } => end.seconds_since(begin),
            _ => self.sampled_s,
        };
        let worst = Span { begin, end, seconds, mean, peak };
        Verdict {
            value,
            worst,
            spans: vec![worst],
            num_spans: 1,
            time: Covered::from_iter([worst.stretch()]),
            is_whole: false,
            total_s: seconds,
            mean,
            peak,
            ends,
            num_up: 0,
            shown: self.whole,
        }
    }

    /// The slope per hour, if it is a trend: the line and what was seen both have to rise as far.
    fn trend(&self, rule: &Rule) -> Option<f64> {
        let Aggregate::Trend { min_rise, min_fit, min_growth } = rule.aggregate else { return None };
        let (first, last) = (self.first?, self.last);
        let is_enough = self.moments.count >= LEAST_VALUES && self.moments.min < self.moments.max;
        let line = self.moments.line().filter(|_| is_enough)?;
        let by_line = line.slope * last.0.seconds_since(first.0);
        let seen = last.1 - first.1;
        let rise = if by_line * seen > 0.0 { by_line.abs().min(seen.abs()) } else { return None };
        let is_large = rise >= min_rise && rise >= min_growth * first.1.abs() && line.fit >= min_fit;
        is_large.then_some(line.slope * SECONDS_PER_HOUR)
    }
}

/// Fewer values fit a line by chance.
const LEAST_VALUES: u64 = 5;

const SECONDS_PER_HOUR: f64 = 3600.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::parse_rules;

    fn rule(lines: &str) -> Rule {
        let text = format!(
            "[set]\nname = \"x\"\ntitle = \"X\"\nversion = 1\n[[rule]]\nid = \"a\"\ntitle = \"A\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\ncounter = 'A\\x'\n{lines}"
        );
        parse_rules(&text).expect("sound").rules.remove(0)
    }

    /// One value a second, fed in pieces.
    fn judged(rule: &Rule, values: &[f64], piece: usize) -> Option<Verdict> {
        let mut judge = Judge::new(rule);
        let times: Vec<Timestamp> =
            (0..values.len()).map(|at| Timestamp(at as i64 * Timestamp::TICKS_PER_SECOND)).collect();
        for (values, times) in values.chunks(piece).zip(times.chunks(piece)) {
            let intervals = vec![1.0; values.len()];
            let origin = Timestamp(0);
            let weights = &intervals;
            judge.feed(
                rule,
                &JudgedStretch { times, intervals: &intervals, weights, values, shown: &[], origin },
            );
        }
        judge.verdict(rule, values.len() as f64, &Covered::default())
    }

    #[test]
    fn a_condition_has_to_last() {
        let rule = rule("threshold = \"> 90\"\nfor = \"3s\"\n");
        let nan = f64::NAN;
        for piece in [1, 2, 100] {
            assert_eq!(judged(&rule, &[99.0, 99.0, 0.0, 99.0, nan, nan, 99.0, 99.0, 50.0], piece), None);
            let holed = judged(&rule, &[0.0, 99.0, nan, 99.0, nan, 99.0, 0.0], piece).expect("fires");
            assert_eq!((holed.num_spans, holed.total_s, holed.spans[0].seconds), (1, 3.0, 3.0));
            let found =
                judged(&rule, &[0.0, 95.0, 99.0, 100.0, 0.0, 99.0, 91.0, 92.0, 93.0], piece).expect("fires");
            assert_eq!(found.num_spans, 2);
            let span = &found.spans[0];
            assert_eq!((span.seconds, span.mean, span.peak), (3.0, 98.0, 100.0));
            assert_eq!(found.spans[1].begin, Timestamp(4 * Timestamp::TICKS_PER_SECOND));
            // The worst leads, not the longest.
            assert_eq!((found.worst, found.value), (found.spans[0], 98.0));
            assert_eq!((found.peak, found.total_s), (100.0, 7.0));
        }
    }

    #[test]
    fn a_time_without_a_value_interrupts_unless_it_is_short() {
        let second = |at: i64| Timestamp(at * Timestamp::TICKS_PER_SECOND);
        let fires = |lines: &str, values: &[f64], (missing_s, missing): (i64, f64)| {
            let rule = rule(lines);
            let mut judge = Judge::new(&rule);
            let (times, origin) = ([10, 20, 20 + missing_s, 40 + missing_s].map(second), Timestamp(0));
            let intervals = [10.0, 10.0, missing, 20.0];
            let weights = &intervals;
            let stretch =
                JudgedStretch { times: &times, intervals: &intervals, weights, values, shown: &[], origin };
            judge.feed(&rule, &stretch);
            judge.verdict(&rule, 1000.0, &Covered::default()).is_some()
        };
        let (whole, holed) = ([70.0, 70.0, 80.0, 83.0], [70.0, 70.0, f64::NAN, 83.0]);
        for lines in [
            "threshold = \"> 60\"\nfor = \"30s\"\n",
            "threshold = \"> 60\"\nfor = \"30s\"\nwindow = \"15s\"\n",
        ] {
            assert!(fires(lines, &whole, (30, 30.0)), "{lines}");
            assert!(fires(lines, &holed, (30, 30.0)), "{lines}");
            assert!(!fires(lines, &holed, (31, 31.0)), "{lines}");
            // Nothing was sampled there, or nobody sampled.
            assert!(fires(lines, &holed, (10, f64::NAN)) && !fires(lines, &holed, (11, f64::NAN)), "{lines}");
            assert!(!fires(lines, &holed, (10, f64::INFINITY)), "{lines}");
        }
    }

    #[test]
    fn aggregates_judge_all_of_it() {
        let climbing: Vec<f64> = (0..60).map(f64::from).collect();
        let fires = |lines: &str| judged(&rule(lines), &climbing, 7).map(|verdict| verdict.value);
        assert!(
            (fires("aggregate = \"trend\"\nthreshold = \"> 59/min\"\nmin-rise = 50\nmin-fit = 0.9\n")
                .expect("fires")
                - 3600.0)
                .abs()
                < 1e-6
        );
        assert_eq!(fires("aggregate = \"trend\"\nthreshold = \"> 61/min\"\n"), None);
        assert_eq!(fires("aggregate = \"trend\"\nthreshold = \"> 59/min\"\nmin-rise = 70\n"), None);
        assert_eq!(fires("aggregate = \"mean\"\nthreshold = \"> 29\"\n"), Some(29.5));
        assert_eq!(fires("aggregate = \"mean\"\nthreshold = \"> 29\"\nfor = \"2m\"\n"), None);
        assert_eq!(fires("aggregate = \"max\"\nthreshold = \">= 59\"\n"), Some(59.0));
        assert_eq!(fires("aggregate = \"min\"\nthreshold = \"< 1\"\n"), Some(0.0));
        assert_eq!(fires("aggregate = \"p90\"\nthreshold = \"> 50\"\n"), Some(53.1));
        assert_eq!(fires("aggregate = \"share\"\nthreshold = \">= 45\"\nshare = \">= 25%\"\n"), Some(25.0));
        assert_eq!(fires("aggregate = \"share\"\nthreshold = \">= 46\"\nshare = \">= 25%\"\n"), None);
    }

    #[test]
    fn a_window_evens_out_and_keeps_the_extremes() {
        let rule = rule("threshold = \"> 85\"\nwindow = \"4s\"\nfor = \"8s\"\n");
        let noisy = [97.0, 75.0, 97.0, 75.0, 98.0, 76.0, 98.0, 76.0, 10.0, 10.0, 10.0, 10.0];
        for piece in [1, 5, 100] {
            let found = judged(&rule, &noisy, piece).expect("fires");
            assert_eq!((found.num_spans, found.total_s, found.value, found.peak), (1, 7.0, 88.0, 98.0));
        }
    }

    /// Whatever the windows, a span is of the values that are beyond.
    #[test]
    fn a_span_of_windows_begins_and_ends_with_what_is_beyond() {
        let rule = rule("threshold = \"> 65\"\nuntil = \"> 55\"\nwindow = \"5s\"\nfor = \"8s\"\n");
        for begin in 1..13 {
            let second = |at: usize| Timestamp(at as i64 * Timestamp::TICKS_PER_SECOND);
            // Something in between isn't.
            let mut values = [[10.0].repeat(begin), vec![90.0; 12], vec![10.0; 12]].concat();
            values[begin + 6] = 12.0;
            for piece in [1, 5, 100] {
                let found = judged(&rule, &values, piece).expect("fires");
                let span = (found.worst.begin, found.worst.end);
                assert_eq!(span, (second(begin - 1), second(begin + 11)), "begins at {begin}");
                assert_eq!((found.value, found.total_s), (83.5, 12.0), "begins at {begin}");
            }
            // Windows may be beyond for longer than the values are.
            let short = [[10.0].repeat(begin), vec![100.0; 5], vec![10.0; 12]].concat();
            assert_eq!(judged(&rule, &short, 4), None, "begins at {begin}");
        }
    }

    /// What is beyond in the windows before and after belongs to a span only if nothing else is in between.
    #[test]
    fn a_span_of_windows_reaches_no_further_than_what_is_beyond() {
        let rule = rule("threshold = \"> 65\"\nuntil = \"> 55\"\nwindow = \"5s\"\nfor = \"8s\"\n");
        let second = |at: i64| Timestamp(at * Timestamp::TICKS_PER_SECOND);
        let before = [[10.0; 4].as_slice(), &[90.0, 10.0], &[90.0; 9], &[10.0; 10]].concat();
        let after = [[10.0; 5].as_slice(), &[90.0; 9], &[10.0, 90.0], &[10.0; 9]].concat();
        for (values, span) in [(before, (second(5), second(14))), (after, (second(4), second(13)))] {
            let found = judged(&rule, &values, 4).expect("fires");
            assert_eq!((found.worst.begin, found.worst.end), span);
            assert_eq!((found.value, found.total_s), (90.0, 9.0));
        }
    }

    #[test]
    fn the_worst_span_is_worst_by_what_is_compared() {
        let limited =
            |limit: &str| rule(&format!("threshold = \"{limit}\"\nwindow = \"3s\"\nfor = \"6s\"\n"));
        // Nine values far beyond the limit; later six with peaks, whose windows are just beyond it.
        let high =
            [[1.0; 3].as_slice(), &[110.0; 9], &[1.0; 3], &[118.0, 118.0, 1.0, 118.0, 118.0, 1.0]].concat();
        let low: Vec<f64> = high.iter().map(|value| -value).collect();
        for (limit, values, mean, peak) in [("> 70", &high, 110.0, 118.0), ("< -70", &low, -110.0, -118.0)] {
            for piece in [1, 4, 100] {
                let found = judged(&limited(limit), values, piece).expect("fires");
                assert_eq!((found.num_spans, found.worst.seconds, found.value), (2, 9.0, mean), "{limit}");
                assert_eq!(found.peak.to_bits(), f64::to_bits(peak));
            }
        }
        // A single value after the windows says nothing.
        let after = [[1.0; 3].as_slice(), &[110.0; 9], &[1.0; 3], &[90.0; 6], &[118.0, 1.0, 1.0]].concat();
        let found = judged(&limited("> 70"), &after, 4).expect("fires");
        assert_eq!((found.worst.seconds, found.value, found.peak), (9.0, 110.0, 118.0));
        // Of equally bad ones the longer leads.
        let both = [[100.0; 6].as_slice(), &[1.0; 3], &[100.0; 3], &[90.0; 9]].concat();
        assert_eq!(
            judged(&limited("> 70"), &both, 7).expect("fires").worst.seconds.to_bits(),
            12_f64.to_bits()
        );
    }

    #[test]
    fn a_gap_is_not_observed() {
        let second = |at: i64| Timestamp(at * Timestamp::TICKS_PER_SECOND);
        let times = [1, 2, 3, 5283, 5284].map(second);
        let intervals = [1.0, 1.0, 1.0, f64::INFINITY, 1.0];
        let values = [0.0, 0.0, 0.0, 99.0, 0.0];
        let verdict = |lines: &str| {
            let rule = rule(lines);
            let mut judge = Judge::new(&rule);
            let origin = Timestamp(0);
            let (weights, shown) = (&[1.0, 1.0, 1.0, 0.0, 1.0], &[]);
            judge.feed(
                &rule,
                &JudgedStretch {
                    times: &times,
                    intervals: &intervals,
                    weights,
                    values: &values,
                    shown,
                    origin,
                },
            );
            judge.verdict(&rule, 1000.0, &Covered::default())
        };
        assert_eq!(verdict("threshold = \"> 90\"\nfor = \"30s\"\n"), None);
        assert_eq!(verdict("aggregate = \"max\"\nthreshold = \"> 90\"\nfor = \"30s\"\n"), None);
        // It happened, and nobody knows for how long.
        let found = verdict("threshold = \"> 90\"\n").expect("fires");
        assert_eq!((found.worst.seconds, found.total_s), (0.0, 0.0));
    }
}
