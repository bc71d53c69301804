//! What a rule found in a series.

use recount_compute::Covered;
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

impl Span {
    /// Its time. A moment is as long as a tick, so that it is within what begins or ends with it.
    pub(super) fn stretch(&self) -> (Timestamp, Timestamp) {
        (self.begin, Timestamp(self.end.0.saturating_add(1)))
    }
}

/// A stretch isn't reported again if a stronger rule has reported this share of it.
const LEAST_REPORTED: f64 = 0.5;

/// Whether stronger rules have reported most of a time.
pub(super) fn is_reported(time: &Covered, reported: &Covered) -> bool {
    time.share_in(reported) >= LEAST_REPORTED
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
    /// The time of all spans.
    pub(super) time: Covered,
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
