//! Answers from captures: `recount-analysis`, fed with what [`open`](crate::open) gives.

mod diff;
#[cfg(feature = "sql")]
mod query;
mod report;
mod stats;

pub use diff::diff;
#[cfg(feature = "sql")]
pub use query::{query, tables};
pub use report::{facts, report};
pub use stats::{show, stats};
