//! Repairs a log: everything sound goes into a new one, with its order and numbers.
//!
//! Sound frames are copied byte for byte, including those of unknown kinds. Records of the tail are sealed. If the
//! sections of some objects in a chunk are damaged, the others are kept. If a chunk has records that can't be kept, the
//! others go into a new chunk. A new index follows at the end.

mod chunk;
mod output;
mod tail;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unsound_tests;

use std::fs::File;
use std::io;

use recount_model::{Facts, FindingKind, Health, Timestamp};

use crate::frame::FrameKind;
use crate::log::{Definition, Entry, Frame, frames, max_num_records};
use crate::payload::RecordHead;
use crate::tally::{Reason, Tally};
use crate::verify::{Shared, own_fault, record_name, scan_findings};
use crate::{CaptureError, Log, ReadAt, payload};
use chunk::Verdict;
use output::Output;
use tail::{Sealed, Tail};

/// The fact that says what a repair left out (`formats/rcap.md#facts`).
const REPAIRED: &str = "repaired";

/// What a repair did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// Records of the new log.
    pub num_records: u64,
    /// Records that were not sealed before and are now.
    pub num_sealed: u64,
    /// What could not be copied: records by number and time, and why.
    pub dropped: Vec<String>,
    /// Bytes of the new log.
    pub len_file: u64,
}

/// Writes the sound parts of a log to an empty file, as a closed log. Syncing it is left to the caller.
pub fn repair(input: Box<dyn ReadAt>, out: File) -> Result<Repaired, CaptureError> {
    let log = Log::open_by_frames(Box::new(Shared::new(input)))?;
    let mut repair =
        Repair { log: &log, out: Output::new(&log, out)?, tail: Tail::default(), done: Repaired::default() };
    repair.done.dropped = missing(&log);
    for item in items(&log)? {
        match item {
            Item::Frame { ofs, len_frame } => {
                repair.seal()?;
                repair.out.copy(&log, ofs, len_frame)?;
            }
            Item::Entry(entry) if entry.is_chunk => repair.chunk(&entry)?,
            Item::Entry(entry) => repair.unsealed(&entry)?,
        }
    }
    repair.seal()?;
    repair.finish()
}

/// Something to take over.
enum Item {
    /// A frame as it is.
    Frame { ofs: u64, len_frame: usize },
    /// Records.
    Entry(Entry),
}

impl Item {
    fn ofs(&self) -> u64 {
        match self {
            Item::Frame { ofs, .. } => *ofs,
            Item::Entry(entry) => entry.ofs,
        }
    }
}

/// Everything to copy, in the order of the file, except the header, which is already written, and old indexes.
fn items(log: &Log) -> Result<Vec<Item>, CaptureError> {
    let mut items: Vec<Item> = log.entries.iter().map(|entry| Item::Entry(*entry)).collect();
    let frame =
        |definition: &Definition| Item::Frame { ofs: definition.ofs, len_frame: definition.len_frame };
    items.extend(log.definitions.iter().map(frame));
    let is_entry = |ofs| log.entries.binary_search_by_key(&ofs, |entry| entry.ofs).is_ok();
    frames(log, &is_entry, |Frame { ofs, head, fault }, _| {
        // Everything relevant of our own kinds is listed, except frames of a later version.
        let is_foreign = head.kind.version().is_none_or(|known| head.version > known);
        if fault.is_none() && is_foreign && head.kind != FrameKind::INDEX {
            items.push(Item::Frame { ofs, len_frame: head.len_frame() });
        }
        Ok::<(), CaptureError>(())
    })?;
    items.sort_by_key(Item::ofs);
    Ok(items)
}

/// The damage found when the log was opened.
fn missing(log: &Log) -> Vec<String> {
    let mut health = Health::default();
    scan_findings(log, false, &mut health);
    let is_loss = |kind| !matches!(kind, FindingKind::Odd | FindingKind::Expected | FindingKind::Dropped);
    health.findings().iter().filter(|finding| is_loss(finding.kind)).map(ToString::to_string).collect()
}

struct Repair<'a> {
    log: &'a Log,
    out: Output,
    tail: Tail,
    done: Repaired,
}

