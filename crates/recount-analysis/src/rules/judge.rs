//! Evaluates a rule for one series, incrementally.

use recount_model::Timestamp;
use serde::{Serialize, Serializer};

use super::rule::{Aggregate, Rule};
use crate::stats::{Line, Moments, Ranked};

/// A stretch of time in which every interval was beyond the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Begin of its first interval.
    #[serde(serialize_with = "as_text")]
    pub begin: Timestamp,
    /// End of its last.
    #[serde(serialize_with = "as_text")]
    pub end: Timestamp,
    /// Total length of its intervals, in seconds.
    pub seconds: f64,
    /// Mean of its values over time.
    pub mean: f64,
    /// Its value furthest beyond the threshold.
    pub peak: f64,
}

/// UTC, as RFC 3339.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
fn as_text<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

/// How many spans are kept per series: the longest ones.
const MAX_SPANS: usize = 100;

/// Values of a series at the times of a batch.
pub(super) struct Stretch<'a> {
    pub(super) times: &'a [Timestamp],
    /// Length of the interval that ends at each time, in seconds; NaN if unknown.
    pub(super) intervals: &'a [f64],
    /// NaN if there is no value.
    pub(super) values: &'a [f64],
    /// The origin of times.
    pub(super) origin: Timestamp,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    moments: Moments,
    ranked: Option<Ranked>,
    open: Option<Open>,
    spans: Vec<Span>,
    num_spans: u64,
    holds_s: f64,
    first: Option<Timestamp>,
    last: Timestamp,
}

/// What fired.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verdict {
    /// The value that was compared: for [`Aggregate::Any`] the mean of the longest span.
    pub(super) value: f64,
    /// In order of their begin. For aggregates over the whole time, the span that was judged.
    pub(super) spans: Vec<Span>,
    pub(super) num_spans: u64,
    pub(super) line: Option<Line>,
}

/// A span that hasn't ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    span: Span,
    weighted: f64,
    sum: f64,
    count: u64,
}

impl Judge {
    pub(super) fn new(rule: &Rule) -> Judge {
        let ranked = matches!(rule.aggregate, Aggregate::Percentile(_)).then(Ranked::default);
        Judge { ranked, ..Judge::default() }
    }

    pub(super) fn feed(&mut self, rule: &Rule, stretch: &Stretch<'_>) {
        let mut block = Moments::default();
        let cells = || stretch.times.iter().zip(stretch.intervals).zip(stretch.values);
        for ((time, interval), value) in cells() {
            if value.is_nan() {
                self.close(rule);
                continue;
            }
            let interval = if interval.is_nan() { 0.0 } else { *interval };
            block.count(*value, time.seconds_since(stretch.origin), interval);
            if let Some(ranked) = &mut self.ranked {
                ranked.push(*value);
            }
            let begin =
                Timestamp(time.0.saturating_sub((interval * Timestamp::TICKS_PER_SECOND as f64) as i64));
            self.first.get_or_insert(begin);
            self.last = *time;
            if rule.threshold.holds(*value) {
                self.holds_s += interval;
                self.extend(rule, begin, *time, interval, *value);
            } else {
                self.close(rule);
            }
        }
        block.centre();
        for ((time, _), value) in cells().filter(|(_, value)| !value.is_nan()) {
            block.spread(*value, time.seconds_since(stretch.origin));
        }
        self.moments.join(&block);
    }

    /// The series is missing for a while.
    pub(super) fn interrupt(&mut self, rule: &Rule) {
        self.close(rule);
    }

    fn extend(&mut self, rule: &Rule, begin: Timestamp, end: Timestamp, interval: f64, value: f64) {
        let open = self.open.get_or_insert(Open {
            span: Span { begin, end, seconds: 0.0, mean: 0.0, peak: value },
            weighted: 0.0,
            sum: 0.0,
            count: 0,
        });
        open.span.end = end;
        open.span.seconds += interval;
        open.weighted += value * interval;
        open.sum += value;
        open.count += 1;
        let peak = open.span.peak;
        open.span.peak = if rule.threshold.is_upper() { peak.max(value) } else { peak.min(value) };
    }

