//! Windows performance logs (`.blg`).
//!
//! A `.blg` is an event trace file (the container of `.etl`) whose events come from the performance counter
//! logger. It holds either single counters by name (a *counter list*) or whole performance objects as
//! `PERF_DATA_BLOCK`s with a table of names, or both. `formats/blg.md` specifies it.
//!
//! ```text
//! file    = buffers of one size
//! buffer  = header, events, fill
//! message = payloads of one or more events (fragments), joined
//!           name table | counter list | data block | catalog
//! ```
//!
//! [`BlgSource`] opens a log by one pass over its headers; samples are decoded to runs on demand, on any thread.
//! [`BlgWriter`] writes logs.

mod container;
mod dump;
mod error;
mod index;
mod info;
mod le;
mod list_runs;
mod local_time;
mod message;
mod plan;
mod reader;
mod records;
mod stamps;
pub mod text;
mod write;

pub use container::{Buffer, Event, PdhEvent, TraceHeader};
pub use dump::{DumpError, dump};
pub use error::BlgError;
pub use local_time::ZoneRecord;
pub use reader::BlgSource;
pub use records::counter_list::Entry;
pub use write::{BlgWriter, InstanceValue, RecordBuf};
