//! Shows a log while it is being written: for `recount show --follow`.

mod reading;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use recount_analysis::stats::Summaries;
use recount_capture::{CaptureError, PackedFile, open_with_marks};
use recount_model::{Health, NumberStyle, SampleTime, Selection};

use crate::formats::{CAPTURE_LOG, source_of};
use crate::open::open_log_file;
use crate::{Capture, Hint, NameTable, OpenError, SeriesSummary, Span, SpanError, Timeline, open_all};
use reading::Reading;

/// A value of a new sample.
#[derive(Clone, Debug, PartialEq)]
pub struct NewValue {
    /// When the sample was taken.
    pub time: SampleTime,
    /// Path of its counter, as PDH writes it.
    pub path: String,
    /// The cooked value; `None` if there is none.
    pub value: Option<f64>,
    /// Why there is no value.
    pub status: &'static str,
    /// Its text, if it has one instead of a value.
    pub text: Option<Arc<str>>,
    /// Its unit.
    pub unit: &'static str,
    /// How it is shown.
    pub style: NumberStyle,
}

/// Why a capture can't be followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError {
    /// It can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Another format: only capture logs can be read while they are written.
    #[error("{name}: only a capture log (.rcap) can be followed")]
    NotALog {
        /// The capture.
        name: String,
    },
    /// The span has no meaning in it. A mark that doesn't exist is an error once the log is closed.
    #[error(transparent)]
    Span(#[from] SpanError),
}

impl Hint for FollowError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            FollowError::Open(error) => Some(error.hint()),
            FollowError::NotALog { .. } => {
                Some("leave out --follow, or name a log that recount record is writing")
            }
            FollowError::Span(error) => error.hint(),
        }
    }
}

/// Whether a file is a capture log that was not closed: it may still grow, or its recorder may have been killed.
pub fn is_being_written(path: &Path) -> bool {
    let log = open_log_file(path).ok().flatten().map(|file| recount_capture::open_log(&file));
    log.is_some_and(|log| log.is_ok_and(|log| !log.is_closed()))
}

/// Follows a log: computes the values of new samples, and summarises all samples so far.
pub struct Follower {
    path: PathBuf,
    span: Span,
    selection: Selection,
    summaries: Summaries,
    /// Time of the last sample processed, by epoch.
    done: BTreeMap<u32, SampleTime>,
    health: Health,
    /// Length and modification time of the file when it was last read.
    seen: Option<(u64, Option<SystemTime>)>,
    is_closed: bool,
}

impl Follower {
    /// Prepares to follow a log. Nothing is read yet.
    pub fn new(path: &Path, span: Span, selection: Selection) -> Result<Follower, FollowError> {
        let name = path.display().to_string();
        let found = open_log_file(path).map_err(|source| OpenError::Io { name: name.clone(), source })?;
        if found.is_none() {
            return Err(FollowError::NotALog { name });
        }
        Ok(Follower {
            path: path.to_path_buf(),
            span,
            selection,
            summaries: Summaries::default(),
            done: BTreeMap::new(),
            health: Health::default(),
            seen: None,
            is_closed: false,
        })
    }

    /// Reads what was added since the last call. Returns the values of the new samples, in order of time; on the first
    /// call, only those of the newest sample. `None` if the file is unchanged.
    pub fn refresh(&mut self) -> Result<Option<Vec<NewValue>>, FollowError> {
        let metadata = self.path.metadata().map_err(|source| self.io(source))?;
        let now = (metadata.len(), metadata.modified().ok());
        if self.is_closed || self.seen == Some(now) {
            return Ok(None);
        }
        let (capture, is_closed) = self.open()?;
        let timeline = match Timeline::of(&[capture], &self.span) {
            // The mark may be yet to come.
            Err(SpanError::Mark(_)) if !is_closed => {
                self.seen = Some(now);
                return Ok(Some(Vec::new()));
            }
            timeline => timeline?,
        };
        let reading = Reading::new(&timeline, &self.selection, &self.done, is_closed, &mut self.summaries);
        self.done.extend(reading.done);
        (self.health, self.is_closed, self.seen) = (reading.health, is_closed, Some(now));
        Ok(Some(reading.values))
    }

    /// The summary of every series over the samples so far.
    pub fn series(&self) -> Vec<SeriesSummary> {
        self.summaries.rows()
    }

    /// Whether the log was closed, so that it won't grow any more.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The damage found when the log was last read.
    pub fn health(&self) -> &Health {
        &self.health
    }

    fn open(&self) -> Result<(Capture, bool), FollowError> {
        let name = self.path.display().to_string();
        let failed = |source: CaptureError| OpenError::format(&name, &CAPTURE_LOG, source.into());
        let file = File::open(&self.path).map_err(|source| self.io(source))?;
        let log = open_with_marks(&self.path, &file).map_err(failed)?;
        if PackedFile::of(&log).is_some() {
            // Packed files are written once.
            let mut captures = open_all(std::slice::from_ref(&self.path), &NameTable::new())?;
            return captures.pop().map(|capture| (capture, true)).ok_or(FollowError::NotALog { name });
        }
        let is_closed = log.is_closed();
        let source = source_of(log).map_err(failed)?;
        let capture = Capture::new(vec![name], &CAPTURE_LOG, source);
        Ok((capture, is_closed))
    }

    fn io(&self, source: std::io::Error) -> OpenError {
        OpenError::Io { name: self.path.display().to_string(), source }
    }
}
