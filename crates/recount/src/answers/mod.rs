//! Answers from captures: `recount-analysis`, fed with what [`open`](crate::open) gives.

mod diff;
#[cfg(feature = "sql")]
mod query;
mod report;
mod stats;
mod time_machine;

pub use diff::diff;
#[cfg(feature = "sql")]
pub use query::{query, tables};
pub use report::report;
pub use stats::{show, show_with_parts, stats};
pub use time_machine::{
    InstanceCounter, InstanceRow, Instances, KnownObject, Moment, Past, TimeMachine, instances,
    known_objects, time_in,
};
