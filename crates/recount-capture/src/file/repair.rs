//! Repairs a damaged file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use recount_model::{FindingKind, Health, Mark};
use recount_output::{Access, Aside, OutputError};

use super::inbox::{Inbox, Request};
use super::lock::LogLock;
use super::take_in::take_in_locked;
use crate::{CaptureError, Log, Repaired, Verification, append_marks, repair, verify};

/// A log that was written to more recently is repaired only with `force`: its recorder may still be running.
const STILL: Duration = Duration::from_secs(5);
/// How long marks may take to be added by others. A recorder has the lock much longer.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How to repair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairOptions {
    /// Where to write the repaired log, instead of in place of the damaged one.
    pub output: Option<PathBuf>,
    /// Replace an existing output, and repair in place even if the log was written to a moment ago.
    pub force: bool,
}

/// What a repair found and did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairReport {
    /// The damage found.
    pub found: Health,
    /// What was done; `None` if the log was sound: then at most marks were added to it.
    pub done: Option<RepairDone>,
    /// Number of marks that waited next to the log and are now in it.
    pub num_marks: usize,
}

/// A repair that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairDone {
    /// The repaired log.
    pub path: PathBuf,
    /// Where the damaged log is kept, if the repaired one took its place.
    pub backup: Option<PathBuf>,
    /// Whether the log had a sound index.
    pub was_closed: bool,
    /// Bytes of the damaged log.
    pub len_before: u64,
    /// The contents of the repaired log, and what was dropped.
    pub repaired: Repaired,
}

/// Why a log can't be repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// A recorder is writing the log.
    #[error("{name}: a recorder is writing it")]
    InUse {
        /// The log.
        name: String,
    },
    /// The log can't be read.
    #[error("{name}: {source}")]
    Input {
        /// The log.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// Not a log, or nothing in it can be read.
    #[error("{name}: {source}")]
    Log {
        /// The log.
        name: String,
        /// What is wrong.
        source: CaptureError,
    },
    /// The log was written to a moment ago, and has no index.
    #[error("{name}: was written to {seconds} s ago and isn't closed: its recorder may still be running")]
    StillWritten {
        /// The log.
        name: String,
        /// How long ago.
        seconds: u64,
    },
    /// The output can't be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The repaired log isn't sound either. Nothing was changed.
    #[error("{name}: what was repaired is not sound: {what}")]
    NotSound {
        /// The log.
        name: String,
        /// The first finding.
        what: String,
    },
}

/// Repairs a log: seals its tail, drops what is damaged, and writes a new index. A sound log stays as it is.
///
/// The new log is written to a temporary file and verified, and only then replaces the damaged one, which is
/// kept as `NAME.bak`. Everything sound keeps its number and time; marks that wait next to the log are added.
pub fn repair_file(path: &Path, options: &RepairOptions) -> Result<RepairReport, RepairError> {
    let name = path.display().to_string();
    let input_error = |source| RepairError::Input { name: name.clone(), source };
    let log_error = |source| match source {
        CaptureError::Io(source) => RepairError::Input { name: name.clone(), source },
        source => RepairError::Log { name: name.clone(), source },
    };
    // A link stays a link.
    let path = &path.canonicalize().map_err(input_error)?;
    // A mark added to the closed log in the meantime would be lost. If the system has no locks, that can happen.
    let in_place = options.output.is_none();
    let lock = if in_place { lock_of(path, &name)? } else { None };
    let open = || File::open(path).map(Box::new).map_err(input_error);
    let found = verify(open()?).map_err(log_error)?;
    let is_sound = found.is_closed && found.health.is_complete();
    if is_sound && found.num_unsealed == 0 {
        return Ok(RepairReport { num_marks: marks_in(path, lock)?, found: found.health, done: None });
    }
    if in_place && !options.force && !found.is_closed {
        check_age(path, &name)?;
    }
    let target = options.output.as_ref().unwrap_or(path);
    let aside = Aside::new(target, options.force || in_place, &Access::of_copy(path))?;
    let repaired = repair(open()?, aside.file()?);
    let repaired = repaired.map_err(|source| match source {
        CaptureError::Io(source) => RepairError::Output(aside.failed(source)),
        source => RepairError::Log { name: name.clone(), source },
    })?;
    if is_sound && repaired.num_sealed == 0 {
        // There are few records, which are shorter unsealed.
        return Ok(RepairReport { num_marks: marks_in(path, lock)?, found: found.health, done: None });
    }
    let inbox = Inbox::of(path);
    let waiting = add_marks(&inbox, &aside).map_err(|source| aside.failed(source.into()))?;
    let num_marks = waiting.len();
    check_sound(&aside, &name)?;
    let backup = if in_place {
        let backup = replace(path, aside)?;
        inbox.remove(&waiting);
        Some(backup)
    } else {
        aside.into_place()?;
        None
    };
    let Verification { is_closed, len_file, health, .. } = found;
    let path = target.clone();
    let done = RepairDone { path, backup, was_closed: is_closed, len_before: len_file, repaired };
    Ok(RepairReport { found: health, done: Some(done), num_marks })
}

