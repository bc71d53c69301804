//! The answer: what moved, and what limits it.

use recount_model::Health;
use serde::Serialize;

use super::bounds::Interval;
use super::groups::Group;
use crate::report::CaptureFacts;

/// What moved in a span of time.
#[derive(Clone, Debug, Serialize)]
pub struct Moved {
    /// The span that was asked about.
    pub span: Interval,
    /// The time it was compared with.
    pub against: Interval,
    /// Counters that moved together, those that moved most first.
    pub groups: Vec<Group>,
    /// How many counters were compared.
    pub counts: MovedCounts,
    /// What limits the answer.
    pub notes: Vec<String>,
    /// Whether the times are local times of an unknown zone.
    pub is_zone_unknown: bool,
    /// What could not be read.
    #[serde(skip)]
    pub health: Health,
    /// The capture.
    #[serde(skip)]
    pub facts: CaptureFacts,
}

/// How many counters there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MovedCounts {
    /// With values.
    pub series: usize,
    /// That never change.
    pub still: usize,
    /// With too few values on a side.
    pub few: usize,
    /// That moved, beyond chance.
    pub moved: usize,
    /// That changed in the span as they did often in the time it is compared with.
    #[serde(skip)]
    pub often: usize,
    /// Samples that the span is compared with.
    pub samples_before: usize,
    /// Samples in the span.
    pub samples: usize,
}
