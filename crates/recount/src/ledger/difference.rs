//! Where captures differ.

use recount_model::SampleTime;

use super::unit::Unit;

/// Where captures can't be of one recording.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// The time of the sample.
    pub time: SampleTime,
    /// The object, and the counter if it is known.
    pub unit: Unit,
    /// What differs.
    pub kind: DifferenceKind,
}

/// How values of one object and time differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// Other values.
    Values,
    /// Values over another interval: rates of a thinned capture.
    Interval,
    /// One has values of instances or counters that the other lacks.
    Lacking,
}
