//! The recording loop: takes a sample from a source at every tick of the schedule and passes it to a log.

mod live;
mod log;
mod options;
mod taking;
#[cfg(test)]
mod tests;
mod workload;

use std::io;

pub use live::{LiveError, open_live};
pub use log::{BeginLog, Finished, Gone, Log, Rotation};
pub use options::{EndReason, RecordError, RecordOptions, RecordProgress, RecordReport};

use crate::priority::Priority;
use crate::schedule::nanos;
use crate::{Clock, Interrupts, LiveSource, Moment, Schedule, TakeError};
use log::{Head, Open};
use workload::Workload;

/// After this many failed samples in a row the recorder gives up.
const MAX_FAILED: u32 = 10;

/// The parts of a recording.
pub struct Recorder<'a> {
    /// Where samples come from.
    pub source: &'a mut dyn LiveSource,
    /// Where they go.
    pub begin_log: BeginLog<'a>,
    /// The clock for the schedule.
    pub clock: &'a mut dyn Clock,
    /// Requests to end it or to begin a new log.
    pub interrupts: &'a Interrupts,
    /// Called after every sample.
    pub on_progress: &'a mut dyn FnMut(&RecordProgress),
}

impl Recorder<'_> {
    /// Records until one of the limits in `options` is reached or the end is requested; then closes the log.
    ///
    /// Blocks until then. A sample that can't be taken is reported in the log, and the next one is tried.
    /// When the end is requested, or a command has ended, a last sample is taken immediately, so that nothing
    /// since the previous sample is lost. Until then the calling thread has the highest priority that it may have, except
    /// for replays.
    pub fn record(self, options: RecordOptions) -> Result<RecordReport, RecordError> {
        let start = self.clock.now();
        let head = Head::of(self.source, &options.facts);
        let is_live = !options.is_replay;
        let recording = Recording {
            schedule: Schedule::new(options.interval.unwrap_or_default(), start),
            end_ns: options.duration.map(|duration| start.monotonic_ns.saturating_add(nanos(duration))),
            parts: self,
            options,
            head,
            open: None,
            gone: None,
            workload: None,
            priority: is_live.then(Priority::raise),
            num_failed: 0,
            len_closed: 0,
            is_closed: false,
            report: RecordReport {
                progress: RecordProgress::default(),
                reason: EndReason::Source,
                first_unreadable: None,
                first_lost: None,
                last_lost: None,
                first_gone: None,
                first_damage: None,
            },
        };
        recording.run(start)
    }
}

/// Why the loop can't continue.
enum Failure {
    Begin(io::Error),
    Write(io::Error),
    Source(TakeError),
    Command(io::Error),
    TooSmall { max_len: u64, len_needed: u64 },
}

/// Why a wait ended.
enum Wake {
    /// The next sample is due.
    Due(Moment),
    /// Time to end, with a last sample.
    End(Moment, EndReason),
}

struct Recording<'a> {
    parts: Recorder<'a>,
    options: RecordOptions,
    schedule: Schedule,
    /// When the requested duration is over.
    end_ns: Option<i64>,
    head: Head,
    /// `None` before the first sample and after a failure.
    open: Option<Open>,
    /// What became of the previous log, if that is why there is none now.
    gone: Option<String>,
    workload: Option<Workload>,
    /// `None` for a replay, which can wait.
    priority: Option<Priority>,
    /// Samples that failed since the last successful one.
    num_failed: u32,
    /// Bytes of the logs that are closed.
    len_closed: u64,
    /// The log is closed, though its disk has failed.
    is_closed: bool,
    report: RecordReport,
}

impl Recording<'_> {
    fn run(mut self, start: Moment) -> Result<RecordReport, RecordError> {
        let failure = match self.samples(start) {
            Ok(reason) => {
                self.report.reason = reason;
                match self.close(&reason.to_string()) {
                    Ok(()) => return Ok(self.report),
                    Err(error) => Failure::Write(error),
                }
            }
            Err(failure) => failure,
        };
        // First begin the log: the command may run for a long time.
        let error = self.give_up(failure);
        if let Some(workload) = &mut self.workload {
            workload.wait();
        }
        Err(error)
    }

    /// Takes all samples; returns the reason for the end.
    fn samples(&mut self, start: Moment) -> Result<EndReason, Failure> {
        let mut next = Wake::Due(start);
        loop {
            match next {
                Wake::Due(now) => {
                    if !self.sample(now)? {
                        return self.end_of_source();
                    }
                }
                Wake::End(now, reason) => {
                    // The next block of a dump isn't a current sample.
                    if !self.options.is_replay {
                        self.sample(now)?;
                    }
                    return Ok(reason);
                }
            }
            if self.options.count.is_some_and(|count| self.report.progress.num_samples >= count) {
                return Ok(EndReason::Count);
            }
            if let Some(mut command) = self.options.command.take() {
                let mut start = || Workload::start(&mut command);
                let started = match &self.priority {
                    Some(raised) => raised.as_before(&mut start),
                    None => start(),
                };
                self.workload = Some(started.map_err(|source| {
                    self.options.command = Some(command);
                    Failure::Command(source)
                })?);
            }
            next = self.wait()?;
        }
    }

    /// The source has no more samples, but a command runs on until it ends by itself.
    fn end_of_source(&mut self) -> Result<EndReason, Failure> {
        let Some(workload) = &mut self.workload else { return Ok(EndReason::Source) };
        workload.wait();
        let ended = workload.ended().map_err(Failure::Command)?;
        Ok(ended.map_or(EndReason::Source, EndReason::Command))
    }

    /// Waits for the next sample, or for the end.
    fn wait(&mut self) -> Result<Wake, Failure> {
        loop {
            let asked = self.parts.interrupts.take_requests();
            let ended = match (&mut self.workload, asked.ended_by) {
                (Some(workload), _) => workload.ended().map_err(Failure::Command)?.map(EndReason::Command),
                (None, ended_by) => ended_by.map(EndReason::Asked),
            };
            let now = self.parts.clock.now();
            if asked.rotate && ended.is_none() {
                self.rotate("a new log was requested", self.event_time(now), now)?;
            }
            if let Some(reason) = ended {
                return Ok(Wake::End(now, reason));
            }
            if let (Some(workload), Some(_)) = (&mut self.workload, asked.ended_by) {
                workload.end();
            }
            if self.end_ns.is_some_and(|end_ns| now.monotonic_ns >= end_ns) {
                return Ok(Wake::End(now, EndReason::Duration));
            }
            let due_ns = self.schedule.due_ns();
            if self.options.interval.is_none() || now.monotonic_ns >= due_ns {
                return Ok(Wake::Due(now));
            }
            let until_ns = self.end_ns.map_or(due_ns, |end_ns| end_ns.min(due_ns));
            self.parts.clock.wait(until_ns, self.parts.interrupts);
        }
    }
}
