//! Why there are no samples in a span of time.

use crate::timeline::inputs::moments;
use crate::{Hint, Timeline};

/// There are no samples in a span.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSamples {
    /// The captures have no samples at all.
    #[error("there are no samples")]
    None,
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
        /// The first of them: UTC, or local time without `Z` if the zone is unknown.
        first: String,
        /// The last of them.
        last: String,
    },
}

impl Hint for NoSamples {
    fn hint(&self) -> Option<&'static str> {
        matches!(self, NoSamples::Outside { .. })
            .then_some("recount info FILE shows the span of a capture, in UTC and local time")
    }
}

impl NoSamples {
    /// Why a time line has no sample.
    pub(crate) fn of(timeline: &Timeline) -> NoSamples {
        let times =
            || timeline.captures().iter().flat_map(|capture| capture.source.times()).map(|time| time.utc);
        let (Some(first), Some(last)) = (times().min(), times().max()) else { return NoSamples::None };
        if let (Some(begin), Some(end)) = moments(timeline.captures(), timeline.span())
            && begin > end
        {
            return NoSamples::Reversed;
        }
        let (num_all, first, last) = (times().count(), timeline.stated(first), timeline.stated(last));
        NoSamples::Outside { num_all, first, last }
    }
}
