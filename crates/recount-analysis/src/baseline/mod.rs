//! What is usual for a machine, and what is unusual in a capture.
//!
//! A baseline has, per series, the means of five minutes: how they are distributed, over all and for each hour of the week, by a
//! sketch of which two can be put together. Processes and threads are left out, except their totals.

mod answer;
mod blocks;
mod compare;
mod file;
mod held;
mod judge;
mod known;
mod observe;
mod sketch;
mod words;

pub use answer::{Compared, Unusual, Usual};
pub use compare::Comparison;
pub use file::BaselineError;
pub use known::{Baseline, BothHave};
pub use observe::learn;
