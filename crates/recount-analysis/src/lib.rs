//! Answers from performance counters.

mod answer;
pub mod diff;
pub mod query;
pub mod report;
pub mod roster;
pub mod rules;
mod shown;
pub mod stats;

pub use answer::{Answer, AnswerError, AnswerFormat, Cell};
pub use shown::is_hidden;
