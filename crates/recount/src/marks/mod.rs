//! Marking a time in a capture log: for `recount mark`.

mod error;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use recount_capture::{Inbox, Log, Request, open_log, take_in};
use recount_model::{Mark, Timestamp};

pub use error::MarkError;

use crate::files::log_series::newest_of_series;
use crate::open::open_log_file;
use crate::pack::PackedFile;
use crate::{NameTable, TimeBound, Timeline, open_all};

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

/// Marks a time in a log: now, or at a given [`TimeBound`].
///
/// The mark is appended to a closed log immediately. Any other log may still be open in its recorder, which is its only
/// writer, so the mark is left next to it: the recorder adds it with the next sample, with the time at which it was
/// made. If the recorder was killed, [`repair`](crate::repair) adds it, or the next mark does once the log is closed.
/// Readers see the mark in the meantime.
///
/// The name of a series of logs means its newest log. If a closed log is continued by one that is being written, a mark
/// of the present goes to the latter.
pub fn mark(path: &Path, text: &str, at: Option<&TimeBound>) -> Result<Marked, MarkError> {
    let now = now();
    if text.is_empty() || text.len() > MAX_LEN_MARK || text.contains('\0') {
        return Err(MarkError::Text { len: text.len() });
    }
    let (path, log) = find(path, at.is_none())?;
    let time = at.map_or(Ok(now), |at| time_in(&path, at))?;
    let mark = Mark { time, text: text.to_owned() };
    let samples = samples_of(&log);
    let inbox = Inbox::of(&path);
    let left = inbox
        .leave(log.tag(), &mark)
        .map_err(|source| MarkError::Beside { directory: inbox.directory().to_path_buf(), source })?;
    drop(log);
    // Only now: a recorder that closes its log looks for marks once more after that, so one of the two sees the other.
    let waits_in = match take_in(&path) {
        Ok(true) => None,
        Ok(false) => Some(inbox.directory().to_path_buf()),
        Err(source) => {
            inbox.remove(&[Request { path: left, mark }]);
            return Err(MarkError::Log { name: path.display().to_string(), source });
        }
    };
    Ok(Marked { path, mark, waits_in, samples })
}

/// The log that a path denotes.
fn find(path: &Path, is_now: bool) -> Result<(PathBuf, Log), MarkError> {
    /// A log that was created a moment ago may not have a header yet.
    const MAX_ATTEMPTS: u32 = 20;
    const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(10);
    if matches!(path.try_exists(), Ok(false)) {
        let mut attempt = 1;
        loop {
            let newest = newest_of_series(path).unwrap_or_else(|| path.to_path_buf());
            match open_own(&newest) {
                Err(MarkError::NotALog { .. }) if attempt < MAX_ATTEMPTS => attempt += 1,
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
fn open_own(path: &Path) -> Result<Log, MarkError> {
    let name = || path.display().to_string();
    let file = open_log_file(path).map_err(|source| MarkError::Input { name: name(), source })?;
    let file = file.ok_or_else(|| MarkError::NotALog { name: name() })?;
    let log = open_log(&file).map_err(|source| MarkError::Log { name: name(), source })?;
    if PackedFile::of(&log).is_some() {
        return Err(MarkError::Packed { name: name() });
    }
    Ok(log)
}

/// A bound as a moment, given the existing samples and marks.
fn time_in(path: &Path, at: &TimeBound) -> Result<Timestamp, MarkError> {
    let captures = open_all(&[path.to_path_buf()], &NameTable::new())?;
    Timeline::whole(&captures)?
        .moment(at)?
        .ok_or_else(|| MarkError::NoSamples { name: path.display().to_string() })
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
