//! Live sources of performance counters, and the loop that samples them.
//!
//! A [`LiveSource`] gives one `PERF_DATA_BLOCK` per sample; the recorder asks it for one at every tick of its schedule
//! and hands the bytes to a [`Sink`](recount_model::Sink), without knowing what either is.

pub mod countersets;
#[cfg(target_os = "linux")]
pub mod linux;
mod live_source;
mod message_replay;
mod profile;
mod recorder;
mod replay;
mod schedule;
mod signals;
#[cfg(any(windows, test))]
pub mod windows;

pub use live_source::{LiveSource, SampleForm, TakeError, Taken};
pub use message_replay::MessageReplay;
pub use profile::{Profile, UnknownProfile, is_wanted};
pub use recorder::{
    BeginLog, EndReason, LiveError, Log, RecordError, RecordOptions, RecordProgress, RecordReport, Recorder,
    Rotation, open_live,
};
pub use replay::ReplaySource;
pub use schedule::{Clock, Moment, Schedule, SystemClock};
pub use signals::{EndedBy, Interrupts, OnInterrupt, before_termination};
