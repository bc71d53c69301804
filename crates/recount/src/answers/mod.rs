//! Answers from captures: `recount-analysis`, fed with what [`open`](crate::open) gives.

mod diff;
mod query;
mod report;
mod stats;

pub use diff::diff;
pub use query::query;
pub use report::report;
pub use stats::stats;
