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

/// How long spans are together, from begin to end.
pub(super) fn length_s(spans: &[Span]) -> f64 {
    spans.iter().map(|span| span.end.seconds_since(span.begin)).sum()
}

/// For how long spans overlap.
pub(super) fn common_s(one: &[Span], other: &[Span]) -> f64 {
    let overlap =
        |one: &Span, other: &Span| one.end.min(other.end).seconds_since(one.begin.max(other.begin)).max(0.0);
    one.iter().map(|span| other.iter().map(|other| overlap(span, other)).sum::<f64>()).sum()
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
