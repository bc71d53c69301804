//! Events during the recording of a log, and marked times.

use recount_model::{Event, EventKind, FindingKind, Health, Mark, Timestamp};

use super::{Entry, Log};
use crate::bytes::Short;
use crate::tally::Tally;
use crate::{CaptureError, RecordKind, payload};

/// The events of a log.
#[derive(Default)]
pub(crate) struct Events {
    /// With their records, in order.
    pub(crate) read: Vec<(usize, Event)>,
    /// Records that are events and can't be read, and those before which records are missing, which may have been events.
    pub(crate) lost: Vec<usize>,
}

/// All events.
pub(crate) fn events(log: &Log, health: &mut Health) -> Result<Events, CaptureError> {
    let mut events = Events::default();
    let mut next_number = None;
    for entry in &log.entries {
        if next_number.is_some_and(|next| next < entry.number_first) {
            events.lost.push(entry.first_record);
        }
        next_number = Some(entry.number_end());
        let records = entry.first_record..entry.first_record + entry.num_records;
        let is_event = |record: &usize| log.records.kinds.get(*record) == Some(&RecordKind::EVENT);
        if !records.clone().any(|record| is_event(&record)) {
            continue;
        }
        let mut unsound = Tally::default();
        let read = read_events(log, entry, records.clone().filter(is_event), &mut unsound);
        match read {
            Ok((read, lost)) => {
                events.read.extend(read);
                events.lost.extend(lost);
            }
            Err(CaptureError::Io(error)) => return Err(error.into()),
            Err(error) => {
                events.lost.extend(records.filter(is_event));
                health.note(FindingKind::Damaged, None, format!("events: {error}"));
            }
        }
        report_unsound(entry, &unsound, health);
    }
    report_all(&events.read, health);
    Ok(events)
}

/// Events that were read, and the records of those that are invalid.
type Read = (Vec<(usize, Event)>, Vec<usize>);

/// The events of a frame. An invalid event is counted, and the others are still read.
fn read_events(
    log: &Log,
    entry: &Entry,
    records: impl Iterator<Item = usize>,
    unsound: &mut Tally<Short>,
) -> Result<Read, CaptureError> {
    let mut frame = log.frame_records(entry)?;
    let (mut events, mut lost) = (Vec::new(), Vec::new());
    for record in records {
        let bytes = frame.read(record)?;
        let time = log.records.times.get(record).copied().unwrap_or_default();
        match payload::read_event(time, bytes) {
            Ok(event) => events.extend(event.map(|event| (record, event))),
            Err(fault) => {
                lost.push(record);
                unsound.note(record, fault);
            }
        }
    }
    Ok((events, lost))
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

/// Reports the events that affect the values. Of several of a kind, one finding says how many there were and which was the
/// worst, and the others are there for those who ask for details: a recorder on a busy machine has hundreds.
fn report_all(events: &[(usize, Event)], health: &mut Health) {
    let is_same_outage = |(record, one): &(usize, Event), (next, other): &(usize, Event)| {
        (one.kind, other.kind) == (EventKind::Lost, EventKind::Lost) && record + 1 == *next
    };
    let together = events.chunk_by(is_same_outage).flat_map(|together| match together {
        [(_, first), .., (_, last)] => vec![outage(first, last, together.len())],
        _ => together.iter().map(|(_, event)| event.clone()).collect(),
    });
    let reported: Vec<Event> = together.filter(|event| described(event).is_some()).collect();
    report_kinds(&reported, health);
}

/// Losses without a sample between them, as one: while a machine can't be reached, there is one at every sample.
fn outage(first: &Event, last: &Event, num_losses: usize) -> Event {
    let until = format!("the first of {num_losses} losses in a row, until {}", last.time);
    Event { text: format!("{} ({until})", first.text), ..first.clone() }
}

fn report_kinds(events: &[Event], health: &mut Health) {
    let mut kinds: Vec<(EventKind, usize)> = Vec::new();
    for event in events {
        match kinds.iter_mut().find(|(kind, _)| *kind == event.kind) {
            Some((_, num)) => *num += 1,
            None => kinds.push((event.kind, 1)),
        }
    }
    for &(kind, num) in &kinds {
        let of_kind = events.iter().filter(|event| event.kind == kind);
        if num == 1 {
            of_kind.for_each(|event| note(kind_of_finding(kind), event, health));
        } else if let Some(summary) = summary(kind, num, of_kind) {
            health.note(kind_of_finding(kind), None, summary);
        }
    }
    // The details come after what is said of all.
    let is_detail = |event: &&Event| kinds.iter().any(|(kind, num)| *kind == event.kind && *num > 1);
    events.iter().filter(is_detail).for_each(|event| note(FindingKind::Expected, event, health));
}

/// How many events of a kind there were, which was the worst, and in which time.
fn summary<'e>(
    kind: EventKind,
    num: usize,
    mut events: impl Iterator<Item = &'e Event> + Clone,
) -> Option<String> {
    let (first, last) = (events.clone().next()?, events.clone().last()?);
    let worst = events.clone().max_by_key(|event| event.extent.unsigned_abs())?;
    let count: u64 = events.by_ref().map(|event| event.count).fold(0, u64::saturating_add);
    let what = match kind {
        EventKind::Late => format!("{num} samples taken late"),
        EventKind::Missed => format!("{count} samples not taken, at {num} times"),
        EventKind::ClockStep => format!("the clock was set {num} times"),
        EventKind::Suspended => format!("the machine slept {num} times"),
        EventKind::Lost => format!("the source lost data {num} times"),
        EventKind::Reconnected => format!("{num} new connections"),
        // When readings fail and work again, each time counts.
        _ => return None,
    };
    let span = format!("between {} and {}", first.time, last.time);
    Some(match kind {
        EventKind::Lost if first.text.is_empty() => format!("{what}, {span}"),
        EventKind::Lost => format!("{what}, {span}, first: {}", first.text),
        _ => format!("{what}, {span}, the worst {:.3} s at {}", seconds(worst), worst.time),
    })
}

fn seconds(event: &Event) -> f64 {
    event.extent as f64 / Timestamp::TICKS_PER_SECOND as f64
}

/// What an event is, if it affects the values.
fn described(event: &Event) -> Option<String> {
    let seconds = seconds(event);
    Some(match event.kind {
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
        _ => return None,
    })
}

fn kind_of_finding(kind: EventKind) -> FindingKind {
    match kind {
        EventKind::Lost => FindingKind::Lost,
        EventKind::Unreadable => FindingKind::Expected,
        _ => FindingKind::Odd,
    }
}

/// Reports one event as a finding.
fn note(kind: FindingKind, event: &Event, health: &mut Health) {
    let Some(what) = described(event) else { return };
    let colon = match event.kind {
        _ if event.text.is_empty() => "",
        EventKind::Unreadable => ", first ",
        _ => ": ",
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
