//! What to record and into what.

use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use recount_capture::{LogFilesError, LogFilesOptions, Sync};
use recount_model::{NameTable, Selection};
use recount_output::{Access, OutputError};
use recount_record::{
    LiveError, ProcessOptions, Profile, RecordError as RecordingError, RecordReport, Rotation, SampleForm,
};

use super::Deleted;
use crate::hint::hint_of_system;
use crate::{Format, Hint, OpenError};

/// What to record and into what.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordOptions {
    /// The log, or a directory for it; `None`: the current directory. Without a file name, the log is named after the
    /// machine and the time.
    pub output: Option<PathBuf>,
    /// Replace an existing log.
    pub force: bool,
    /// How much a power cut may lose. Killing this process never loses data that was written.
    pub sync: Sync,
    /// Where samples come from.
    pub source: RecordSource,
    /// Time from sample to sample. `None`: a second; in a replay, as fast as possible.
    pub interval: Option<Duration>,
    /// End after this time, with a last sample.
    pub duration: Option<Duration>,
    /// End after this number of samples.
    pub count: Option<u64>,
    /// When to begin the next log.
    pub rotation: Rotation,
    /// Number of logs of this name to keep: the oldest are deleted when a new one begins.
    pub keep: Option<NonZeroUsize>,
    /// Program and arguments: the recording starts before the program and ends after it.
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
                processes: ProcessOptions::RECORDED,
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
    /// Where its logs go.
    pub(super) fn log_files(&self) -> Result<LogFilesOptions, RecordError> {
        if let Some(path) = self.output.clone().filter(|path| crate::is_stdio(path) && !path.is_dir()) {
            return Err(RecordError::NotAFile { path });
        }
        Ok(LogFilesOptions {
            output: self.output.clone(),
            is_series: self.rotation != Rotation::default() || self.keep.is_some(),
            sync: self.sync,
            max_len: self.rotation.max_len,
            keep: self.keep,
            force: self.force,
            // Logs are no more readable than what is replayed.
            access: match &self.source {
                RecordSource::Replay { paths, .. } => Access::of(paths),
                _ => Access::default(),
            },
        })
    }
}

/// Where samples come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RecordSource {
    /// This machine, now.
    Live {
        /// A named set of objects.
        profile: Option<Profile>,
        /// Limits it to the objects that may match; all if there is no pattern.
        selection: Selection,
        /// The form of the samples.
        form: SampleForm,
        /// What is recorded of processes besides their counters.
        processes: ProcessOptions,
    },
    /// Another machine, now.
    #[cfg(feature = "remote")]
    Remote {
        /// The machine, the protocol, and the account.
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
    /// The logs that still exist, oldest first; those deleted because of [`RecordOptions::keep`] are not
    /// included.
    pub files: Vec<PathBuf>,
    /// What the deleted ones held. The report counts it, too.
    pub deleted: Deleted,
}

/// Why nothing more could be recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The log can't be created, or would replace what exists.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The output isn't an ordinary file. A log is written at several places and truncated, which only those
    /// allow.
    #[error("{}: a log can only be written to an ordinary file", path.display())]
    NotAFile {
        /// The output.
        path: PathBuf,
    },
    /// Another recorder is writing the log that would be replaced.
    #[error("{} is not replaced: another recorder is writing it", path.display())]
    StillWritten {
        /// The log.
        path: PathBuf,
    },
    /// The live source can't be opened.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// The other machine can't be recorded.
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
    /// No server can listen there.
    #[error("{address}: can't listen: {source}")]
    Listen {
        /// The address.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file to replay can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The format of a file to replay doesn't hold samples as a system returned them.
    #[error("{name}: {format} can't be replayed")]
    NotReplayed {
        /// The file.
        name: String,
        /// Its format.
        format: &'static Format,
    },
    /// There is nothing to replay.
    #[error("no file to replay")]
    NoInput,
    /// The files to replay have different formats.
    #[error("{one}, {other}: a log holds samples of one format")]
    Mixed {
        /// A file and its format.
        one: String,
        /// Another file and its format.
        other: String,
    },
    /// The recording failed after it had begun.
    #[error(transparent)]
    Recording(RecordingError),
}

impl From<LogFilesError> for RecordError {
    fn from(error: LogFilesError) -> RecordError {
        match error {
            LogFilesError::Output(error) => RecordError::Output(error),
            LogFilesError::StillWritten { path } => RecordError::StillWritten { path },
        }
    }
}

impl RecordError {
    /// If the disk ended the recording.
    pub(crate) fn hint_of_disk(&self) -> Option<&'static str> {
        let (RecordError::Recording(
            RecordingError::Write { source, .. } | RecordingError::Begin { source, .. },
        )
        | RecordError::Io { source, .. }) = self
        else {
            return None;
        };
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Some("make room on the disk, or keep fewer logs: --max-size with --keep")
            }
            _ => hint_of_system(source),
        }
    }
}

impl Hint for RecordError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            RecordError::Output(error) => error.hint(),
            RecordError::NotAFile { .. } => Some("name a file; recount show -f FILE follows it"),
            RecordError::Live(LiveError::Unsupported) => {
                Some("raw dumps of another machine can be replayed: --source FILE")
            }
            RecordError::Listen { address, source } => match source.kind() {
                // What isn't an address is Samba's folder of pipes.
                io::ErrorKind::AddrInUse if address.parse::<std::net::SocketAddr>().is_err() => {
                    Some("end the server that has the pipe (recount serve, or Samba's own rpcd_winreg) first")
                }
                io::ErrorKind::AddrInUse => Some("choose another port, or 0 for any that is free"),
                io::ErrorKind::AddrNotAvailable => {
                    Some("choose an address of this machine, or 0.0.0.0 for all of them")
                }
                _ => None,
            },
            RecordError::NotReplayed { .. } => {
                Some("raw dumps can be; recount unpack makes them of a log that recount record made")
            }
            RecordError::Io { .. } => Some("check the path and its permissions"),
            RecordError::Open(error) => Some(error.hint()),
            RecordError::Recording(RecordingError::TooSmall { .. }) => Some(
                "give a larger --max-size: ten times that keeps logs few, as samples are compressed; or choose objects with -c",
            ),
            _ => None,
        }
    }
}
