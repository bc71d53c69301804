//! Performance counter captures, read anywhere.
//!
//! [`open`] recognises a capture by its content: a Windows performance log (`.blg`), raw `PERF_DATA_BLOCK` dumps, PDH text, or
//! the tables it wrote. [`convert`] computes every counter over every interval and writes tables; [`summarise`], [`list`] and
//! [`show`] answer what is in it. The command line of the same name is a thin face over these.
//!
//! [`Capture::batches`] gives the values themselves, as Arrow batches:
//!
//! ```no_run
//! use recount::Layout;
//!
//! let capture = recount::open("monday.blg")?;
//! for batch in capture.batches().counters(r"\Processor(*)\*")?.between("10:00", "10:05")?.layout(Layout::Objects) {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```no_run
//! use recount::{ConvertOptions, Span, Target, convert, open_all};
//!
//! let captures = open_all(&["monday.blg".into()], &recount::NameTable::new())?;
//! let options = ConvertOptions::default();
//! let report = convert(&captures, &Target::Path("monday.parquet".into()), &options, &|_| ())?;
//! println!("{} samples, {} rows", report.num_samples, report.num_rows);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod archive_files;
mod batches;
mod catalogue;
mod content;
mod convert;
mod dump;
mod follow;
mod formats;
mod inputs;
mod marks;
mod open;
mod open_error;
mod open_options;
mod pack;
mod record;
mod summary;
mod table_directory;
mod time_bound;
mod verify;
mod zoned;

pub use answers::{diff, facts, report, show, stats};
#[cfg(feature = "sql")]
pub use answers::{query, tables};
pub use batches::{BatchError, BatchIter, BatchReader, Batches};
pub use catalogue::{CounterEntry, list};
pub use content::{STDIO, open_content};
pub use convert::{ConvertError, ConvertOptions, ConvertReport, OutputFormat, Target, convert};
pub use dump::{DumpError, dump};
pub use follow::{FollowError, Follower, NewValue, is_being_written};
pub use formats::{BoxError, Format};
pub use inputs::{Span, SpanError, TimeBound, UnknownMark, inputs};
pub use marks::{MAX_LEN_MARK, MarkError, Marked, mark};
pub use open::{
    Capture, health_of, is_stdio, is_zone_unknown, names_of, open, open_all, open_bytes, open_reader,
    open_with,
};
pub use open_error::OpenError;
pub use open_options::OpenOptions;
pub use pack::{PackError, Packed, UnpackOptions, Unpacked, UnpackedSort, pack, unpack};
pub use record::{RecordError, RecordOptions, RecordSource, Recorded, record};
/// Statistics, SQL, rules, comparisons and reports.
pub use recount_analysis as analysis;
pub use recount_analysis::stats::SeriesSummary;
pub use recount_analysis::{Answer, AnswerError, AnswerFormat, Cell};
pub use recount_capture::Sync as LogSync;
pub use recount_capture::{
    RepairDone, RepairError, RepairOptions, RepairReport, Repaired as RepairedLog, repair_file as repair,
};
pub use recount_compute::Progress;
pub use recount_model::NameTable;
pub use recount_model::{
    Finding, FindingKind, Health, Mark, Pattern, SampleTime, Selection, Status, Timestamp,
};
pub use recount_output::{OutputError, check_outputs, remove_partial, write_aside};
pub use recount_pdh_text::CodePage;
pub use recount_record::{
    EndReason, EndedBy, Interrupts, LiveError, OnInterrupt, Profile, RecordError as RecordingError,
    RecordProgress, RecordReport, Rotation, SampleForm, before_termination,
};
pub use recount_tables::{Layout, PartitionKey, TableError};
pub use summary::{CaptureSummary, Gap, MarkSummary, ObjectGroup, ObjectSummary, summarise};
pub use time_bound::TimeBoundError;
pub use verify::{Verified, VerifiedLog, verify};
