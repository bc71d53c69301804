//! Live sources of performance counters, and the loop that samples them.
//!
//! A [`LiveSource`] gives one `PERF_DATA_BLOCK` per sample; the recorder asks it for one at every tick of its schedule
//! and hands the bytes to a [`Sink`](recount_model::Sink), without knowing what either is.

#[cfg(target_os = "linux")]
pub mod linux;
mod live_source;

pub use live_source::{LiveSource, TakeError, Taken};