/// Adds the marks that wait next to a sound log: returns how many. Without the lock, as for a repair to another place,
/// the log isn't changed.
fn marks_in(path: &Path, lock: Option<LogLock>) -> Result<usize, RepairError> {
    let Some(lock) = lock else { return Ok(0) };
    let taken = take_in_locked(path, &lock);
    let taken = taken.map_err(|source| RepairError::Log { name: path.display().to_string(), source })?;
    Ok(taken.unwrap_or(0))
}

/// Adds the marks that wait next to a log to the repaired one.
fn add_marks(inbox: &Inbox, aside: &Aside) -> Result<Vec<Request>, CaptureError> {
    let mut file = aside.file().map_err(io::Error::other)?;
    let tag = Log::open(Box::new(file.try_clone()?))?.tag();
    let waiting = inbox.requests(tag);
    let marks: Vec<Mark> = waiting.iter().map(|request| request.mark.clone()).collect();
    append_marks(Box::new(file.try_clone()?), &mut file, &marks)?;
    Ok(waiting)
}

/// The lock of a log, if the system has locks.
fn lock_of(path: &Path, name: &str) -> Result<Option<LogLock>, RepairError> {
    match LogLock::acquire(path, MAX_WAIT) {
        Ok(lock) => Ok(Some(lock)),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            Err(RepairError::InUse { name: name.to_owned() })
        }
        Err(_) => Ok(None),
    }
}

/// Refuses a log that is being written, as far as that is visible without locks.
fn check_age(path: &Path, name: &str) -> Result<(), RepairError> {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    match modified.map(|time| SystemTime::now().duration_since(time)) {
        Ok(Ok(age)) if age < STILL => {
            Err(RepairError::StillWritten { name: name.to_owned(), seconds: age.as_secs() })
        }
        _ => Ok(()),
    }
}

fn check_sound(aside: &Aside, name: &str) -> Result<(), RepairError> {
    let log_error = |source| RepairError::Log { name: name.to_owned(), source };
    let found = verify(Box::new(aside.file()?)).map_err(log_error)?;
    // Frames of a later recount are ignored in reading; a repair must not drop them.
    let is_bad = |kind| kind != FindingKind::Dropped && !FindingKind::HARMLESS.contains(&kind);
    let bad = found.health.findings().iter().find(|finding| is_bad(finding.kind)).map(ToString::to_string);
    let what = if found.is_closed { bad } else { Some("it has no index".to_owned()) };
    match what {
        Some(what) => Err(RepairError::NotSound { name: name.to_owned(), what }),
        None => Ok(()),
    }
}

/// Replaces the damaged log with the repaired one, and returns the damaged one's new name.
fn replace(path: &Path, aside: Aside) -> Result<PathBuf, OutputError> {
    let failed = |source| OutputError::Io { path: path.to_path_buf(), source };
    let mut number = 1;
    let backup = loop {
        let backup = backup_name(path, number);
        // Two names for one file, so that the old name always has a log.
        match std::fs::hard_link(path, &backup) {
            Ok(()) => break backup,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            // Not every file system supports that.
            Err(_) if backup.symlink_metadata().is_err() => {
                std::fs::copy(path, &backup).map_err(failed)?;
                break backup;
            }
            Err(error) => return Err(failed(error)),
        }
    };
    aside.into_place()?;
    Ok(backup)
}

fn backup_name(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".bak");
    if number > 1 {
        name.push(number.to_string());
    }
    path.with_file_name(name)
}
