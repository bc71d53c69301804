//! What changed between two captures.

mod bases;
mod changes;
mod direction;
mod html;
mod json;
mod junit;
mod machines;
mod markdown;
mod pairs;
mod programs;
mod side;
pub(crate) mod significance;
mod tolerance;

pub use changes::{Change, Difference, Figure, Verdict, compare};
pub use html::diff_html;
pub use json::diff_json;
pub use junit::diff_junit;
pub use markdown::diff_markdown;
pub use side::{Side, side};
pub use significance::{Apart, Sorted, apart, kolmogorov};
pub use tolerance::{
    Breach, Tolerance, ToleranceSet, Unjudged, WhyUnjudged, parse_tolerances, tolerances_kept,
};

/// How verdicts are reached, for readers who have to trust them.
pub const METHOD: [&str; 4] = [
    "Consecutive samples of a counter are correlated, so tests that assume independence find differences everywhere. Means are \
     compared by the method of batch means: each capture is cut into stretches long enough that their means are nearly independent, \
     and Welch's t-test compares these. Distributions are compared by the Kolmogorov-Smirnov test, with the number of \
     independent samples that follows from the spread of those means.",
    "If a side has fewer than 12 independent values, since it was at several levels or rose or fell, and nearly all values differ, a third test \
     asks whether the base, as it varies, could have had the new values. The smallest probability is multiplied by the number of tests, and \
     corrected for the number of counters compared (Benjamini and \
     Hochberg). With fewer than 8 stretches there is no verdict: unsure.",
    "The effect is Cliff's delta: how much more often a value of the new capture is larger than one of the base than smaller, \
     from -1 to 1. A change has a corrected probability below 1 % and an effect of at least 0.15.",
    "A regression is a change for the worse by at least 5 % of the mean and with an effect of at least 0.47, of a counter for which \
     it is known which direction is worse, and of an instance whose name is unique. Throughput has no worse direction. \
     Tolerances define exact limits.",
];