impl Repair<'_> {
    fn chunk(&mut self, entry: &Entry) -> Result<(), CaptureError> {
        let num_records = entry.num_records as u64;
        match chunk::judge(self.log, entry)? {
            Verdict::Sound if self.has_room(num_records, entry.len_frame) => {
                self.seal()?;
                self.out.copy(self.log, entry.ofs, entry.len_frame)?;
            }
            Verdict::Anew { payload, dropped } if self.has_room(num_records, payload.len()) => {
                self.seal()?;
                self.out.write(FrameKind::CHUNK, &[&payload])?;
                self.done.dropped.extend(dropped);
            }
            Verdict::Damaged { dropped } => {
                self.done.dropped.push(dropped);
                return Ok(());
            }
            _ => return self.one_by_one(entry),
        }
        self.done.num_records += num_records;
        Ok(())
    }

    /// Whether a log with this many more records and bytes would still be within the limits.
    fn has_room(&self, num_records: u64, len: usize) -> bool {
        self.done.num_records + num_records <= max_num_records(self.out.len_file() + len as u64)
    }

    /// Copies the sound records of a chunk into other chunks.
    fn one_by_one(&mut self, entry: &Entry) -> Result<(), CaptureError> {
        let mut unsound = Tally::default();
        self.log.read_records(
            entry.first_record..entry.first_record + entry.num_records,
            |record, bytes| {
                match bytes {
                    Ok(bytes) => self.record(entry, record, bytes, &mut unsound)?,
                    Err(CaptureError::Damaged { what, .. }) => unsound.note(record, what.clone()),
                    Err(error) => return Err(io::Error::other(error.to_string()).into()),
                }
                Ok::<(), CaptureError>(())
            },
        )?;
        self.drop_unsound(&unsound);
        Ok(())
    }

    fn unsealed(&mut self, entry: &Entry) -> Result<(), CaptureError> {
        let (mut bytes, mut unsound) = (Vec::new(), Tally::default());
        self.log.read_unsealed(entry, &mut bytes)?;
        self.record(entry, entry.first_record, &bytes, &mut unsound)?;
        self.drop_unsound(&unsound);
        Ok(())
    }

    /// Copies a record, unless it is an invalid record of the log's own.
    fn record(
        &mut self,
        entry: &Entry,
        record: usize,
        bytes: &[u8],
        unsound: &mut Tally<String>,
    ) -> Result<(), CaptureError> {
        let Some((time, kind)) = self.log.record_info(record) else { return Ok(()) };
        if let Some(why) = own_fault(time, kind, bytes) {
            unsound.note(record, why);
            return Ok(());
        }
        let number = entry.number_first + (record - entry.first_record) as u64;
        if !self.tail.fits(number, bytes.len()) {
            self.seal()?;
        }
        self.tail.push(RecordHead { number, time, kind }, bytes, entry.is_chunk);
        Ok(())
    }

    fn drop_unsound(&mut self, unsound: &Tally<String>) {
        let line = |fault: &Reason<String>| {
            format!("{}: {}{}", record_name(self.log, fault.first), fault.why, fault.and_more())
        };
        self.done.dropped.extend(unsound.reasons().iter().map(line).chain(unsound.others()));
    }

    fn seal(&mut self) -> Result<(), CaptureError> {
        let Sealed { num_records, num_sealed } = self.tail.seal(self.done.num_records, &mut self.out)?;
        self.done.num_records += num_records;
        self.done.num_sealed += num_sealed;
        Ok(())
    }

    /// Facts about the repair, and the index.
    fn finish(mut self) -> Result<Repaired, CaptureError> {
        if !self.done.dropped.is_empty() {
            let facts = self.facts();
            self.out.write(FrameKind::FACTS, &[&payload::write_facts(&facts)])?;
        }
        let log = Log::open(self.out.reader()?)?;
        self.out.write(FrameKind::INDEX, &[&crate::log::write_index(&log)])?;
        self.done.len_file = self.out.len_file();
        Ok(self.done)
    }

    /// The log's facts, with a note of what was left out, for later readers.
    fn facts(&self) -> Facts {
        let mut facts = self.log.facts().clone();
        let repaired = format!("{}: {}", now(), self.done.dropped.join("; "));
        let entry = facts.entry(REPAIRED.to_owned()).or_default();
        if !entry.is_empty() {
            entry.push_str("; ");
        }
        entry.push_str(&repaired);
        facts
    }
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // The time of the repair, to the second.
    Timestamp::from_unix_nanos((since.as_secs() as i64).saturating_mul(1_000_000_000))
}
