//! The files of a recording: their names, and which are kept.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use recount_model::{LogSink, Timestamp};
use recount_output::{Access, OutputError, check_directory, check_target, directory_of};

use super::log_file::{LogFile, Made};
use super::series::{push_extension, stamp_of};
use crate::{Inbox, LogWriter, Sync, WriterOptions, is_locked, is_log};

/// Extension of a log that isn't named by the user.
const EXTENSION: &str = "rcap";

/// The maximum length of a log is at least this many chunks.
const CHUNKS_PER_LOG: u64 = 16;
/// Smaller chunks compress badly.
const MIN_LEN_CHUNK: usize = 128 << 10;

/// Where a recording writes, and how.
#[derive(Clone, Debug, Default)]
pub struct LogFilesOptions {
    /// A file, or a directory in which logs are named by the machine; `None`: the current one.
    pub output: Option<PathBuf>,
    /// Whether logs rotate. Those named by the machine have a time in their names in any case.
    pub is_series: bool,
    /// When what is written is certainly on the disk.
    pub sync: Sync,
    /// The most bytes of a log.
    pub max_len: Option<u64>,
    /// How many logs of the series are kept.
    pub keep: Option<NonZeroUsize>,
    /// Replace a log that exists.
    pub force: bool,
    /// Who may read the logs.
    pub access: Access,
}

/// Why logs can't be begun there.
#[derive(Debug, thiserror::Error)]
pub enum LogFilesError {
    /// The log can't be created, or would replace what exists.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Another recorder is writing the log that would be replaced.
    #[error("{} is not replaced: another recorder is writing it", path.display())]
    StillWritten {
        /// The log.
        path: PathBuf,
    },
}

/// Makes the logs of a recording.
///
/// If logs rotate, `web1.rcap` becomes `web1-20261121T101500Z.rcap`: the time is that of the first sample, UTC, so that
/// names sort by time. If several begin in the same second, the later ones get `_2`, `_3` and so on, also if earlier ones were
/// deleted. Without rotation the first log has the
/// plain name, and one requested later by a signal has its time in the name, unless the plain name is free again: other
/// programs may rename or remove a log, or leave an empty file in its place, which is then filled.
pub struct LogFiles {
    /// The name without the time.
    plain: PathBuf,
    is_series: bool,
    sync: Sync,
    max_len: Option<u64>,
    keep: Option<NonZeroUsize>,
    /// Logs of this recording, in the order in which they were begun, except those that it deleted.
    made: Vec<Rc<RefCell<Made>>>,
    deleted: DeletedLogs,
    /// Logs are no more readable than what is replayed or replaced, and than the log before them.
    access: Access,
    /// Where the log to be replaced is kept for now.
    replaced: Option<PathBuf>,
}

/// What the deleted logs of this recording held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeletedLogs {
    /// Samples.
    pub num_samples: u64,
    /// Bytes.
    pub len: u64,
}

impl LogFiles {
    /// Checks, as far as possible, that logs can be created.
    pub fn new(options: LogFilesOptions, host: &str) -> Result<LogFiles, LogFilesError> {
        let by_host = || PathBuf::from(format!("{}.{EXTENSION}", file_stem(host)));
        let (plain, is_named) = match &options.output {
            None => (by_host(), false),
            Some(output) if output.is_dir() => (output.join(by_host()), false),
            Some(output) => (output.clone(), true),
        };
        let is_series = options.is_series || !is_named;
        if is_series {
            check_directory(&plain)?;
        } else {
            check_target(&plain, options.force)?;
            if is_locked(&plain) {
                return Err(LogFilesError::StillWritten { path: plain });
            }
        }
        Ok(LogFiles {
            plain,
            is_series,
            sync: options.sync,
            max_len: options.max_len,
            keep: options.keep,
            made: Vec::new(),
            deleted: DeletedLogs::default(),
            access: options.access,
            replaced: None,
        })
    }

    /// Begins a log, and deletes the oldest if there are now too many.
    pub fn begin(&mut self, time: Timestamp) -> io::Result<Box<dyn LogSink>> {
        let is_plain_free = self.made.is_empty() || is_free(&self.plain);
        let path =
            if self.is_series || !is_plain_free { free_name(&self.plain, time) } else { self.plain.clone() };
        let in_file = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        if !self.made.is_empty() {
            // The first log has taken its place.
            self.forget_replaced();
        } else if path == self.plain && path.is_file() {
            // Only with `force`, as `new` has checked. Kept until its replacement holds something.
            self.access.add(&path);
            let aside = aside_name(&path);
            std::fs::rename(&path, &aside).map_err(in_file)?;
            self.replaced = Some(aside);
        }
        let options = self.writer_options();
        let is_there = path.symlink_metadata().is_ok();
        let writer =
            if is_there { LogWriter::fill(&path, options) } else { LogWriter::create(&path, options) };
        let writer = writer.map_err(|error| in_file(error.into()))?;
        if let Some(before) = self.made.last() {
            self.access.add(&before.borrow().path);
        }
        if !is_there {
            self.access.limit(&path).map_err(in_file)?;
        }
        let made = Made { path, num_samples: 0, is_gone: false };
        let made = Rc::new(RefCell::new(made));
        self.made.push(Rc::clone(&made));
        self.delete_old()?;
        Ok(Box::new(LogFile::new(writer, made)))
    }

