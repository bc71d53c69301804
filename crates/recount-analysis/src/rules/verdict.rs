//! What a rule found in a series.

use recount_model::Timestamp;
use serde::{Serialize, Serializer};

use super::cell::Figure;

/// A stretch of time in which a condition held.
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

/// If another rule says as much of this share of its time, a stretch isn't told again.
const LEAST_TOLD: f64 = 0.5;

/// Whether most of the time of spans is within others, in which more was told.
pub(super) fn is_told(spans: &[Span], told: &[Span]) -> bool {
    share_within(spans, told) >= LEAST_TOLD
}

/// Spans of several findings in order, those that overlap as one.
pub(super) fn joined<'s>(spans: impl Iterator<Item = &'s Span>) -> Vec<Span> {
    let mut all: Vec<Span> = spans.copied().collect();
    all.sort_by_key(|span| span.begin);
    let mut joined: Vec<Span> = Vec::new();
    for span in all {
        match joined.last_mut().filter(|last| span.begin <= last.end) {
            Some(last) => last.end = last.end.max(span.end),
            None => joined.push(span),
        }
    }
    joined
}

/// The share of the time of spans that is within others; of moments, how many are. Both are in order, and none of their spans overlap.
pub(super) fn share_within(spans: &[Span], others: &[Span]) -> f64 {
    let length_s = |span: &Span| span.end.seconds_since(span.begin);
    let whole_s: f64 = spans.iter().map(length_s).sum();
    let (mut within_s, mut num_within, mut first) = (0.0, 0, 0);
    for span in spans {
        first += others[first..].iter().take_while(|other| other.end < span.begin).count();
        let near = others[first..].iter().take_while(|other| other.begin <= span.end);
        let common = |other: &Span| other.end.min(span.end).seconds_since(other.begin.max(span.begin));
        within_s += near.clone().map(common).sum::<f64>();
        num_within += usize::from(near.count() > 0);
    }
    if whole_s > 0.0 { within_s / whole_s } else { num_within as f64 / spans.len().max(1) as f64 }
}

/// UTC, as RFC 3339.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
fn as_text<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

/// What fired.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verdict {
    /// The value that was compared: for [`Aggregate::Any`] the mean of the worst span.
    pub(super) value: f64,
    /// The worst span; for aggregates over the whole time, the span that was judged.
    pub(super) worst: Span,
    /// In order of their begin: the longest ones, and the worst.
    pub(super) spans: Vec<Span>,
    pub(super) num_spans: u64,
    /// From the begin of the first span to the end of the last.
    pub(super) within: (Timestamp, Timestamp),
    /// Whether the only span is shorter than `for`, but as long as the capture.
    pub(super) is_whole: bool,
    /// Over all spans.
    pub(super) total_s: f64,
    pub(super) mean: f64,
    pub(super) peak: f64,
    /// For trends and steps: the first and the last value, or the lowest and the highest level.
    pub(super) ends: (f64, f64),
    /// Of steps, how many go up.
    pub(super) num_up: u64,
    /// Per quantity shown: its mean over the worst span, and its extremes over all spans.
    pub(super) shown: Vec<Figure>,
}