    fn close(&mut self, rule: &Rule) {
        let Some(Open { mut span, weighted, sum, count }) = self.open.take() else { return };
        if matches!(rule.aggregate, Aggregate::Any) && !rule.is_covered(span.seconds) {
            return;
        }
        span.mean = if span.seconds > 0.0 { weighted / span.seconds } else { sum / count as f64 };
        self.num_spans += 1;
        self.spans.push(span);
        if self.spans.len() > 2 * MAX_SPANS {
            self.keep_longest();
        }
    }

    fn keep_longest(&mut self) {
        self.spans.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        self.spans.truncate(MAX_SPANS);
    }

    /// How long its values cover, in seconds.
    pub(super) fn observed_s(&self) -> f64 {
        let between = self.first.map_or(0.0, |first| self.last.seconds_since(first));
        self.moments.seconds().max(between)
    }

    /// Whether the rule fires.
    pub(super) fn verdict(mut self, rule: &Rule) -> Option<Verdict> {
        self.close(rule);
        if self.num_spans as usize > self.spans.len() || self.spans.len() > MAX_SPANS {
            self.keep_longest();
        }
        self.spans.sort_by_key(|span| span.begin);
        if matches!(rule.aggregate, Aggregate::Any) {
            let longest = self.spans.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
            return Some(Verdict {
                value: longest.mean,
                num_spans: self.num_spans,
                spans: self.spans,
                line: None,
            });
        }
        let (first, last) = (self.first?, self.last);
        let seconds = self.moments.seconds();
        let observed = self.observed_s();
        if !rule.is_covered(observed) {
            return None;
        }
        let line = self.moments.line();
        let value = match &rule.aggregate {
            Aggregate::Any => return None,
            Aggregate::Mean => self.moments.mean()?,
            Aggregate::Min => self.moments.min,
            Aggregate::Max => self.moments.max,
            Aggregate::Percentile(share) => self.ranked.take()?.quantiles([*share])[0]?,
            Aggregate::Trend { min_rise, min_fit } => {
                let is_enough = self.moments.count >= 3 && self.moments.min < self.moments.max;
                let line = line.filter(|_| is_enough)?;
                let rise = (line.slope * last.seconds_since(first)).abs();
                if rise < *min_rise || line.fit < *min_fit {
                    return None;
                }
                line.slope * SECONDS_PER_HOUR
            }
            Aggregate::Share(limit) => {
                let share = if seconds > 0.0 { 100.0 * self.holds_s / seconds } else { return None };
                let (spans, num_spans) = (self.spans, self.num_spans);
                return limit.holds(share).then_some(Verdict { value: share, spans, num_spans, line: None });
            }
        };
        let peak = if rule.threshold.is_upper() { self.moments.max } else { self.moments.min };
        let mean = self.moments.mean()?;
        let whole = Span { begin: first, end: last, seconds: observed, mean, peak };
        rule.threshold.holds(value).then(|| Verdict { value, spans: vec![whole], num_spans: 1, line })
    }
}

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
            judge.feed(rule, &Stretch { times, intervals: &intervals, values, origin: Timestamp(0) });
        }
        judge.verdict(rule)
    }

    #[test]
    fn a_condition_has_to_last() {
        let rule = rule("threshold = \"> 90\"\nfor = \"3s\"\n");
        let nan = f64::NAN;
        for piece in [1, 2, 100] {
            assert_eq!(judged(&rule, &[99.0, 99.0, 0.0, 99.0, nan, 99.0, 99.0, 50.0], piece), None);
            let found =
                judged(&rule, &[0.0, 95.0, 99.0, 100.0, 0.0, 99.0, 91.0, 92.0, 93.0], piece).expect("fires");
            assert_eq!(found.num_spans, 2);
            let span = &found.spans[0];
            assert_eq!((span.seconds, span.mean, span.peak), (3.0, 98.0, 100.0));
            assert_eq!(found.spans[1].begin, Timestamp(4 * Timestamp::TICKS_PER_SECOND));
            assert!((found.value - found.spans[1].mean).abs() < 1e-12);
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
}
