//! Windows performance logs (`.blg`).
//!
//! A `.blg` is an event trace file (the container of `.etl`) whose events come from the performance counter
//! logger. It contains single counters by name (a *counter list*), or whole performance objects as
//! `PERF_DATA_BLOCK`s with a table of names, or both. `formats/blg.md` specifies it.
//!
//! ```text
//! file    = buffers of one size
//! buffer  = header, events, fill
//! message = payloads of one or more events (fragments), joined
//!           name table | counter list | data block | catalog
//! ```
//!
//! [`BlgSource`] opens a log in one pass over its headers; samples are decoded into runs on demand, on any
//! thread. [`BlgWriter`] writes logs. [`structure`] has every structure of the format, for programs that
//! analyse logs.

pub mod container;
mod contents;
mod dump;
mod error;
mod from_runs;
mod index;
mod info;
mod le;
mod list_runs;
mod local_time;
pub mod message;
mod plan;
mod reader;
mod split;
mod stamps;
pub mod structure;
pub mod text;
mod write;

pub use contents::{LogContents, RecordedBlock};
pub use dump::dump;
pub use error::BlgError;
pub use from_runs::{ListLayout, ListRecords, ListScan, LogHead, LogStamps};
pub use reader::BlgSource;
pub use split::BlgSplit;
pub use structure::counter_list::Entry;
pub use structure::trace_header::{StoredZoneName, TraceHeader, ZoneRecord};
pub use write::{BlgWriter, InstanceValue, RecordBuf};

/// The size of a log's buffers, in bytes, from its first bytes (one buffer and the start of the second are
/// enough); `None` if they are not an event trace. A file consists of buffers of this size; the last may be
/// cut off.
pub fn buffer_len(bytes: &[u8]) -> Option<usize> {
    container::buffer::len_buffer(bytes)
}

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
