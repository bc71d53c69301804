//! Which records are samples, when they were taken, and what happened between them.

use jiff::tz::TimeZone;
use recount_model::{Event, EventKind, FindingKind, Health, Mark, Piece, SampleTime, Timestamp};

use crate::bytes::Short;
use crate::log::Entry;
use crate::marks::marks_of;
use crate::tally::Tally;
use crate::{CaptureError, Log, RecordKind, payload};

/// The samples of a log, in the order of time.
#[derive(Default)]
pub(crate) struct Samples {
    pub(crate) times: Vec<SampleTime>,
    /// The record of each.
    pub(crate) records: Vec<u32>,
    pub(crate) epochs: Vec<u32>,
    /// Times that somebody marked.
    pub(crate) marks: Vec<Mark>,
}

impl Samples {
    /// Finds them: the records of a kind. Events are read and told.
    pub(crate) fn find(
        log: &Log,
        sample_kind: RecordKind,
        zone: Option<&TimeZone>,
        health: &mut Health,
    ) -> Result<Samples, CaptureError> {
        let events = events(log, health)?;
        let marks = marks_of(log, &events);
        let mut events = events.iter().peekable();
        let mut found: Vec<(SampleTime, u32, u32)> = Vec::new();
        let (mut epoch, mut before) = (0, None);
        for (record, (&time, &kind)) in log.records.times.iter().zip(&log.records.kinds).enumerate() {
            while let Some((_, event)) = events.next_if(|(at, _)| *at <= record) {
                // Clocks that jumped say nothing about the interval that they jumped in.
                epoch += u32::from(event.kind == EventKind::ClockStep);
            }
            if kind == sample_kind {
                epoch += u32::from(before.is_some_and(|before| time < before));
                before = Some(time);
                let offset_min = zone.map_or(0, |zone| offset_min(zone, time));
                found.push((SampleTime { utc: time, offset_min }, record as u32, epoch));
            }
        }
        // Stable: samples of one time stay in the order they were taken in.
        found.sort_by_key(|(time, ..)| time.utc);
        let mut samples = Samples { marks, ..Samples::default() };
        for (time, record, epoch) in found {
            samples.times.push(time);
            samples.records.push(record);
            samples.epochs.push(epoch);
        }
        Ok(samples)
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

fn offset_min(zone: &TimeZone, time: Timestamp) -> i16 {
    time.to_jiff().map_or(0, |time| (zone.to_offset(time).seconds() / 60) as i16)
}

/// All events with their records, in order.
pub(crate) fn events(log: &Log, health: &mut Health) -> Result<Vec<(usize, Event)>, CaptureError> {
    let mut events = Vec::new();
    for entry in &log.entries {
        let records = entry.first_record..entry.first_record + entry.num_records;
        let is_event = |record: &usize| log.records.kinds.get(*record) == Some(&RecordKind::EVENT);
        if !records.clone().any(|record| is_event(&record)) {
            continue;
        }
        let mut unsound = Tally::default();
        let read = read_events(log, entry, records.filter(is_event), &mut unsound);
        match read {
            Ok(read) => events.extend(read),
            Err(CaptureError::Io(error)) => return Err(error.into()),
            Err(error) => health.note(FindingKind::Damaged, None, format!("events: {error}")),
        }
        tell_unsound(entry, &unsound, health);
    }
    for (_, event) in &events {
        tell(event, health);
    }
    Ok(events)
}

/// The events of a frame. What is no sound event is counted, and hides no other.
fn read_events(
    log: &Log,
    entry: &Entry,
    records: impl Iterator<Item = usize>,
    unsound: &mut Tally<Short>,
) -> Result<Vec<(usize, Event)>, CaptureError> {
    let mut bytes = Vec::new();
    let mut events = Vec::new();
    let chunk =
        if entry.is_chunk { Some(log.open_chunk(entry, &|section| section == Piece::FRAME)?) } else { None };
    for record in records {
        match &chunk {
            Some(chunk) => {
                bytes.clear();
                let read = chunk.reader.record(record - entry.first_record, &mut bytes);
                read.map_err(|fault| CaptureError::at("chunk", entry.ofs, fault))?;
            }
            None => log.read_unsealed(entry, &mut bytes)?,
        }
        let time = log.records.times.get(record).copied().unwrap_or_default();
        match payload::read_event(time, &bytes) {
            Ok(event) => events.extend(event.map(|event| (record, event))),
            Err(fault) => unsound.note(record, fault),
        }
    }
    Ok(events)
}

fn tell_unsound(entry: &Entry, unsound: &Tally<Short>, health: &mut Health) {
    let told = unsound.reasons().iter().map(|fault| {
        let error = CaptureError::at("event", entry.ofs, fault.why.clone());
        format!("events: {error}{}", fault.and_more())
    });
    for told in told.chain(unsound.others()) {
        health.note(FindingKind::Damaged, None, told);
    }
}

/// Events that bear on the numbers, as findings.
fn tell(event: &Event, health: &mut Health) {
    let seconds = event.extent as f64 / Timestamp::TICKS_PER_SECOND as f64;
    let what = match event.kind {
        EventKind::Late => format!("sample taken {seconds:.3} s late"),
        EventKind::Missed if event.count == 1 => format!("a sample not taken in {seconds:.3} s"),
        EventKind::Missed => format!("{} samples not taken in {seconds:.3} s", event.count),
        EventKind::ClockStep => format!("the clock was set by {seconds:.3} s"),
        EventKind::Suspended => format!("the machine slept for {seconds:.3} s"),
        EventKind::Unreadable if event.count > 0 => {
            format!("readings fail from here on, {} of this sample, the first", event.count)
        }
        EventKind::Lost => "the source lost something".to_owned(),
        _ => return,
    };
    let colon = if event.text.is_empty() { "" } else { ": " };
    let kind = match event.kind {
        EventKind::Lost => FindingKind::Lost,
        EventKind::Unreadable => FindingKind::Expected,
        _ => FindingKind::Odd,
    };
    health.note(kind, None, format!("{}: {what}{colon}{}", event.time, event.text));
}
