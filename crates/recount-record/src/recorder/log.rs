//! The current log, and when to begin the next one.

use std::io;
use std::time::Duration;

pub use recount_model::{ClosedLog as Finished, LogSink as Log, LostLog as Gone};
use recount_model::{Event, Facts, ProcessNote, Timestamp};
use recount_pcq::MessagesInForce;

use crate::schedule::nanos;
use crate::{LiveSource, SampleForm};

/// A log that has less than this part of its size left after it was compressed is full.
const LEAST_SHARE: u64 = 64;

/// Creates a log for samples from the given time on.
pub type BeginLog<'a> = &'a mut dyn FnMut(Timestamp) -> io::Result<Box<dyn Log>>;

/// When a log is closed and the next one begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// Before a log grows larger than this, in bytes, judging by the last sample. What was written is compressed first, to
    /// see whether more fits. Of the first log two samples must fit; later ones have at least one.
    pub max_len: Option<u64>,
    /// After this time, including time that the machine slept.
    pub max_age: Option<Duration>,
}

/// The head of every log.
pub(super) struct Head {
    pub(super) facts: Facts,
    pub(super) texts: Vec<(String, recount_model::NameTable)>,
    /// The source's messages so far that are still in force.
    pub(super) messages: MessagesInForce,
}

impl Head {
    /// The source's facts, and those added by the recorder.
    pub(super) fn of(source: &mut dyn LiveSource, added: &Facts) -> Head {
        let mut facts = source.facts();
        facts.extend(added.iter().map(|(name, fact)| (name.clone(), fact.clone())));
        Head { facts, texts: source.texts(), messages: MessagesInForce::default() }
    }
}

/// An open log.
pub(super) struct Open {
    log: Box<dyn Log>,
    began_ns: i64,
    num_samples: u64,
    /// By how many bytes the last sample extended it.
    len_grown: u64,
}

impl Open {
    /// Begins a log and writes its head.
    pub(super) fn begin(
        begin: BeginLog<'_>,
        head: &Head,
        event: &Event,
        boottime_ns: i64,
    ) -> io::Result<Open> {
        let mut log = begin(event.time)?;
        log.facts(&head.facts)?;
        for (language, texts) in &head.texts {
            log.texts(language, &mut texts.iter())?;
        }
        log.event(event)?;
        for (time, message) in head.messages.iter() {
            log.message(time, message)?;
        }
        Ok(Open { log, began_ns: boottime_ns, num_samples: 0, len_grown: 0 })
    }

    pub(super) fn len_file(&self) -> u64 {
        self.log.len_file()
    }

    pub(super) fn num_samples(&self) -> u64 {
        self.num_samples
    }

    pub(super) fn gone(&mut self) -> Option<Gone> {
        self.log.gone()
    }

    pub(super) fn message(&mut self, time: Timestamp, message: &[u8]) -> io::Result<()> {
        self.log.message(time, message)
    }

    /// Whether the next sample is its first.
    pub(super) fn is_new(&self) -> bool {
        self.num_samples == 0
    }

    /// Writes a sample, and before it what became known of processes with it.
    pub(super) fn sample(
        &mut self,
        form: SampleForm,
        time: Timestamp,
        notes: &[ProcessNote],
        sample: &[u8],
    ) -> io::Result<()> {
        let mut before = self.log.len_file();
        if !notes.is_empty() {
            self.log.processes(time, notes)?;
        }
        if self.is_new() {
            // Only the first sample describes all processes.
            before = self.log.len_file();
        }
        match form {
            SampleForm::Block => self.log.block(time, sample)?,
            SampleForm::Message => self.log.message(time, sample)?,
        }
        self.num_samples += 1;
        self.len_grown = self.log.len_file().saturating_sub(before);
        Ok(())
    }

    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        self.log.event(event)
    }

    /// Whether the next sample belongs in the next log, and why. To find out, the log may be compressed.
    pub(super) fn is_full(
        &mut self,
        rotation: Rotation,
        boottime_ns: i64,
        interval: Duration,
    ) -> Option<&'static str> {
        if self.num_samples == 0 {
            return None;
        }
        if rotation.max_len.is_some_and(|max_len| self.len_beyond(max_len).is_some()) {
            return Some("the log is full");
        }
        // Use the sample nearest to the time; otherwise jitter would make some logs one sample longer than
        // others.
        let age = boottime_ns.saturating_sub(self.began_ns).saturating_add(nanos(interval) / 2);
        rotation
            .max_age
            .filter(|&max_age| age >= nanos(max_age))
            .map(|_| "the log has reached its maximum age")
    }

    /// The length of the closed log with another sample like the last one, if it would be larger than `max_len` however well
    /// the samples so far are compressed.
    pub(super) fn len_beyond(&mut self, max_len: u64) -> Option<u64> {
        let room = |open: &Open| max_len.checked_sub(open.next_len());
        if room(self).is_some() {
            return None;
        }
        self.log.compact();
        // Chunks of few samples compress badly, and each costs time.
        let is_worth_it = |room: &u64| self.num_samples == 1 || *room >= max_len / LEAST_SHARE;
        if room(self).as_ref().is_some_and(is_worth_it) { None } else { Some(self.next_len()) }
    }

    fn next_len(&self) -> u64 {
        let grown = self.len_grown.saturating_add(self.log.len_to_close());
        self.log.len_file().saturating_add(grown)
    }

    /// Closes the log; the event says why.
    pub(super) fn finish(mut self, event: &Event) -> io::Result<Finished> {
        self.log.event(event)?;
        self.log.finish()
    }

    /// Closes the log after a failed write; whether that succeeded.
    pub(super) fn abandon(self) -> bool {
        self.log.finish().is_ok()
    }
}
