//! Answers from captures: `recount-analysis`, run over the captures that [`open`](crate::open) returns.

#[cfg(feature = "analysis")]
mod baseline;
#[cfg(feature = "analysis")]
mod changes;
#[cfg(feature = "analysis")]
mod clock_offset;
#[cfg(feature = "analysis")]
mod diff;
#[cfg(feature = "analysis")]
mod digest;
#[cfg(feature = "analysis")]
mod moved;
#[cfg(feature = "sql")]
mod query;
#[cfg(feature = "analysis")]
mod report;
#[cfg(feature = "analysis")]
mod stats;
#[cfg(feature = "analysis")]
mod target;
#[cfg(feature = "analysis")]
mod time_machine;

#[cfg(feature = "analysis")]
pub use baseline::{BaselineFileError, is_baseline, learn, read_baseline};
#[cfg(feature = "analysis")]
pub use changes::changes;
#[cfg(feature = "analysis")]
pub use clock_offset::clock_offset;
#[cfg(feature = "analysis")]
pub use diff::diff;
#[cfg(feature = "analysis")]
pub use digest::digest;
#[cfg(feature = "analysis")]
pub use moved::{MovedError, MovedOptions, moved};
#[cfg(feature = "sql")]
pub use query::{NamedTimeline, query, query_named, tables};
#[cfg(feature = "analysis")]
pub use report::{facts, report, report_against};
#[cfg(feature = "analysis")]
pub use stats::{show, stats};
#[cfg(feature = "analysis")]
pub use target::companions;
#[cfg(feature = "analysis")]
pub use time_machine::{
    InstanceCounter, InstanceRow, Instances, KnownObject, Moment, Past, TimeMachine, instances, known_objects,
};
