//! Verifies a log: reads every byte, compares every checksum, decodes everything.

mod index;
mod records;
mod shared;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeMap, HashMap};

use recount_model::{FindingKind, Health, Place};

use crate::frame::FrameKind;
use crate::log::{Entry, Frame, UnusedIndex, events, frames};
use crate::{CaptureError, Log, ReadAt};

pub(crate) use records::{entry_name, own_fault, record_name, section_name};
pub(crate) use shared::Shared;

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Version of the format.
    pub version: u16,
    /// The program that wrote the log; `None` if its header is damaged.
    pub writer: Option<String>,
    /// Whether it has an index at its end.
    pub is_closed: bool,
    /// Frames whose heads are sound, of any kind.
    pub num_frames: u64,
    /// Records.
    pub num_records: u64,
    /// Chunks of sealed records.
    pub num_chunks: u64,
    /// Records that are not sealed.
    pub num_unsealed: u64,
    /// Bytes of the log.
    pub len_file: u64,
    /// All faults, with their places. If there are none, or only oddities, every record that was ever written to the
    /// log can be restored, except those named in the oddities.
    pub health: Health,
}

/// Verifies a log. Damage is reported in the result; it is an error only if nothing can be read.
///
/// Reads and decodes the whole log by its frames, and compares the index with what it finds.
pub fn verify(input: Box<dyn ReadAt>) -> Result<Verification, CaptureError> {
    /// A writer that seals at the same time moves frames while they are being read.
    const MAX_ATTEMPTS: usize = 5;
    let input = Shared::new(input);
    let mut attempt = 1;
    loop {
        let len_before = input.len()?;
        let mut found = verify_once(&input)?;
        let has_changed = input.len()? != len_before;
        if has_changed && !found.is_closed && attempt == MAX_ATTEMPTS {
            found.health.note(
                FindingKind::Odd,
                None,
                "the log is being written: verify it again when it is closed",
            );
        }
        if found.health.is_complete() || !has_changed || attempt == MAX_ATTEMPTS {
            return Ok(found);
        }
        attempt += 1;
    }
}

fn verify_once(input: &Shared) -> Result<Verification, CaptureError> {
    let by_index = Log::open(Box::new(input.clone()))?;
    let log = Log::open_by_frames(Box::new(input.clone()))?;
    let mut found = Verification {
        version: FrameKind::HEADER.version().unwrap_or(0),
        writer: log.writer().map(str::to_owned),
        is_closed: by_index.is_closed(),
        num_records: log.num_records() as u64,
        num_chunks: log.num_chunks() as u64,
        num_unsealed: log.num_unsealed() as u64,
        len_file: input.len()?,
        ..Verification::default()
    };
    let is_complete = scan_findings(&log, by_index.is_closed(), &mut found.health);
    let damaged = check_frames(&log, &mut found)?;
    if let Some(UnusedIndex { ofs, why }) = by_index.unused_index().filter(|_| is_complete) {
        let what = format!("lists what isn't so: {why}");
        found.health.note(FindingKind::Damaged, Place::structure("index", *ofs), what);
    }
    for entry in &log.entries {
        let num_before = found.health.count(FindingKind::Damaged);
        records::check(&log, entry, &mut found.health)?;
        if found.health.count(FindingKind::Damaged) == num_before
            && let Some(fault) = damaged.get(&entry.ofs)
        {
            let what = format!(
                "{}: {}; its head, its table of records and its sections are sound, so it is the checksum that is damaged",
                entry_name(&log, entry),
                fault
            );
            found.health.note(FindingKind::Damaged, Place::structure("chunk", entry.ofs), what);
        }
    }
    if by_index.is_closed() {
        index::compare(&by_index, &log, is_complete, &mut found.health);
    } else if log.ofs_other().is_none() {
        let what = match by_index.unused_index() {
            Some(_) => "the index at the end doesn't fit the frames, which are read without it",
            None => "no valid index at the end: the recording was cut off or is still running",
        };
        found.health.note(FindingKind::Odd, None, what);
    }
    // Of the recorder's reports, only this one says which values are missing although the file is complete.
    let mut reported = Health::default();
    events(&log, &mut reported)?;
    for finding in reported.findings().iter().filter(|finding| finding.kind == FindingKind::Expected) {
        found.health.note(finding.kind, finding.place.clone(), finding.what.clone());
    }
    Ok(found)
}

/// Adopts the findings of the walk over the frames, and reports missing records by number; if the index knows
/// about them, as an old loss. Returns whether everything that was there still is.
pub(crate) fn scan_findings(log: &Log, is_closed: bool, health: &mut Health) -> bool {
    let found = log.health();
    for finding in found.findings().iter().filter(|finding| finding.kind != FindingKind::Lost) {
        health.note(finding.kind, finding.place.clone(), finding.what.clone());
    }
    let num_unkept = FindingKind::ALL.map(|kind| {
        let kept = found.findings().iter().filter(|finding| finding.kind == kind).count() as u64;
        if kind == FindingKind::Lost { 0 } else { found.count(kind) - kept }
    });
    for (kind, num) in FindingKind::ALL.into_iter().zip(num_unkept).filter(|(_, num)| *num > 0) {
        health.note(kind, None, format!("{num} more of this kind"));
    }
    let is_complete = health.is_complete();
    let mut expected = 0;
    for entry in &log.entries {
        if let Some(num) = entry.number_first.checked_sub(expected).filter(|num| *num > 0) {
            let last = entry.number_first - 1;
            let what = if num == 1 {
                format!("record {last} is missing")
            } else {
                format!("records {expected} to {last} are missing")
            };
            let (kind, note) = if is_closed && is_complete {
                (FindingKind::Odd, "; they were lost before the log was closed or repaired")
            } else {
                (FindingKind::Lost, "")
            };
            health.note(kind, Place::structure("frame", entry.ofs), format!("{what}{note}"));
        }
        expected = entry.number_first + entry.num_records as u64;
    }
    is_complete
}

/// Checks the frames that a scan doesn't read completely. Returns the faults of chunks by offset.
fn check_frames(log: &Log, found: &mut Verification) -> Result<HashMap<u64, String>, CaptureError> {
    let chunks: BTreeMap<u64, &Entry> = log.entries.iter().map(|entry| (entry.ofs, entry)).collect();
    let mut damaged = HashMap::new();
    let (num_frames, health) = (&mut found.num_frames, &mut found.health);
    frames(log, &|ofs| chunks.contains_key(&ofs), |Frame { ofs, head, fault }, _| {
        *num_frames += 1;
        let Some(fault) = fault else { return Ok(()) };
        let what = format!("{}: {}", fault.field, fault.what);
        match head.kind {
            FrameKind::CHUNK if chunks.contains_key(&ofs) => {
                damaged.insert(ofs, what);
            }
            // Reported by the scan.
            FrameKind::CHUNK
            | FrameKind::RECORD
            | FrameKind::FACTS
            | FrameKind::TEXTS
            | FrameKind::HEADER => {}
            FrameKind::INDEX => health.note(FindingKind::Damaged, Place::structure("index", ofs), what),
            kind => {
                let what = format!("frame of kind {}: {what}", kind.0);
                health.note(FindingKind::Damaged, Place::structure("frame", ofs), what);
            }
        }
        Ok::<(), CaptureError>(())
    })?;
    Ok(damaged)
}