    fn writer_options(&self) -> WriterOptions {
        let default = WriterOptions::default();
        // Unsealed records take their full length, so in a log of limited size chunks have to be small.
        let len_chunk = self.max_len.map_or(default.len_chunk, |max_len| {
            let part = usize::try_from(max_len / CHUNKS_PER_LOG).unwrap_or(usize::MAX);
            part.clamp(MIN_LEN_CHUNK.min(default.len_chunk), default.len_chunk)
        });
        WriterOptions { sync: self.sync, len_chunk, ..default }
    }

    /// Deletes all but the newest of the series. Logs of this recording are newer than any other, whatever the clock said when
    /// they were begun, and the order among them is that in which they were begun. The last is never deleted, nor is one
    /// that another recorder is writing, or a file that isn't a log.
    fn delete_old(&mut self) -> io::Result<()> {
        let Some(keep) = self.keep else { return Ok(()) };
        let mut old = Vec::new();
        for entry in std::fs::read_dir(directory_of(&self.plain))? {
            let path = directory_of(&self.plain).join(entry?.file_name());
            let current = self.made.last().map(|made| made.borrow().path.clone());
            let is_current = current.as_ref().and_then(|current| current.file_name()) == path.file_name();
            let is_ours = || !is_current && path.is_file() && is_log(&path) && !is_locked(&path);
            if let Some(stamp) = stamp_of(&self.plain, &path).filter(|_| is_ours()) {
                let place =
                    self.made.iter().position(|made| made.borrow().path.file_name() == path.file_name());
                old.push((place, stamp, path));
            }
        }
        old.sort();
        let num_deleted = (old.len() + 1).saturating_sub(keep.get());
        for (place, _, path) in old.into_iter().take(num_deleted) {
            let len = path.metadata().map_or(0, |metadata| metadata.len());
            std::fs::remove_file(&path)?;
            Inbox::of(&path).discard();
            if place.is_some() {
                self.forget(&path, len);
            }
        }
        Ok(())
    }

    /// Counts what a log of this recording held that was deleted.
    fn forget(&mut self, path: &Path, len: u64) {
        let Some(at) = self.made.iter().position(|made| made.borrow().path.file_name() == path.file_name())
        else {
            return;
        };
        let made = self.made.remove(at);
        self.deleted.num_samples += made.borrow().num_samples;
        self.deleted.len += len;
    }

    /// Deletes the log that was begun last.
    pub fn remove_last(&mut self) {
        let Some(made) = self.made.pop() else { return };
        let Made { path, is_gone, .. } = &*made.borrow();
        if !is_gone {
            // If this fails, the log just stays; reporting it would hide the error that led here.
            let _ = std::fs::remove_file(path);
            Inbox::of(path).discard();
        }
    }

    /// Deletes the log that was begun last if it has no sample: it would only block the next attempt.
    pub fn remove_empty(&mut self) {
        if self.made.last().is_some_and(|made| made.borrow().num_samples == 0) {
            self.remove_last();
        }
    }

    /// What the logs held that were deleted.
    pub fn deleted(&self) -> DeletedLogs {
        self.deleted
    }

    /// Puts a log that was to be replaced back, if nothing has taken its place.
    pub fn restore_replaced(&mut self) {
        if self.plain.symlink_metadata().is_err()
            && let Some(replaced) = self.replaced.take()
        {
            let _ = std::fs::rename(replaced, &self.plain);
        }
        self.forget_replaced();
    }

    /// Deletes the log that was replaced: its successor is in place.
    pub fn forget_replaced(&mut self) {
        if let Some(replaced) = self.replaced.take() {
            let _ = std::fs::remove_file(replaced);
        }
    }

    /// The existing logs, oldest first, by the names that they have now.
    pub fn into_paths(self) -> Vec<PathBuf> {
        let is_there = |made: &&Rc<RefCell<Made>>| !made.borrow().is_gone;
        self.made.iter().filter(is_there).map(|made| made.borrow().path.clone()).collect()
    }
}

/// Whether a log can be begun there: nothing has the name, or an empty file.
fn is_free(path: &Path) -> bool {
    path.symlink_metadata().map_or(true, |found| found.is_file() && found.len() == 0)
}

/// Path where a log is kept until its replacement is complete.
fn aside_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".replaced");
    path.with_file_name(name)
}

/// Makes a file name from a machine's name.
fn file_stem(host: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let stem: String = host.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
    let stem = stem.trim_start_matches('.');
    if stem.is_empty() { "recount".to_owned() } else { stem.to_owned() }
}

/// Makes `web1-20261121T101500Z.rcap` from `web1.rcap` and a time, or the next name of that second: after those that exist, so
/// that names sort by time even if the first of the second were deleted.
fn free_name(plain: &Path, time: Timestamp) -> PathBuf {
    let stamp = stamp(time);
    let name = |number: u32| {
        let mut name = plain.file_stem().unwrap_or_default().to_owned();
        name.push(format!("-{stamp}"));
        if number > 1 {
            name.push(format!("_{number}"));
        }
        push_extension(&mut name, plain);
        plain.with_file_name(name)
    };
    let mut number = numbers_of(plain, &stamp).max().map_or(1, |last| last.saturating_add(1));
    while name(number).symlink_metadata().is_ok() {
        number += 1;
    }
    name(number)
}

