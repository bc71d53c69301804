//! What to record and into what.

use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use recount_capture::Sync;
use recount_model::{NameTable, Selection};
use recount_output::OutputError;
use recount_record::{LiveError, Profile, RecordReport, Rotation, SampleForm};

use crate::{Format, OpenError};

/// What to record and into what.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordOptions {
    /// The log; a directory to put it into; `None`: into the current one. Where no file is named, its name is that of
    /// the machine and the time.
    pub output: Option<PathBuf>,
    /// Replace a log that exists.
    pub force: bool,
    /// How much a power cut may lose. Killing this process loses nothing that was written.
    pub sync: Sync,
    /// Where samples come from.
    pub source: RecordSource,
    /// Time from sample to sample. `None`: a second; in a replay, as fast as possible.
    pub interval: Option<Duration>,
    /// End after this time, with a last sample.
    pub duration: Option<Duration>,
    /// End after so many samples.
    pub count: Option<u64>,
    /// When to begin the next log.
    pub rotation: Rotation,
    /// How many logs of this name to keep: the oldest are deleted when a new one is begun.
    pub keep: Option<NonZeroUsize>,
    /// Program and arguments: recorded from before it starts to after it has ended.
    pub command: Vec<OsString>,
}

/// This machine, every second, into the current directory, until an interrupt.
impl Default for RecordOptions {
    fn default() -> Self {
        RecordOptions {
            output: None,
            force: false,
            sync: Sync::default(),
            source: RecordSource::Live {
                profile: None,
                selection: Selection::all(),
                form: SampleForm::Block,
            },
            interval: None,
            duration: None,
            count: None,
            rotation: Rotation::default(),
            keep: None,
            command: Vec::new(),
        }
    }
}

impl RecordOptions {
    /// Whether logs are a series, each named by its time.
    pub(super) fn is_series(&self) -> bool {
        self.rotation != Rotation::default() || self.keep.is_some()
    }
}

/// Where samples come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RecordSource {
    /// This machine, now.
    Live {
        /// Which objects, by the name of a set.
        profile: Option<Profile>,
        /// Of these, the objects that may match; all if there is no pattern.
        selection: Selection,
        /// As what.
        form: SampleForm,
    },
    /// Another machine, now.
    #[cfg(feature = "remote")]
    Remote {
        /// Which one, by what, and as whom.
        options: recount_remote::RemoteOptions,
        /// The countersets or objects that may match; all if there is no pattern.
        selection: Selection,
    },
    /// Raw dumps, or MS-PCQ sessions.
    Replay {
        /// The files, and directories of sessions.
        paths: Vec<PathBuf>,
        /// Names of the objects and counters in them.
        names: NameTable,
    },
}

/// What was recorded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// How it went.
    pub report: RecordReport,
    /// The logs that still exist, oldest first: without those that were deleted to keep only so many.
    pub files: Vec<PathBuf>,
}

/// Why nothing more could be recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The log can't be created, or would replace what exists.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A log is written at several places, and cut, which only an ordinary file allows.
    #[error("{}: a log can only be written to an ordinary file", path.display())]
    NotAFile {
        /// The output.
        path: PathBuf,
    },
    /// No live source.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// Another machine that can't be recorded.
    #[cfg(feature = "remote")]
    #[error(transparent)]
    Remote(#[from] recount_remote::RemoteError),
    /// A file to replay can't be read.
    #[error("{name}: {source}")]
    Io {
        /// The file.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file to replay can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A file to replay is of a format that holds no samples as a system gave them.
    #[error("{name}: {format} can't be replayed")]
    NotReplayed {
        /// The file.
        name: String,
        /// Its format.
        format: &'static Format,
    },
    /// Nothing to replay.
    #[error("no file to replay")]
    NoInput,
    /// Files of several formats to replay.
    #[error("{one}, {other}: a log holds samples of one format")]
    Mixed {
        /// A file with its format.
        one: String,
        /// Another.
        other: String,
    },
    /// Recording began, and failed.
    #[error(transparent)]
    Recording(recount_record::RecordError),
}
