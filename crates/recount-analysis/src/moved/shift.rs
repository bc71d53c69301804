//! How one series moved.

use std::ops::Range;

/// How a series moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// To other values.
    Level,
    /// Its values vary more, or less, about the same middle.
    Spread,
}

/// A series that may have moved. Places are those of bins.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the sentence")]
pub(super) struct Shift {
    pub(super) kind: Kind,
    /// Median before; if there was a trend, where it leads to. Of [`Kind::Spread`]: the mean distance from the median.
    pub(super) before: f64,
    /// Whether it left a trend.
    pub(super) is_of_trend: bool,
    /// Whether it rose or fell, with some noise, to what it was before the span.
    pub(super) is_after_way: bool,
    /// Median of the runs; of [`Kind::Spread`] as before.
    pub(super) after: f64,
    /// The value of the runs that is furthest from what was before.
    pub(super) extreme: f64,
    /// How far it went, in units of the spread before.
    pub(super) effect: f64,
    /// Of such a difference by chance, not corrected for the number of counters.
    pub(super) probability: f64,
    pub(super) is_up: bool,
    /// From the begin of the first run, which may be before the span, to the end of the last one.
    pub(super) bins: Range<usize>,
    /// The earliest and the latest place at which it may have begun.
    pub(super) onset: (usize, usize),
    /// The runs of values at the new level.
    pub(super) spells: Vec<Range<usize>>,
    /// Whether it is a step from one stretch to another, which all values of both show.
    pub(super) is_step: bool,
    /// Whether all values before are the same, so that no spread says how far it is.
    pub(super) is_from_flat: bool,
    /// Whether it is known to a few values how long it is.
    pub(super) is_rough: bool,
    /// What `before` is the median of, from its first to its last place, if it isn't the whole time before.
    pub(super) compared: Option<(usize, usize)>,
    /// The last time before when it was at the level of the span, from its first to its last place; after it, if it is compared
    /// with a later time.
    pub(super) again: Option<(usize, usize)>,
}