/// The numbers of the logs that began in a second.
fn numbers_of<'a>(plain: &'a Path, stamp: &'a str) -> impl Iterator<Item = u32> + 'a {
    let entries = std::fs::read_dir(directory_of(plain)).into_iter().flatten().flatten();
    let stamps = entries.filter_map(|entry| stamp_of(plain, Path::new(&entry.file_name())));
    stamps.filter(move |(found, _)| found == stamp).map(|(_, number)| number)
}

/// `20261121T101500Z`; all zeros for a time outside the calendar.
fn stamp(time: Timestamp) -> String {
    let civil = time.to_jiff().map(|time| jiff::tz::Offset::UTC.to_datetime(time)).unwrap_or_default();
    civil.strftime("%Y%m%dT%H%M%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_series_are_known_again() {
        let time = Timestamp::from_jiff("2026-11-21T10:15:00.7Z".parse().expect("a time"));
        let directory = tempfile::tempdir().expect("a directory");
        for plain in ["web1.rcap", "web1", "a.b.rcap", "ä.rcap"] {
            let plain = directory.path().join(plain);
            let first = free_name(&plain, time);
            assert_eq!(stamp_of(&plain, &first), Some(("20261121T101500Z".to_owned(), 1)));
            std::fs::write(&first, "").expect("writing");
            let second = free_name(&plain, time);
            assert_eq!(stamp_of(&plain, &second), Some(("20261121T101500Z".to_owned(), 2)));
            assert!(second > first, "they sort by time");
            std::fs::write(&second, "").expect("writing");
            std::fs::remove_file(&first).expect("removing");
            let third = free_name(&plain, time);
            assert_eq!(stamp_of(&plain, &third), Some(("20261121T101500Z".to_owned(), 3)));
            std::fs::write(&first, "").expect("writing");
        }
        assert!(directory.path().join("web1-20261121T101500Z.rcap").exists());
        assert!(directory.path().join("web1-20261121T101500Z").exists());
    }

    /// Logs that begin within a second, and after a clock was set back.
    #[test]
    fn the_newest_of_a_recording_are_those_begun_last() {
        let directory = tempfile::tempdir().expect("a directory");
        let later = Timestamp::from_jiff("2026-11-21T10:15:00Z".parse().expect("a time"));
        let earlier = Timestamp::from_jiff("2026-11-21T09:15:00Z".parse().expect("a time"));
        let options = LogFilesOptions {
            output: Some(directory.path().join("a.rcap")),
            is_series: true,
            keep: NonZeroUsize::new(2),
            ..LogFilesOptions::default()
        };
        let mut files = LogFiles::new(options, "WEB1").expect("a directory");
        for (time, kept) in [
            (later, ["a-20261121T101500Z.rcap"].as_slice()),
            (later, &["a-20261121T101500Z.rcap", "a-20261121T101500Z_2.rcap"]),
            (later, &["a-20261121T101500Z_2.rcap", "a-20261121T101500Z_3.rcap"]),
            (later, &["a-20261121T101500Z_3.rcap", "a-20261121T101500Z_4.rcap"]),
            (later, &["a-20261121T101500Z_4.rcap", "a-20261121T101500Z_5.rcap"]),
            (earlier, &["a-20261121T091500Z.rcap", "a-20261121T101500Z_5.rcap"]),
            (earlier, &["a-20261121T091500Z.rcap", "a-20261121T091500Z_2.rcap"]),
        ] {
            let mut log = files.begin(time).expect("a log");
            log.block(time, b"a block").expect("written");
            drop(log);
            let entries = std::fs::read_dir(directory.path()).expect("a directory");
            let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
            names.sort();
            assert_eq!(names, kept);
        }
        assert_eq!(files.deleted().num_samples, 5);
    }

    /// After a disk that was full from the beginning.
    #[test]
    fn only_a_log_without_a_sample_is_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.rcap");
        let options = LogFilesOptions { output: Some(path.clone()), ..LogFilesOptions::default() };
        for (num_samples, is_kept) in [(0, false), (1, true), (2, true)] {
            let mut files = LogFiles::new(options.clone(), "WEB1").expect("a directory");
            let mut log = files.begin(Timestamp(1)).expect("a log");
            for number in 0..num_samples {
                log.block(Timestamp(2 + number), b"a block").expect("written");
            }
            drop(log);
            files.remove_empty();
            assert_eq!(path.exists(), is_kept, "{num_samples}");
            let _ = std::fs::remove_file(&path);
        }
    }

    #[test]
    fn machine_names_become_file_names() {
        for (host, stem) in [("WEB1", "WEB1"), ("a/b\\c", "a_b_c"), ("..", "recount"), ("", "recount")] {
            assert_eq!(file_stem(host), stem);
        }
    }
}
