//! Answers from captures: `recount-analysis`, fed with what [`open`](crate::open) gives.

mod query;
mod report;
mod stats;

pub use query::{AnswerFailure, is_table_directory, query, query_tables};
pub use report::report;
pub use stats::stats;
