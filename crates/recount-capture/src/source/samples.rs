//! Which records are samples, when they were taken, and what happened between them.

use jiff::tz::TimeZone;
use recount_model::{EventKind, Opened, SampleTime, Timestamp};

use crate::log::{events, marks_of};
use crate::{CaptureError, Log, RecordKind};

/// The samples of a log, in the order of time.
pub(crate) struct Samples {
    /// The record of each.
    pub(crate) records: Vec<u32>,
    epochs: Vec<Epoch>,
}

/// Which stretch of the recording a sample is in, also if losses ended none.
#[derive(Clone, Copy, Default)]
struct Epoch {
    number: u32,
    despite_losses: u32,
}

impl Samples {
    /// Finds them, with their times: the records of a kind. Events and marks are read and reported.
    pub(crate) fn find(
        log: &Log,
        sample_kind: RecordKind,
        zone: Option<&TimeZone>,
        opened: &mut Opened,
    ) -> Result<Samples, CaptureError> {
        let events = events(log, &mut opened.health)?;
        opened.info.marks = marks_of(log, &events.read);
        let (mut lost, mut events) = (events.lost.iter().peekable(), events.read.iter().peekable());
        let mut found: Vec<(SampleTime, u32, Epoch)> = Vec::new();
        let (mut epoch, mut before) = (Epoch::default(), None);
        for (record, (&time, &kind)) in log.records.times.iter().zip(&log.records.kinds).enumerate() {
            while let Some((_, event)) = events.next_if(|(at, _)| *at <= record) {
                // A clock that jumped doesn't give the length of the interval that it jumped in.
                epoch.end_if(event.kind == EventKind::ClockStep);
            }
            // What is lost may have been that the clock was set.
            while lost.next_if(|at| **at <= record).is_some() {
                epoch.number += u32::from(before.is_some());
            }
            if kind == sample_kind {
                epoch.end_if(before.is_some_and(|before| time < before));
                before = Some(time);
                let offset_min = zone.map_or(0, |zone| offset_min(zone, time));
                found.push((SampleTime { utc: time, offset_min }, record as u32, epoch));
            }
        }
        // Stable: samples of one time stay in the order they were taken in.
        found.sort_by_key(|(time, ..)| time.utc);
        opened.times = found.iter().map(|(time, ..)| *time).collect();
        let (records, epochs) = found.into_iter().map(|(_, record, epoch)| (record, epoch)).unzip();
        Ok(Samples { records, epochs })
    }

    /// See [`Source::epoch`](recount_model::Source::epoch).
    pub(crate) fn epoch(&self, sample: usize) -> u32 {
        self.epochs.get(sample).map_or(0, |epoch| epoch.number)
    }

    /// See [`Source::epoch_despite_losses`](recount_model::Source::epoch_despite_losses).
    pub(crate) fn epoch_despite_losses(&self, sample: usize) -> u32 {
        self.epochs.get(sample).map_or(0, |epoch| epoch.despite_losses)
    }

    /// Samples by the frame that holds them.
    pub(crate) fn by_entry<'s>(
        &'s self,
        log: &'s Log,
        samples: &'s [u32],
    ) -> impl Iterator<Item = (usize, &'s [u32])> {
        let entry_of = |sample: &u32| {
            let record = *self.records.get(*sample as usize)?;
            log.entry_of(record as usize).map(|(entry, _)| entry)
        };
        let by_entry = samples.chunk_by(move |a, b| entry_of(a) == entry_of(b));
        by_entry.filter_map(move |of_entry| Some((of_entry.first().and_then(entry_of)?, of_entry)))
    }
}

impl Epoch {
    fn end_if(&mut self, is_end: bool) {
        self.number += u32::from(is_end);
        self.despite_losses += u32::from(is_end);
    }
}

fn offset_min(zone: &TimeZone, time: Timestamp) -> i16 {
    time.to_jiff().map_or(0, |time| (zone.to_offset(time).seconds() / 60) as i16)
}
