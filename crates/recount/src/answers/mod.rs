//! Answers from captures: `recount-analysis`, run over the captures that [`open`](crate::open) returns.

#[cfg(feature = "analysis")]
mod diff;
#[cfg(feature = "sql")]
mod query;
#[cfg(feature = "analysis")]
mod report;
#[cfg(feature = "analysis")]
mod stats;
#[cfg(feature = "analysis")]
mod time_machine;

#[cfg(feature = "analysis")]
pub use diff::diff;
#[cfg(feature = "sql")]
pub use query::{NamedTimeline, query, query_named, tables};
#[cfg(feature = "analysis")]
pub use report::{facts, report};
#[cfg(feature = "analysis")]
pub use stats::{show, stats};
#[cfg(feature = "analysis")]
pub use time_machine::{
    InstanceCounter, InstanceRow, Instances, KnownObject, Moment, Past, TimeMachine, instances, known_objects,
};
