//! Events during the recording of a log, and marked times.

use recount_model::{Event, EventKind, FindingKind, Health, Mark, Piece, Timestamp};

use super::{Entry, Log};
use crate::bytes::Short;
use crate::tally::Tally;
use crate::{CaptureError, RecordKind, payload};

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
        report_unsound(entry, &unsound, health);
    }
    let is_same_outage = |(record, one): &(usize, Event), (next, other): &(usize, Event)| {
        (one.kind, other.kind) == (EventKind::Lost, EventKind::Lost) && record + 1 == *next
    };
    for together in events.chunk_by(is_same_outage) {
        match together {
            [(_, first), .., (_, last)] => report(&outage(first, last, together.len()), health),
            _ => together.iter().for_each(|(_, event)| report(event, health)),
        }
    }
    Ok(events)
}

/// The events of a frame. An invalid event is counted, and the others are still read.
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

fn report_unsound(entry: &Entry, unsound: &Tally<Short>, health: &mut Health) {
    let reasons = unsound.reasons().iter().map(|fault| {
        let error = CaptureError::at("event", entry.ofs, fault.why.clone());
        format!("events: {error}{}", fault.and_more())
    });
    for what in reasons.chain(unsound.others()) {
        health.note(FindingKind::Damaged, None, what);
    }
}

/// Losses without a sample between them, as one: while a machine can't be reached, there is one at every sample.
fn outage(first: &Event, last: &Event, num_losses: usize) -> Event {
    let until = format!("the first of {num_losses} losses in a row, until {}", last.time);
    Event { text: format!("{} ({until})", first.text), ..first.clone() }
}

/// Reports events that affect the values as findings.
fn report(event: &Event, health: &mut Health) {
    let seconds = event.extent as f64 / Timestamp::TICKS_PER_SECOND as f64;
    let what = match event.kind {
        EventKind::Late => format!("sample taken {seconds:.3} s late"),
        EventKind::Missed if event.count == 1 => format!("a sample not taken in {seconds:.3} s"),
        EventKind::Missed => format!("{} samples not taken in {seconds:.3} s", event.count),
        EventKind::ClockStep => format!("the clock was set by {seconds:.3} s"),
        EventKind::Suspended => format!("the machine slept for {seconds:.3} s"),
        EventKind::Unreadable if event.count > 0 => {
            format!("readings start to fail here: {} in this sample", event.count)
        }
        EventKind::Lost => "the source lost data".to_owned(),
        EventKind::Reconnected => format!("a new connection after {seconds:.3} s"),
        _ => return,
    };
    let colon = match event.kind {
        _ if event.text.is_empty() => "",
        EventKind::Unreadable => ", first ",
        _ => ": ",
    };
    let kind = match event.kind {
        EventKind::Lost => FindingKind::Lost,
        EventKind::Unreadable => FindingKind::Expected,
        _ => FindingKind::Odd,
    };
    health.note(kind, None, format!("{}: {what}{colon}{}", event.time, event.text));
}

/// The marks among a log's events, and those next to it.
pub(crate) fn marks_of(log: &Log, events: &[(usize, Event)]) -> Vec<Mark> {
    let in_log = events.iter().filter(|(_, event)| event.kind == EventKind::Mark);
    let in_log = in_log.map(|(_, event)| Mark { time: event.time, text: event.text.clone() });
    let mut marks: Vec<Mark> = in_log.chain(log.marks_beside.iter().cloned()).collect();
    marks.sort();
    // A mark may be both in the log and next to it, if its recorder was killed in between.
    marks.dedup();
    marks
}
