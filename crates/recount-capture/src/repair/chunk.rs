//! What to keep of a chunk.

use recount_model::Piece;

use crate::chunk::{ChunkHead, SectionEntry};
use crate::frame;
use crate::log::{Entry, OpenChunk};
use crate::verify::{entry_name, own_fault, section_name};
use crate::{CaptureError, Log, RecordKind};

/// What can be kept of a chunk.
pub(super) enum Verdict {
    /// As it was written.
    Sound,
    /// Some sections are damaged, or the head's times or a checksum are wrong: what to write instead, and what is
    /// missing in it.
    Anew { payload: Vec<u8>, dropped: Vec<String> },
    /// Some records can't be kept, so the others have to be copied one by one.
    OneByOne,
    /// Nothing of it can be kept.
    Damaged { dropped: String },
}

/// Judges a chunk by decoding all of it.
pub(super) fn judge(log: &Log, entry: &Entry) -> Result<Verdict, CaptureError> {
    let mut frame = Vec::new();
    log.input.read(entry.ofs, entry.len_frame, &mut frame)?;
    let checked = frame::check_tail(&frame);
    let damaged = |why: &str| {
        let dropped = format!("{}: {why}", entry_name(log, entry));
        Ok(Verdict::Damaged { dropped })
    };
    let chunk = match log.open_chunk(entry, &|_| true) {
        Ok(chunk) => chunk,
        Err(CaptureError::Io(error)) => return Err(error.into()),
        Err(error) => return damaged(&error.to_string()),
    };
    if !are_records_sound(&chunk) {
        return Ok(Verdict::OneByOne);
    }
    let times = chunk.reader.table.times.iter();
    let times = (times.clone().min().copied(), times.max().copied());
    let are_times_right = times == (Some(chunk.head.time_min), Some(chunk.head.time_max));
    let head = ChunkHead {
        time_min: times.0.unwrap_or_default(),
        time_max: times.1.unwrap_or_default(),
        ..chunk.head.clone()
    };
    let is_new = |at: &usize| !chunk.head.sections[*at].is_lost();
    let faults: Vec<usize> = chunk.faults.iter().map(|(at, _)| *at).filter(is_new).collect();
    if faults.is_empty() && checked.is_ok() && are_times_right {
        return Ok(Verdict::Sound);
    }
    let is_lost = |at: usize| chunk.faults.iter().any(|(lost, _)| *lost == at);
    let sections = &chunk.head.sections;
    // Head, table and every section have checksums of their own. If all these are right, only the frame's is wrong.
    let is_new_loss = !faults.is_empty();
    if is_new_loss && (0..sections.len()).any(|at| sections[at].section == Piece::FRAME && is_lost(at)) {
        return damaged(
            "the section of its records' headers is damaged, without which the others mean nothing",
        );
    }
    if is_new_loss && (0..sections.len()).all(is_lost) {
        return damaged("all its sections are damaged");
    }
    let dropped = faults
        .iter()
        .map(|&at| format!("{}: {}", entry_name(log, entry), section_name(log, sections[at].section)));
    Ok(Verdict::Anew {
        payload: without(&head, &is_lost, frame::payload(&frame)),
        dropped: dropped.collect(),
    })
}

/// Whether all complete records have the length that the table states, and all that the log itself defines are valid.
fn are_records_sound(chunk: &OpenChunk) -> bool {
    let table = &chunk.reader.table;
    let mut bytes = Vec::new();
    (0..chunk.head.num_records).all(|record| {
        let is_whole = chunk.reader.segments(record).all(|(_, segment)| segment.is_some());
        bytes.clear();
        let is_read = chunk.reader.record(record, &mut bytes).is_ok();
        let kind = table.kinds.get(record).copied().unwrap_or(RecordKind(0));
        let time = table.times.get(record).copied().unwrap_or_default();
        !is_whole || (is_read && own_fault(time, kind, &bytes).is_none())
    })
}

/// The payload with a new head, without the lost sections, which the directory marks as lost.
fn without(head: &ChunkHead, is_lost: &dyn Fn(usize) -> bool, payload: &[u8]) -> Vec<u8> {
    let lost = |entry: &SectionEntry| SectionEntry {
        section: entry.section,
        flags: entry.flags | SectionEntry::LOST,
        ..SectionEntry::default()
    };
    let sections = head.sections.iter().enumerate();
    let sections =
        sections.map(|(at, entry)| if is_lost(at) { lost(entry) } else { entry.clone() }).collect();
    let mut out = Vec::with_capacity(payload.len());
    ChunkHead { sections, ..head.clone() }.write(&mut out);
    let ofs_table = head.len();
    out.extend_from_slice(payload.get(ofs_table..ofs_table + head.len_table).unwrap_or_default());
    for (at, entry) in head.sections.iter().enumerate().filter(|(at, _)| !is_lost(*at)) {
        let ofs = head.ofs_section(at);
        let len = entry.len_structure + entry.len_columns;
        out.extend_from_slice(payload.get(ofs..ofs + len).unwrap_or_default());
    }
    out
}
