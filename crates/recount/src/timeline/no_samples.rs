//! Why there are no samples in a span of time.

use crate::timeline::inputs::moments;
use crate::{Hint, Timeline};

/// There are no samples in a span.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSamples {
    /// The captures have no samples at all.
    #[error("{name}: there are no samples")]
    None {
        /// The captures.
        name: String,
    },
    /// The span ends before it begins.
    #[error("the requested time range ends before it begins")]
    Reversed,
    /// All samples are outside the span.
    #[error("{} in the requested time range: {}", match num_all {
        1 => "the only sample isn't".to_owned(),
        _ => format!("none of the {num_all} samples is"),
    }, if first == last { format!("it is from {first}") } else { format!("they are from {first} to {last}") })]
    Outside {
        /// Samples of all captures.
        num_all: usize,
        /// The first of them, as [`Timeline::stated`] has it.
        first: String,
        /// The last of them.
        last: String,
    },
    /// The span is between two samples.
    #[error(
        "none of the {num_all} samples is in the requested time range: they were taken until {before}, and again from {after}"
    )]
    Between {
        /// Samples of all captures.
        num_all: usize,
        /// The last one before the span, as [`Timeline::stated`] has it.
        before: String,
        /// The first one after it.
        after: String,
    },
}

impl Hint for NoSamples {
    fn hint(&self) -> Option<&'static str> {
        match self {
            NoSamples::Outside { .. } | NoSamples::Between { .. } => {
                Some("recount info FILE shows the span of a capture, in UTC and local time")
            }
            NoSamples::None { .. } => {
                Some("recount info FILE says what was found, and what could not be read")
            }
            NoSamples::Reversed => {
                Some("name the earlier time first; recount info FILE shows the span of a capture")
            }
        }
    }
}

impl NoSamples {
    /// Why a time line has no sample.
    pub(crate) fn of(timeline: &Timeline) -> NoSamples {
        let times =
            || timeline.captures().iter().flat_map(|capture| capture.source.times()).map(|time| time.utc);
        let (Some(first), Some(last)) = (times().min(), times().max()) else {
            return NoSamples::None { name: timeline.name() };
        };
        let num_all = times().count();
        if let [Some(begin), Some(end)] = moments(timeline.captures(), timeline.span()) {
            // Both ends may be times that the clock skipped: then the end is the sample before that, and the begin the one after it.
            let is_of_sample = begin.is_of_sample() || end.is_of_sample();
            let (begin, end) = (begin.utc, end.utc);
            let is_between = is_of_sample && !times().any(|time| end < time && time < begin);
            if begin > end && !is_between {
                return NoSamples::Reversed;
            }
            let (before, after) = if begin > end {
                (times().filter(|time| *time <= end).max(), times().filter(|time| *time >= begin).min())
            } else {
                (times().filter(|time| *time < begin).max(), times().filter(|time| *time > end).min())
            };
            let is_empty = !times().any(|time| begin <= time && time <= end);
            if let (Some(before), Some(after), true) = (before, after, is_empty) {
                let (before, after) = (timeline.stated(before), timeline.stated(after));
                return NoSamples::Between { num_all, before, after };
            }
        }
        NoSamples::Outside { num_all, first: timeline.stated(first), last: timeline.stated(last) }
    }
}
