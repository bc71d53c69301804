//! One sample: from the source to the log, with its events.

use std::io;

use recount_model::{Event, EventKind, Timestamp};

use super::log::{Head, Open};
use super::{Failure, MAX_FAILED, RecordError, Recording};
use crate::{Moment, Taken};

impl Recording<'_> {
    /// Takes a sample and writes it; false if the source has no more. A sample that can't be taken is
    /// reported in the log, until there are too many in a row.
    pub(super) fn sample(&mut self, now: Moment) -> Result<bool, Failure> {
        let events = self.schedule.tick(now);
        let taken = self.parts.source.take();
        let time = match &taken {
            Ok(None) => {
                // Messages after the last sample.
                let time = self.report.progress.last.unwrap_or_else(|| self.event_time(now));
                self.take_messages(time)?;
                return Ok(false);
            }
            // Events of a replay have the time of its samples.
            Ok(Some(taken)) if self.options.is_replay => taken.time,
            _ => self.event_time(now),
        };
        if taken.is_ok() && self.parts.source.take_renamed() {
            let messages = std::mem::take(&mut self.head.messages);
            self.head = Head { messages, ..Head::of(self.parts.source, &self.options.facts) };
            self.rotate("the names of the counters have changed", time, now)?;
        }
        self.leave_gone();
        self.make_room(time, now)?;
        if !self.options.is_replay {
            for event in events {
                match event.kind {
                    EventKind::Late => self.report.progress.num_late += 1,
                    EventKind::Missed => self.report.progress.num_missed += event.count,
                    _ => {}
                }
                self.write(|open| open.event(&event))?;
            }
        }
        match taken {
            Ok(None) => {}
            Ok(Some(taken)) => self.take_in(time, taken)?,
            Err(error) => {
                let text = error.to_string();
                self.num_failed += 1;
                self.report.progress.num_lost += 1;
                self.report.first_lost.get_or_insert_with(|| text.clone());
                self.report.last_lost = Some(text.clone());
                self.write(|open| open.event(&plain_event(EventKind::Lost, time, 1, text)))?;
                // What never gave a sample won't give one later.
                let may_recover = self.report.progress.num_samples > 0 && self.parts.source.keeps_trying();
                if self.num_failed >= MAX_FAILED && !may_recover {
                    return Err(Failure::Source(error));
                }
            }
        }
        self.report.progress.len_written =
            self.len_closed + self.open.as_ref().map_or(0, super::log::Open::len_file);
        (self.parts.on_progress)(&self.report.progress);
        Ok(true)
    }

    /// Writes a taken sample.
    fn take_in(&mut self, time: Timestamp, taken: Taken) -> Result<(), Failure> {
        self.num_failed = 0;
        let progress = &mut self.report.progress;
        // The number changes as processes come and go; only whether anything is missing matters.
        let is_reported = (progress.num_unreadable > 0) == (taken.num_unreadable > 0);
        progress.num_unreadable = taken.num_unreadable;
        self.report.first_unreadable = taken.first_unreadable;
        if !is_reported {
            let text = self.report.first_unreadable.clone().unwrap_or_default();
            let event = plain_event(EventKind::Unreadable, time, taken.num_unreadable, text);
            self.write(|open| open.event(&event))?;
        }
        if let Some((extent, text)) = self.parts.source.take_reconnected() {
            let event = Event { time, kind: EventKind::Reconnected, extent, count: 0, text };
            self.write(|open| open.event(&event))?;
        }
        for event in self.parts.source.take_events() {
            self.write(|open| open.event(&event))?;
        }
        self.take_messages(taken.time)?;
        if let Some(open) = &mut self.open {
            let source = &mut self.parts.source;
            let notes = source.processes(open.is_new());
            open.sample(source.form(), taken.time, &notes, source.sample()).map_err(Failure::Write)?;
        }
        self.report.progress.num_samples += 1;
        self.report.progress.last = Some(taken.time);
        self.check_size()
    }

    /// A size into which two samples don't fit is refused after the first, while there is nothing to lose.
    fn check_size(&mut self) -> Result<(), Failure> {
        let (Some(max_len), Some(open), 1) =
            (self.options.rotation.max_len, &mut self.open, self.report.progress.num_samples)
        else {
            return Ok(());
        };
        let len_needed = open.len_beyond(max_len);
        len_needed.map_or(Ok(()), |len_needed| Err(Failure::TooSmall { max_len, len_needed }))
    }

    /// Writes the messages that came before a sample, and keeps them for the logs that follow.
    fn take_messages(&mut self, time: Timestamp) -> Result<(), Failure> {
        for message in self.parts.source.messages() {
            self.write(|open| open.message(time, &message))?;
            self.head.messages.keep(time, message);
        }
        Ok(())
    }

    /// Makes sure that there is a log for the next sample.
    fn make_room(&mut self, time: Timestamp, now: Moment) -> Result<(), Failure> {
        let Some(open) = &mut self.open else {
            let gone = self.gone.take();
            let continues = gone.map(|gone| format!("continues the previous log, which {gone}"));
            return self.begin(&continues.unwrap_or_default(), time, now);
        };
        let interval = self.options.interval.unwrap_or_default();
        match open.is_full(self.options.rotation, now.boottime_ns, interval) {
            Some(reason) => self.rotate(reason, time, now),
            None => Ok(()),
        }
    }

    /// Gives up the log if another program has removed, emptied or cut it: the next sample begins another.
    fn leave_gone(&mut self) {
        let Some(gone) = self.open.as_mut().and_then(Open::gone) else { return };
        let num_samples = self.open.take().map_or(0, |open| open.num_samples());
        let num_gone = num_samples.saturating_sub(gone.num_readable);
        self.report.progress.num_gone += num_gone;
        let samples = if num_samples == 1 { "sample" } else { "samples" };
        let of_all = if num_gone == num_samples { String::new() } else { format!("of {num_samples} ") };
        let gone = format!("{}: {num_gone} {of_all}{samples} can no longer be read there", gone.what);
        self.report.first_gone.get_or_insert_with(|| gone.clone());
        self.gone = Some(gone);
    }

    fn begin(&mut self, continues: &str, time: Timestamp, now: Moment) -> Result<(), Failure> {
        let settings = self.head.facts.get("settings").map_or("", String::as_str);
        let text = [continues, settings].iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>();
        let event = plain_event(EventKind::Begin, time, 0, text.join("; "));
        let open = Open::begin(self.parts.begin_log, &self.head, &event, now.boottime_ns);
        self.open = Some(open.map_err(Failure::Begin)?);
        self.report.progress.num_logs += 1;
        if self.report.progress.num_unreadable > 0 {
            // Every log states what its samples lack.
            let text = self.report.first_unreadable.clone().unwrap_or_default();
            let count = self.report.progress.num_unreadable;
            self.write(|open| open.event(&plain_event(EventKind::Unreadable, time, count, text)))?;
        }
        Ok(())
    }

    /// Closes the log and begins the next one. A log without samples stays.
    pub(super) fn rotate(&mut self, reason: &str, time: Timestamp, now: Moment) -> Result<(), Failure> {
        self.leave_gone();
        if self.open.as_ref().is_some_and(|open| open.num_samples() > 0) {
            self.close_at(reason, time).map_err(Failure::Write)?;
            self.begin(&format!("continues the previous log: {reason}"), time, now)?;
        }
        Ok(())
    }

    /// Closes the log at the end.
    pub(super) fn close(&mut self, reason: &str) -> io::Result<()> {
        let now = self.parts.clock.now();
        let time = self.event_time(now);
        self.leave_gone();
        self.close_at(reason, time)
    }

    fn close_at(&mut self, reason: &str, time: Timestamp) -> io::Result<()> {
        if let Some(open) = self.open.take() {
            let finished = open.finish(&plain_event(EventKind::End, time, 0, reason.to_owned()))?;
            self.len_closed += finished.len;
            self.report.progress.len_written = self.len_closed;
            if let Some(damage) = finished.damage {
                self.report.first_damage.get_or_insert(damage);
            }
            if let Some(fault) = finished.fault {
                self.is_closed = true;
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Ends after a failure: as cleanly as still can be.
    pub(super) fn give_up(&mut self, failure: Failure) -> RecordError {
        let why = match &failure {
            Failure::Begin(_) | Failure::Write(_) | Failure::TooSmall { .. } => None,
            Failure::Source(error) => Some(error.to_string()),
            Failure::Command(error) => Some(error.to_string()),
        };
        let failure = match why.map(|why| self.close(&format!("gave up: {why}"))) {
            // A risk to recorded data is more important.
            Some(Err(error)) => Failure::Write(error),
            Some(Ok(())) | None => failure,
        };
        let is_closed = self.open.take().is_some_and(Open::abandon) || self.is_closed;
        let progress = Box::new(self.report.progress);
        match failure {
            Failure::Begin(source) => RecordError::Begin { progress, source },
            Failure::Write(source) => RecordError::Write { progress, is_closed, source },
            Failure::TooSmall { max_len, len_needed } => RecordError::TooSmall { max_len, len_needed },
            Failure::Source(source) => RecordError::Source { num_failed: self.num_failed, progress, source },
            Failure::Command(source) => {
                let program = self.options.command.as_ref().map(|command| command.get_program().to_owned());
                let program = program.unwrap_or_default().to_string_lossy().into_owned();
                RecordError::Command { program, source }
            }
        }
    }

    /// The time of an event: now, or, in a replay, the time of the previous sample.
    pub(super) fn event_time(&self, now: Moment) -> Timestamp {
        match self.report.progress.last {
            Some(last) if self.options.is_replay => last,
            _ => now.time(),
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut Open) -> io::Result<()>) -> Result<(), Failure> {
        self.open.as_mut().map_or(Ok(()), write).map_err(Failure::Write)
    }
}

/// An event without an extent.
fn plain_event(kind: EventKind, time: Timestamp, count: u64, text: String) -> Event {
    Event { time, kind, extent: 0, count, text }
}
