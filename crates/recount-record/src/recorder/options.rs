//! What to record, for how long, and what came of it.

use std::process::{Command, ExitStatus};
use std::time::Duration;

use recount_model::{Facts, Timestamp};

use super::{Rotation, TakeError};

/// How to record.
#[derive(Debug)]
pub struct RecordOptions {
    /// Time from sample to sample. `None`: as fast as the source gives them, which one that replays does.
    pub interval: Option<Duration>,
    /// End after this time, with a last sample.
    pub duration: Option<Duration>,
    /// End after so many samples.
    pub count: Option<u64>,
    /// When to begin the next log.
    pub rotation: Rotation,
    /// The samples are not of now: what the clocks do meanwhile says nothing about them, and events get the time of the
    /// sample before.
    pub is_replay: bool,
    /// To run after the first sample; a last sample is taken when it has ended.
    pub command: Option<Command>,
    /// Facts beside the source's own.
    pub facts: Facts,
}

impl RecordOptions {
    /// A sample per interval of what happens now, until the end is asked for.
    pub fn every(interval: Duration) -> RecordOptions {
        RecordOptions {
            interval: Some(interval),
            duration: None,
            count: None,
            rotation: Rotation::default(),
            is_replay: false,
            command: None,
            facts: Facts::new(),
        }
    }
}

/// How far a recording is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordProgress {
    /// Samples written.
    pub num_samples: u64,
    /// Samples taken late.
    pub num_late: u64,
    /// Samples whose time passed.
    pub num_missed: u64,
    /// Samples that the source failed to give.
    pub num_lost: u64,
    /// Readings of the last sample that failed.
    pub num_unreadable: u64,
    /// Logs begun.
    pub num_logs: u64,
    /// Bytes of all logs, those of logs that are closed as they were closed.
    pub len_written: u64,
    /// Time of the last sample written.
    pub last: Option<Timestamp>,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordReport {
    /// How far it came.
    pub progress: RecordProgress,
    /// Why it ended.
    pub reason: EndReason,
    /// The first reading of the last sample that failed.
    pub first_unreadable: Option<String>,
    /// The first sample that the source failed to give.
    pub first_lost: Option<String>,
}

/// Why a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndReason {
    /// All samples asked for were taken.
    Count,
    /// The time asked for is over.
    Duration,
    /// The source has no more.
    Source,
    /// The end was asked for: by a signal or through the handle.
    Asked(crate::EndedBy),
    /// The command ended.
    Command(ExitStatus),
}

impl std::fmt::Display for EndReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use crate::EndedBy;
        match self {
            EndReason::Count => f.write_str("all samples asked for are taken"),
            EndReason::Duration => f.write_str("the time asked for is over"),
            EndReason::Source => f.write_str("the source has no more samples"),
            EndReason::Asked(EndedBy::Interrupt) => f.write_str("SIGINT"),
            EndReason::Asked(EndedBy::Terminate) => f.write_str("SIGTERM"),
            EndReason::Asked(EndedBy::Terminal) => f.write_str("the terminal was closed (SIGHUP)"),
            EndReason::Asked(EndedBy::Handle) => f.write_str("the end was asked for"),
            EndReason::Command(status) => write!(f, "the command ended: {status}"),
        }
    }
}

/// Why a recording failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// No log could be begun.
    #[error("can't begin a log: {source}{}", written(progress))]
    Begin {
        /// How far it came: samples of earlier logs.
        progress: Box<RecordProgress>,
        /// What the system said.
        source: std::io::Error,
    },
    /// The log can't be written any more (the disk is full, say), or not closed.
    #[error("writing failed: {source}{}; {}", written(progress), sealed(*is_closed))]
    Write {
        /// How far it came.
        progress: Box<RecordProgress>,
        /// Whether the log could be closed all the same.
        is_closed: bool,
        /// What the system said.
        source: std::io::Error,
    },
    /// Too many samples in a row could not be taken. The log is closed.
    #[error("{num_failed} samples in a row could not be taken: {source}{}", written(progress))]
    Source {
        /// How many.
        num_failed: u32,
        /// How far it came.
        progress: Box<RecordProgress>,
        /// Why the last of them failed.
        source: TakeError,
    },
    /// The command could not be started. The log is closed; it has the first sample.
    #[error("can't run {program}: {source}")]
    Command {
        /// Its name.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
}

fn written(progress: &RecordProgress) -> String {
    match (progress.num_samples, progress.last) {
        (0, _) | (_, None) => "; no sample was written".to_owned(),
        (1, Some(last)) => format!("; the sample of {last} is written"),
        (count, Some(last)) => format!("; {count} samples are written, the last of {last}"),
    }
}

fn sealed(is_closed: bool) -> &'static str {
    if is_closed { "the log is closed" } else { "the log is not closed, but reads up to there" }
}
