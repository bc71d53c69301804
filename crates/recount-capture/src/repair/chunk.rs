//! What of a chunk is to be kept.

use recount_model::Piece;

use crate::chunk::{ChunkHead, SectionEntry};
use crate::frame;
use crate::log::{Entry, OpenChunk};
use crate::verify::{entry_told, section_told};
use crate::{CaptureError, Log};

/// What a chunk is found to be.
pub(super) enum Verdict {
    /// As it was written.
    Sound,
    /// Some sections are damaged: what to write, and what is missing in it.
    Partly { payload: Vec<u8>, dropped: Vec<String> },
    /// Nothing of it can be kept.
    Damaged { dropped: String },
}

/// Judges a chunk by decoding all of it.
pub(super) fn judge(log: &Log, entry: &Entry) -> Result<Verdict, CaptureError> {
    let mut frame = Vec::new();
    log.input.read(entry.ofs, entry.len_frame, &mut frame)?;
    let checked = frame::check_tail(&frame);
    let damaged = |why: &str| {
        let dropped = format!("{}: {why}", entry_told(log, entry));
        Ok(Verdict::Damaged { dropped })
    };
    let chunk = match log.open_chunk(entry, &|_| true) {
        Ok(chunk) => chunk,
        Err(CaptureError::Io(error)) => return Err(error.into()),
        Err(error) => return damaged(&error.to_string()),
    };
    if let Err(why) = check_table(&chunk) {
        return damaged(why);
    }
    let is_new = |at: &usize| !chunk.head.sections[*at].is_lost();
    let faults: Vec<usize> = chunk.faults.iter().map(|(at, _)| *at).filter(is_new).collect();
    match checked {
        Ok(()) if faults.is_empty() => return Ok(Verdict::Sound),
        // Every section is sound by its own checksum, so it is the table, which has none, or what says so.
        Err(fault) if faults.is_empty() => {
            return damaged(&format!(
                "{}: {}: the times of its records can't be relied on",
                fault.field, fault.what
            ));
        }
        _ => {}
    }
    let is_lost = |at: usize| chunk.faults.iter().any(|(lost, _)| *lost == at);
    let sections = &chunk.head.sections;
    if (0..sections.len()).any(|at| sections[at].section == Piece::FRAME && is_lost(at)) {
        return damaged(
            "the section of its records' headers is damaged, without which the others tell nothing",
        );
    }
    if (0..sections.len()).all(is_lost) {
        return damaged("all its sections are damaged");
    }
    let dropped = faults
        .iter()
        .map(|&at| format!("{}: {}", entry_told(log, entry), section_told(log, sections[at].section)));
    Ok(Verdict::Partly {
        payload: without(&chunk.head, &is_lost, frame::payload(&frame)),
        dropped: dropped.collect(),
    })
}

/// Whether the table of records agrees with all that has a checksum of its own: the head's times, and the lengths that
/// records come out with.
fn check_table(chunk: &OpenChunk) -> Result<(), &'static str> {
    let table = &chunk.reader.table;
    let times = (table.times.iter().min(), table.times.iter().max());
    if chunk.head.num_records > 0 && times != (Some(&chunk.head.time_min), Some(&chunk.head.time_max)) {
        return Err("the times of its records aren't those of its head");
    }
    let mut bytes = Vec::new();
    for record in 0..chunk.head.num_records {
        let is_whole = chunk.reader.segments(record).all(|(_, segment)| segment.is_some());
        bytes.clear();
        if is_whole && chunk.reader.record(record, &mut bytes).is_err() {
            return Err("the lengths of its records aren't those that they come out with");
        }
    }
    Ok(())
}

/// The payload without the sections that are lost, which stay in the directory as such.
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
