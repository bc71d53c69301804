//! Performance counter captures, read anywhere.
//!
//! [`open`] recognises a capture by its content: a Windows performance log (`.blg`), raw `PERF_DATA_BLOCK` dumps, PDH text, a
//! capture log of recount, the tables that it wrote, and logs of sysstat, atop and Performance Co-Pilot. The command `recount`
//! (the crate `recount-cli`) is a thin layer over this library.
//!
//! [`Capture::batches`] gives the values themselves, as Arrow batches:
//!
//! ```no_run
//! use recount::Layout;
//!
//! let capture = recount::open("monday.blg")?;
//! let processors = capture.batches().counters(r"\Processor(*)\*")?.between("10:00", "10:05")?;
//! for batch in processors.layout(Layout::Objects).reader()? {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All other answers are about a [`Timeline`]: one capture or several, and which samples of them. [`convert`] computes every
//! counter over every interval and writes tables:
//!
//! ```no_run
//! use recount::{ConvertOptions, Span, Target, Timeline, convert, open_all, unwatched};
//!
//! let captures = open_all(&["monday.blg".into()], &recount::NameTable::new())?;
//! let span = Span { begin: Some("10:00".parse()?), ..Span::default() };
//! let timeline = Timeline::of(&captures, &span)?;
//! let target = Target::Path("monday.parquet".into());
//! let report = convert(&timeline, &target, &ConvertOptions::default(), &unwatched)?;
//! println!("{} samples, {} rows", report.num_samples, report.num_rows);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`summarise`] and [`list`] describe what a capture contains.
//!
//! A missing value is null, with a [`Status`] that says why. A [`Health`] lists what could not be read, with its place
//! in the file. An error means that nothing could be read.
//!
//! # Features
//!
//! | feature | what it adds | what it builds |
//! | --- | --- | --- |
//! | none (the default) | `open`, `Timeline`, `Capture::batches`, `convert`, `summarise`, `list`, `catalogue`, `dump`, `verify`, `verify_directory`, `pack`, `unpack`, `redact`, `mark`, `repair` | the readers and writers of all formats, with Arrow and Parquet |
//! | `analysis` | `stats`, `show`, `report`, `learn`, `changes`, `diff`, `digest`, `moved`, `Follower`, and the module `analysis` | `recount-analysis`: statrs, minijinja, toml |
//! | `record` | `record`: this machine, or dumps replayed, into capture logs | `recount-record`: signal-hook, and procfs or windows-sys |
//! | `remote` | `serve`, `browse`, and other machines in `record` | `recount-remote`: sspi and what it needs for authentication |
//! | `sql` | `query` and `tables` | `recount-sql`: polars, which takes longer to build than everything else |

mod answers;
mod batches;
mod catalogue;
mod contents;
mod convert;
mod dump;
mod fault;
mod files;
#[cfg(feature = "analysis")]
mod follow;
mod formats;
mod hint;
pub mod ledger;
mod marks;
mod open;
mod pack;
#[cfg(feature = "record")]
mod record;
mod redact;
mod repeats;
#[cfg(feature = "remote")]
mod serve;
mod timeline;
mod verify;

pub use batches::{BatchError, BatchReader, Batches};
pub use catalogue::{Catalogue, CatalogueError, CatalogueProgress, catalogue};
pub use contents::found_objects::{CounterEntry, list};
pub use contents::near::unmatched_text;
pub use contents::summary::{CaptureSummary, Gap, MarkSummary, ObjectGroup, ObjectSummary, summarise};
pub use convert::{
    ConversionSettings, ConvertError, ConvertOptions, ConvertReport, NewOnly, OutputFormat, Pending, Target,
    convert, convert_to,
};
pub use dump::{DumpError, dump};
pub use fault::{Fault, FaultKind, Mistake};
pub use files::given::GivenFile;
pub use formats::{BoxError, Format, pcp_metrics_of};
pub use hint::{Hint, Hinted, hint_of};
pub use marks::{MAX_LEN_MARK, MarkError, MarkLogError, Marked, mark};
pub use open::error::OpenError;
pub use open::options::OpenOptions;
pub use open::{
    Capture, access_of, is_stdio, open, open_all, open_bytes, open_bytes_with, open_given, open_reader,
    open_with,
};
pub use pack::{PackError, Packed, UnpackOptions, Unpacked, UnpackedSort, pack, unpack};
pub use recount_capture::{
    ReadAt, RepairDone, RepairError, RepairOptions, RepairReport, Repaired as RepairedLog,
    repair_file as repair,
};
pub use recount_compute::{Cancelled, OnProgress, Progress, unwatched};
pub use recount_model::ProcessDescription;
pub use recount_model::{
    Authority, CaptureInfo, CounterPath, Finding, FindingKind, Health, Instance, Mark, NameTable, Pattern,
    Period, PeriodError, SampleTime, Selection, Source, Status, Timestamp, ZoneName, ZoneNameError,
    offset_text,
};
pub use recount_names::{Translations, TranslationsError};
pub use recount_output::{OutputError, remove_partial};
pub use recount_pdh_text::CodePage;
pub use recount_tables::processes::{
    Descriptions, NOT_ATTRIBUTED, PROCESSORS, ProcessRow, Processes, is_process, place_of, processes_batch,
    program_of, shown_process,
};
pub use recount_tables::{CaptureRow, Layout, PartitionKey, TableError, captures_batch, captures_schema};
pub use redact::{RedactError, RedactOptions, Redacted, redact};
pub use timeline::Timeline;
pub use timeline::inputs::{Span, SpanError, TimeBound, UnknownMark};
pub use timeline::no_samples::NoSamples;
pub use timeline::time_bound::TimeBoundError;
pub use verify::against::{
    AgainstError, AgainstOptions, Agreement, CellCounts, CellDifference, CounterDifference, Shared, against,
};
pub use verify::directory::verify_directory;
pub use verify::{Verified, VerifiedLog, verify};

/// Statistics, rules, comparisons and reports: options and results of the functions in this crate.
#[cfg(feature = "analysis")]
pub use recount_analysis as analysis;
#[cfg(feature = "analysis")]
pub use {
    answers::{
        BaselineFileError, InstanceCounter, InstanceRow, Instances, KnownObject, Moment, MovedError,
        MovedOptions, Past, TimeMachine, changes, clock_offset, companions, diff, digest, facts, instances,
        is_baseline, known_objects, learn, moved, read_baseline, report, report_against, show, stats,
    },
    follow::{FollowError, Follower, NewValue, is_being_written},
    recount_analysis::stats::SeriesSummary,
};

#[cfg(feature = "record")]
pub use {
    record::{Deleted, RecordError, RecordOptions, RecordSource, Recorded, record},
    recount_capture::Sync as LogSync,
    recount_record::{
        Describe, EndReason, EndedBy, ExitsWanted, Interrupts, LiveError, OnInterrupt, ProcessOptions,
        Profile, RecordError as RecordingError, RecordProgress, RecordReport, Requests, Rotation, SampleForm,
        before_termination,
    },
};

#[cfg(all(feature = "record", unix))]
pub use files::lost_pages::on_lost_page;
#[cfg(all(feature = "record", not(unix)))]
pub use recount_record::on_lost_page;

#[cfg(feature = "remote")]
pub use {
    record::browse,
    recount_remote::{Account, CredentialsError, Host, HostError, RemoteError, RemoteOptions, Via, Way},
    serve::{ServeOptions, Served, ServedAt, serve},
};

#[cfg(feature = "sql")]
pub use {
    answers::{NamedTimeline, query, query_named, tables},
    recount_sql::QueryError,
};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
