//! The capture log (`.rcap`): a file that samples are appended to as they were taken, and that any crash leaves readable.
//!
//! [`LogWriter`] appends records to a tail and seals them into compressed, proven chunks; [`Log`] finds what is in a file, whatever
//! state its writer left it in; [`CaptureSource`] and [`MessageSource`] decode its samples. [`verify`] and [`repair`] look after damage.
//! [`LogFiles`] begins the logs of a recording one after the other, [`mark_log`] marks a time in one, and [`PackWriter`] keeps a file of
//! any other kind in one. The format is specified in `formats/rcap.md`.

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
mod packed;
mod payload;
mod processes;
mod random_id;
mod read_at;
mod record;
mod repair;
mod rotation;
mod source;
mod tally;
mod verify;
mod write;
mod zip;

pub use dump::dump;
pub use error::CaptureError;
pub use file::{
    Inbox, MAX_LEN_MARK, MarkLogError, Marked, RepairDone, RepairError, RepairOptions, RepairReport, Request,
    Waiting, is_locked, is_log, mark_log, open_log, open_log_file, open_with_marks, repair_file, take_in,
    take_in_last,
};
pub use log::{Log, LogItem, LoggedItem};
pub use marks::{AppendedMarks, append_marks, mark_event, read_mark_request, write_mark_request};
pub use messages::MessageSource;
pub use packed::{
    PackWriter, PackedFile, PackedLog, UnpackedSort, check_packed, names_text_of, safe_file_name,
    write_packed, write_packed_with_gaps, write_raw_samples,
};
pub use random_id::new_id;
pub use read_at::ReadAt;
pub use record::RecordKind;
pub use repair::{Repaired, repair};
pub use rotation::{DeletedLogs, LogFiles, LogFilesError, LogFilesOptions, newest_of_series};
pub use source::{CaptureSource, NUM_PROCESSORS};
pub use verify::{Verification, verify};
pub use write::{Closed, FileState, LogWriter, Storage, Sync, WriterOptions};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
