//! Performance counter captures, read anywhere.
//!
//! [`open`] recognises a capture by its content: a Windows performance log (`.blg`), raw `PERF_DATA_BLOCK` dumps, PDH text, or
//! the tables it wrote. [`convert`] computes every counter over every interval and writes tables; [`summarise`], [`list`] and
//! [`show`] answer what is in it. The command line of the same name is a thin face over these.
//!
//! ```no_run
//! use recount::{ConvertOptions, Span, Target, convert, open};
//!
//! let captures = open(&["monday.blg".into()], &recount::NameTable::new())?;
//! let options = ConvertOptions::default();
//! let report = convert(&captures, &Target::Path("monday.parquet".into()), &options, &|_| ())?;
//! println!("{} samples, {} rows", report.num_samples, report.num_rows);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod aside;
mod catalogue;
mod content;
mod convert;
mod dump;
mod follow;
mod inputs;
mod marks;
mod open;
mod open_error;
mod pack;
mod record;
mod repair;
mod session_directory;
mod show;
mod summary;
mod table_directory;
mod verify;

pub use answers::{diff, query, report, stats};
pub use aside::{OutputError, check_outputs, write_aside};
pub use catalogue::{CounterEntry, list};
pub use content::{STDIO, open_content};
pub use convert::{ConvertError, ConvertOptions, ConvertReport, OutputFormat, Target, convert};
pub use dump::{Outline, dump};
pub use follow::{FollowError, Follower, NewValue};
pub use inputs::{Span, TimeBound, UnknownMark, inputs};
pub use marks::{MAX_LEN_MARK, MarkError, Marked, mark};
pub use open::{Capture, Format, health_of, is_stdio, names_of, open};
pub use open_error::OpenError;
pub use pack::{PackError, Packed, UnpackOptions, Unpacked, UnpackedSort, pack, unpack};
pub use record::{RecordError, RecordOptions, RecordSource, Recorded, record};
/// Statistics, SQL, rules, comparisons and reports.
pub use recount_analysis as analysis;
pub use recount_analysis::{Answer, AnswerFormat, Cell};
pub use recount_blocks::NameTable;
pub use recount_capture::Repaired as RepairedLog;
pub use recount_capture::Sync as LogSync;
pub use recount_compute::Progress;
pub use recount_model::{
    Finding, FindingKind, Health, Mark, Pattern, SampleTime, Selection, Status, Timestamp,
};
pub use recount_record::{
    EndReason, EndedBy, Interrupts, LiveError, OnInterrupt, Profile, RecordError as RecordingError,
    RecordProgress, RecordReport, Rotation, SampleForm, before_termination,
};
pub use recount_tables::{Layout, PartitionKey, TableError, remove_partial};
pub use repair::{RepairDone, RepairError, RepairOptions, RepairReport, repair};
pub use show::{SeriesSummary, show};
pub use summary::{CaptureSummary, Gap, MarkSummary, ObjectSummary, summarise};
pub use verify::{Verified, VerifiedLog, verify};
