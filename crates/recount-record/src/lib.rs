//! Live sources of performance counters, and the loop that samples them.
//!
//! A [`LiveSource`] returns one `PERF_DATA_BLOCK` per sample. At every tick of its schedule the recorder
//! takes a sample and passes the bytes to a [`Sink`](recount_model::Sink). It doesn't depend on the kind of
//! either.

pub mod countersets;
#[cfg(target_os = "linux")]
pub mod linux;
mod live_source;
mod message_replay;
#[cfg(target_os = "linux")]
mod open_files;
mod priority;
mod process_options;
mod profile;
mod recorder;
mod replay;
mod schedule;
mod secrets;
mod shared_source;
mod signals;
pub mod windows;

pub use live_source::{LiveSource, SampleForm, TakeError, Taken};
pub use message_replay::MessageReplay;
pub use process_options::{Describe, ExitsWanted, ProcessOptions, UnknownWord};
pub use profile::{Profile, UnknownProfile, is_wanted};
pub use recorder::{
    BeginLog, EndReason, Finished, Gone, LiveError, Log, RecordError, RecordOptions, RecordProgress,
    RecordReport, Recorder, Rotation, open_live,
};
pub use replay::ReplaySource;
pub use schedule::{Clock, Moment, Schedule, SystemClock};
pub use secrets::{MASK, masked};
pub use shared_source::SharedSource;
pub use signals::{EndedBy, Interrupts, OnInterrupt, Requests, before_termination, on_lost_page};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
