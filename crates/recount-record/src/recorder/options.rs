//! What to record and for how long, and the result.

use std::process::{Command, ExitStatus};
use std::time::Duration;

use recount_model::{Facts, Timestamp};

use super::{Rotation, TakeError};

/// How to record.
#[derive(Debug)]
pub struct RecordOptions {
    /// Time from sample to sample. `None` for as fast as the source provides them, for replays.
    pub interval: Option<Duration>,
    /// End after this time, with a last sample.
    pub duration: Option<Duration>,
    /// End after this many samples.
    pub count: Option<u64>,
    /// When to begin the next log.
    pub rotation: Rotation,
    /// The samples aren't live: the clocks are unrelated to them, and events get the time of the previous
    /// sample.
    pub is_replay: bool,
    /// A command to run after the first sample; a last sample is taken when it has ended.
    pub command: Option<Command>,
    /// Facts in addition to the source's.
    pub facts: Facts,
}

impl RecordOptions {
    /// A live sample per interval, until the end is requested.
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

/// Progress of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordProgress {
    /// Samples written.
    pub num_samples: u64,
    /// Samples taken late.
    pub num_late: u64,
    /// Samples missed.
    pub num_missed: u64,
    /// Samples that the source could not take.
    pub num_lost: u64,
    /// Samples written to logs that another program then removed, emptied or cut, and that can't be read anymore.
    pub num_gone: u64,
    /// Readings of the last sample that failed.
    pub num_unreadable: u64,
    /// Logs begun.
    pub num_logs: u64,
    /// Bytes of all logs; for closed logs, their final length.
    pub len_written: u64,
    /// Time of the last sample written.
    pub last: Option<Timestamp>,
}

/// The result of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordReport {
    /// The progress up to then.
    pub progress: RecordProgress,
    /// Why it ended.
    pub reason: EndReason,
    /// The first reading of the last sample that failed.
    pub first_unreadable: Option<String>,
    /// Error of the first sample that the source could not take.
    pub first_lost: Option<String>,
    /// Why the last sample was lost.
    pub last_lost: Option<String>,
    /// The first log that another program removed, emptied or cut, and what that cost.
    pub first_gone: Option<String>,
    /// What is damaged in the first closed log that doesn't read as it was written: others have written into it.
    pub first_damage: Option<String>,
}

/// Why a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndReason {
    /// All requested samples were taken.
    Count,
    /// The requested duration is over.
    Duration,
    /// The source has no more samples.
    Source,
    /// The end was requested by a signal or through the handle.
    Asked(crate::EndedBy),
    /// The command ended.
    Command(ExitStatus),
}

impl std::fmt::Display for EndReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use crate::EndedBy;
        match self {
            EndReason::Count => f.write_str("all requested samples were taken"),
            EndReason::Duration => f.write_str("the requested duration is over"),
            EndReason::Source => f.write_str("the source has no more samples"),
            EndReason::Asked(EndedBy::Interrupt) => f.write_str("SIGINT"),
            EndReason::Asked(EndedBy::Terminate) => f.write_str("SIGTERM"),
            EndReason::Asked(EndedBy::Terminal) => f.write_str("the terminal was closed (SIGHUP)"),
            EndReason::Asked(EndedBy::Handle) => f.write_str("the end was requested"),
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
        /// The system's error.
        source: std::io::Error,
    },
    /// The log can no longer be written (for example because the disk is full) or can't be closed.
    #[error("writing failed: {source}{}{}", written(progress), sealed(progress, *is_closed))]
    Write {
        /// The progress up to then.
        progress: Box<RecordProgress>,
        /// Whether the log could be closed anyway.
        is_closed: bool,
        /// The system's error.
        source: std::io::Error,
    },
    /// Too many samples in a row could not be taken. The log is closed.
    #[error("{num_failed} samples in a row could not be taken: {source}{}", written(progress))]
    Source {
        /// How many.
        num_failed: u32,
        /// The progress up to then.
        progress: Box<RecordProgress>,
        /// Why the last of them failed.
        source: TakeError,
    },
    /// A log of the size that was asked for can't hold two samples. There is at most one sample.
    #[error("a log of {max_len} bytes can't hold two samples of this source: they take {len_needed} bytes")]
    TooSmall {
        /// The size that was asked for.
        max_len: u64,
        /// The length of a closed log with two samples, at most.
        len_needed: u64,
    },
    /// The command could not be started. The log is closed; it has the first sample.
    #[error("can't run {program}: {source}")]
    Command {
        /// Its name.
        program: String,
        /// The system's error.
        source: std::io::Error,
    },
}

fn written(progress: &RecordProgress) -> String {
    let left = progress.num_samples.saturating_sub(progress.num_gone);
    if progress.num_gone > 0 {
        // The last sample may be among those that are gone.
        let samples =
            |count: u64| if count == 1 { "1 sample".to_owned() } else { format!("{count} samples") };
        let (all, gone) = (samples(progress.num_samples), samples(progress.num_gone));
        let gone = if left == 0 {
            "can't be read anymore".to_owned()
        } else {
            format!("{gone} of them can't be read anymore")
        };
        let verb = if progress.num_samples == 1 { "was" } else { "were" };
        return format!("; {all} {verb} written, and {gone}: another program took away their log");
    }
    match (left, progress.last) {
        (0, _) | (_, None) => "; no sample was written".to_owned(),
        (1, Some(last)) => format!("; the sample of {last} is written"),
        (count, Some(last)) => format!("; {count} samples are written, the last of {last}"),
    }
}

/// A log without a sample isn't worth a word: it isn't kept.
fn sealed(progress: &RecordProgress, is_closed: bool) -> &'static str {
    match is_closed {
        _ if progress.num_samples == 0 => "",
        true => "; the log is closed",
        false => "; the log is not closed, but reads up to there",
    }
}
