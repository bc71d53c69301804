//! The capture log (`.rcap`): a file that samples are appended to as they were taken, and that any crash leaves readable.
//!
//! [`LogWriter`] appends records to a tail and seals them into compressed, proven chunks; [`Log`] finds what is in a file, whatever
//! state its writer left it in; [`CaptureSource`] and [`MessageSource`] decode its samples. [`verify`] and [`repair`] look after damage, and
//! `append_marks` notes times. The format is specified in `formats/rcap.md`.

mod bytes;
mod chunk;
mod dump;
mod error;
mod file;
mod frame;
mod log;
mod marks;
mod messages;
mod numbers;
mod payload;
mod random_id;
mod read_at;
mod record;
mod repair;
mod source;
mod tally;
mod verify;
mod write;
mod zip;

pub use dump::dump;
pub use error::CaptureError;
pub use file::{
    Inbox, RepairDone, RepairError, RepairOptions, RepairReport, Request, Waiting, is_locked, is_log,
    open_log, open_with_marks, repair_file, take_in, take_in_last,
};
pub use log::Log;
pub use marks::{AppendedMarks, append_marks, mark_event, read_mark_request, write_mark_request};
pub use messages::MessageSource;
pub use read_at::ReadAt;
pub use record::RecordKind;
pub use repair::{Repaired, repair};
pub use source::CaptureSource;
pub use verify::{Verification, verify};
pub use write::{Closed, FileState, LogWriter, Storage, Sync, WriterOptions};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
