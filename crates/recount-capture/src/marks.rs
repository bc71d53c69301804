//! Marks: marked times, as events of a log (`formats/rcap.md#marks`).
//!
//! A log that is being written has one writer, so a mark for it is left next to it, as a request: the frame of the record
//! that it is to become. A closed log has no writer, so marks are appended to it, after its index, with a new index after
//! them. Nothing is overwritten, so a crash can't lose anything.

use recount_model::{Event, EventKind, Health, Mark};

use crate::frame::{self, FrameHead, FrameKind};
use crate::log::{Entry, events, marks_of, max_num_records, write_index};
use crate::payload::{self, LEN_RECORD_HEAD, RecordHead};
use crate::{CaptureError, Log, ReadAt, RecordKind, Storage};

/// The result of appending marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AppendedMarks {
    /// Marks that were new to the log.
    pub num_added: usize,
    /// Bytes of the log.
    pub len_file: u64,
}

impl Log {
    /// The first four bytes of the capture's id, which identify the log in marks left next to it.
    pub fn tag(&self) -> u32 {
        self.tag
    }

    /// Adds marks that were left next to the log: sources made from it have them like its own.
    pub fn add_marks(&mut self, marks: Vec<Mark>) {
        self.marks_beside.extend(marks);
    }

    /// The marks in the log, ascending, each once. Unreadable events are ignored.
    pub fn marks(&self) -> Result<Vec<Mark>, CaptureError> {
        let events = events(self, &mut Health::default())?.read;
        Ok(marks_of(self, &events))
    }
}

/// A mark as an event of a log.
pub fn mark_event(mark: &Mark) -> Event {
    Event { time: mark.time, kind: EventKind::Mark, extent: 0, count: 0, text: mark.text.clone() }
}

/// The bytes that are left next to a log of this tag, for its recorder to add.
pub fn write_mark_request(tag: u32, mark: &Mark) -> Vec<u8> {
    let mut out = Vec::new();
    write_record(tag, 0, mark, &mut out);
    out
}

/// Reads what was left next to a log; `None` if it is incomplete, or for another log.
pub fn read_mark_request(tag: u32, bytes: &[u8]) -> Option<Mark> {
    let head = FrameHead::read(bytes).ok()?;
    let is_ours = head.tag == tag && head.kind == FrameKind::RECORD && head.len_frame() == bytes.len();
    if !is_ours || Some(head.version) != FrameKind::RECORD.version() || frame::check_tail(bytes).is_err() {
        return None;
    }
    let payload = frame::payload(bytes);
    let record = RecordHead::read(payload).ok().filter(|record| record.kind == RecordKind::EVENT)?;
    let event = payload::read_event(record.time, payload.get(LEN_RECORD_HEAD..)?).ok()??;
    (event.kind == EventKind::Mark).then_some(Mark { time: event.time, text: event.text })
}

fn write_record(tag: u32, number: u64, mark: &Mark, out: &mut Vec<u8>) {
    let head = RecordHead { number, time: mark.time, kind: RecordKind::EVENT };
    let event = payload::write_event(&mark_event(mark));
    frame::write(tag, FrameKind::RECORD, &[&head.write(), &event], out);
}

/// Appends marks to a closed log, except those that it already has. `input` is what `storage` holds.
///
/// If this fails, the log is as it was. If the process is killed, the log still has its records, and ends with an
/// incomplete frame. Nothing else may append to it meanwhile.
pub fn append_marks<S: Storage>(
    input: Box<dyn ReadAt>,
    storage: &mut S,
    marks: &[Mark],
) -> Result<AppendedMarks, CaptureError> {
    let mut log = Log::open(input)?;
    if !log.is_closed() {
        return Err(CaptureError::NotClosed);
    }
    let mut new: Vec<Mark> = marks.to_vec();
    new.sort();
    new.dedup();
    let there = log.marks()?;
    new.retain(|mark| there.binary_search(mark).is_err());
    let len_before = log.input.len()?;
    if new.is_empty() {
        return Ok(AppendedMarks { num_added: 0, len_file: len_before });
    }
    let mut bytes = Vec::new();
    for mark in &new {
        let (number, start) = (log.next_number(), bytes.len());
        write_record(log.tag, number, mark, &mut bytes);
        list(&mut log, len_before + start as u64, bytes.len() - start, number, mark);
    }
    frame::write(log.tag, FrameKind::INDEX, &[&write_index(&log)], &mut bytes);
    let len_file = len_before + bytes.len() as u64;
    let max_num_records = max_num_records(len_file);
    if log.num_records() as u64 > max_num_records {
        return Err(CaptureError::TooMany { max: max_num_records });
    }
    storage.write_at(len_before, &bytes).and_then(|()| storage.sync()).inspect_err(|_| {
        // If even this fails, a torn frame remains at the end, which readers skip.
        let _ = storage.set_len(len_before);
    })?;
    Ok(AppendedMarks { num_added: new.len(), len_file })
}

/// Registers a record that is about to be appended, so that the index lists it, too.
fn list(log: &mut Log, ofs: u64, len_frame: usize, number: u64, mark: &Mark) {
    log.entries.push(Entry {
        ofs,
        len_frame,
        is_chunk: false,
        number_first: number,
        num_records: 1,
        first_record: log.records.times.len(),
    });
    log.records.times.push(mark.time);
    log.records.kinds.push(RecordKind::EVENT);
    log.records.lens.push(payload::write_event(&mark_event(mark)).len() as u64);
}
