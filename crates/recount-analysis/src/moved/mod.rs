//! What moved: which counters changed most in a span of time, in which groups, since when, and whether it may be chance.
//!
//! Every series is reduced to at most 600 means of equal numbers of samples, in the span and in the time it is compared
//! with; one that never changes takes a few bytes. What is judged is these means.

mod answer;
mod bins;
mod bounds;
mod calm;
pub(crate) mod chance;
mod correlation;
mod earlier;
mod event;
mod groups;
pub(crate) mod importance;
mod json;
mod judge;
mod marked;
mod noted;
mod observe;
mod parts;
mod read;
mod runs;
mod shift;
mod steady;
mod stepped;
mod steps;
mod trend;
mod unsteady;
mod words;

pub use answer::{Moved, MovedCounts};
pub use bounds::{Bounds, Interval};
pub use chance::corrected;
pub use groups::{Group, Member};
pub use json::moved_json;
pub use observe::moved;
pub use words::moved_markdown;

pub(crate) use bins::{Track, Tracks};
pub(crate) use bounds::Axis;
pub(crate) use importance::says_how_much;
pub(crate) use json::local_times;
pub(crate) use marked::{MarkBefore, mark_before};
pub(crate) use read::read_tracks;

/// How the answer comes about, for readers who have to trust it.
pub const METHOD: [&str; 4] = [
    "Each counter's values before and in the span are reduced to at most 600 means of equal numbers of samples. The size of a change is \
     the distance from the median before, in units of the spread before (the larger of the scaled median deviation and the \
     scaled mean deviation), but at least the counter's resolution. A steady trend before the span is continued first. If up to three \
     stretches before, together less than a third, were far away from the rest, the spread is that of the rest.",
    "A change counts if it is unlikely by chance: by the Kolmogorov-Smirnov test, by a t-test of the means, or since it is far beyond \
     everything before. All three use the number of independent values, which the autocorrelation before the span gives; a test of the \
     spread finds counters that became unsteady. The probability is corrected for the number of tests and of counters (Benjamini and \
     Yekutieli, which holds for counters that depend on each other), and has to be below 1 %. What single values don't show clearly may be a \
     step from one stretch of values to the next, as change points find them. Begin, end and extremes are those of the values that fit the \
     new level better than the usual one, by the most likely division (Viterbi).",
    "What is left is ordered by its size for people: percentages by their points, all else by how many times larger or smaller it is, and \
     little of anything counts little.",
    "Counters are one group if their values or the differences of these are correlated, with up to three steps of delay, or \
     if they are the same counter of other instances at the same time. Moving together doesn't mean that one causes the other.",
];

/// Means per series: in the span and in the time it is compared with.
pub(crate) const MAX_BINS: usize = 600;
