//! Marking a time in a log.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use recount_model::{Mark, Timestamp};

use super::inbox::{Inbox, Request};
use super::open::{open_log, open_log_file};
use super::take_in::take_in;
use crate::rotation::newest_of_series;
use crate::{CaptureError, Log, PackedFile};

/// The longest text of a mark, in bytes.
pub const MAX_LEN_MARK: usize = 4_096;

/// A mark that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marked {
    /// The log that was marked.
    pub path: PathBuf,
    /// Time and text.
    pub mark: Mark,
    /// Where the mark waits for the log's recorder; `None`: it is in the log, which was closed.
    pub waits_in: Option<PathBuf>,
    /// First and last sample of the log so far.
    pub samples: Option<(Timestamp, Timestamp)>,
}

/// Why a log can't be marked. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarkLogError {
    /// The log can't be read.
    #[error("{name}: {source}")]
    Input {
        /// The log.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file isn't a capture log.
    #[error("{name}: only a capture log (.rcap) can be marked")]
    NotALog {
        /// The capture.
        name: String,
    },
    /// The log holds a packed file, which must not change.
    #[error("{name}: holds a packed file, which has no place for marks")]
    Packed {
        /// The log.
        name: String,
    },
    /// The log can't be read, or can't be written to.
    #[error("{name}: {source}")]
    Log {
        /// The log.
        name: String,
        /// What is wrong.
        source: CaptureError,
    },
    /// The text is too long for a mark, is empty or has a NUL.
    #[error("the text of a mark has 1 to {MAX_LEN_MARK} bytes and no NUL; this one has {len} bytes")]
    Text {
        /// Its length in bytes.
        len: usize,
    },
    /// The mark can't be left next to the log.
    #[error("{}: {source}", directory.display())]
    Beside {
        /// Where marks wait for a log's writer.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The time to mark in the log at a path.
type TimeIn<'t, E> = &'t dyn Fn(&Path) -> Result<Timestamp, E>;

/// Marks a time in a log: now, or the one that `time_in` finds for the log at a path.
///
/// The mark is appended to a closed log immediately. Any other log may still be open in its recorder, which is its only
/// writer, so the mark is left next to it: the recorder adds it with the next sample, with the time at which it was
/// made. If the recorder was killed, [`repair_file`](crate::repair_file) adds it, or the next mark does once the log is
/// closed. Readers see the mark in the meantime.
///
/// The name of a series of logs means its newest log. If a closed log is continued by one that is being written, a mark
/// of the present goes to the latter.
pub fn mark_log<E: From<MarkLogError>>(
    path: &Path,
    text: &str,
    time_in: Option<TimeIn<'_, E>>,
) -> Result<Marked, E> {
    let now = now();
    if text.is_empty() || text.len() > MAX_LEN_MARK || text.contains('\0') {
        return Err(MarkLogError::Text { len: text.len() }.into());
    }
    let (path, log) = find(path, time_in.is_none())?;
    let time = time_in.map_or(Ok(now), |time_in| time_in(&path))?;
    let mark = Mark { time, text: text.to_owned() };
    Ok(leave(path, &log, mark)?)
}

/// Leaves a mark next to a log, and adds it if the log is closed.
fn leave(path: PathBuf, log: &Log, mark: Mark) -> Result<Marked, MarkLogError> {
    let inbox = Inbox::of(&path);
    let left = inbox
        .leave(log.tag(), &mark)
        .map_err(|source| MarkLogError::Beside { directory: inbox.directory().to_path_buf(), source })?;
    // Only now: a recorder that closes its log looks for marks once more after that, so one of the two sees the other.
    let waits_in = match take_in(&path) {
        Ok(true) => None,
        Ok(false) => Some(inbox.directory().to_path_buf()),
        Err(source) => {
            inbox.remove(&[Request { path: left, mark }]);
            return Err(MarkLogError::Log { name: path.display().to_string(), source });
        }
    };
    Ok(Marked { path, mark, waits_in, samples: samples_of(log) })
}

/// The log that a path denotes.
fn find(path: &Path, is_now: bool) -> Result<(PathBuf, Log), MarkLogError> {
    /// A log that was created a moment ago may not have a header yet.
    const MAX_ATTEMPTS: u32 = 20;
    const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(10);
    if matches!(path.try_exists(), Ok(false)) {
        let mut attempt = 1;
        loop {
            let newest = newest_of_series(path).unwrap_or_else(|| path.to_path_buf());
            match open_own(&newest) {
                Err(MarkLogError::NotALog { .. }) if attempt < MAX_ATTEMPTS => attempt += 1,
                opened => return Ok((newest, opened?)),
            }
            std::thread::sleep(BETWEEN_ATTEMPTS);
        }
    }
    let log = open_own(path)?;
    if is_now
        && log.is_closed()
        && let Some(newest) = newest_of_series(path)
        && let Ok(other) = open_own(&newest)
        && !other.is_closed()
    {
        return Ok((newest, other));
    }
    Ok((path.to_path_buf(), log))
}

/// Opens a log of samples: not a packed file.
fn open_own(path: &Path) -> Result<Log, MarkLogError> {
    let name = || path.display().to_string();
    let file = open_log_file(path).map_err(|source| MarkLogError::Input { name: name(), source })?;
    let file = file.ok_or_else(|| MarkLogError::NotALog { name: name() })?;
    let log = open_log(&file).map_err(|source| MarkLogError::Log { name: name(), source })?;
    if PackedFile::of(&log).is_some() {
        return Err(MarkLogError::Packed { name: name() });
    }
    Ok(log)
}

fn samples_of(log: &Log) -> Option<(Timestamp, Timestamp)> {
    let records = (0..log.num_records()).filter_map(|record| log.record_info(record));
    let times = records.filter(|(_, kind)| kind.is_sample()).map(|(time, _)| time);
    times.fold(None, |span, time| match span {
        None => Some((time, time)),
        Some((first, last)) => Some((time.min(first), time.max(last))),
    })
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(Timestamp::UNIX_EPOCH.0 + (since.as_nanos() / 100) as i64)
}
