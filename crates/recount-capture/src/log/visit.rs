//! Processes a frame whose head is sound.

use recount_model::FindingKind;

use super::progress::{Scan, Visit};
use super::{Definition, Entry, Log, max_num_records};
use crate::CaptureError;
use crate::bytes::Short;
use crate::chunk::{ChunkHead, MAX_LEN_RECORD};
use crate::frame::{self, FrameHead, FrameKind};
use crate::payload::{self, Header, LEN_RECORD_HEAD, RecordHead};

/// Maximum bytes of the tail that are kept: more than a writer leaves unsealed.
const MAX_LEN_TAIL: usize = 64 << 20;

/// What to do with a chunk.
enum Placement {
    /// It follows what was found.
    After,
    /// It replaces everything from an entry on.
    Instead(usize),
    /// All its records are known already; says whether from chunks.
    Nowhere { from_chunk: bool },
}

impl Log {
    pub(super) fn visit(
        &mut self,
        ofs: u64,
        head: &FrameHead,
        len_file: u64,
        scan: &mut Scan,
    ) -> Result<Visit, CaptureError> {
        let known = head.kind.version();
        if known.is_some_and(|known| head.version > known) {
            if let Err(fault) = self.check_end(ofs, head)? {
                return Ok(Visit::Broken(fault));
            }
            let what = format!(
                "frame of kind {}, version {}: written by a later recount",
                head.kind.0, head.version
            );
            scan.note(FindingKind::Dropped, ofs, what, self.entries.len());
            return Ok(Visit::OTHER);
        }
        match head.kind {
            FrameKind::CHUNK => self.visit_chunk(ofs, head, len_file, scan),
            FrameKind::RECORD => self.visit_record(ofs, head, scan),
            FrameKind::FACTS | FrameKind::TEXTS => self.visit_definition(ofs, head),
            FrameKind::HEADER if self.header.is_none() => self.visit_header(ofs, head),
            kind => {
                let is_last = ofs + head.len_frame() as u64 == len_file;
                if kind == FrameKind::INDEX && is_last {
                    scan.ends_with_index = self.is_sound(ofs, head.len_frame())?;
                }
                Ok(self.check_end(ofs, head)?.map_or_else(Visit::Broken, |()| Visit::OTHER))
            }
        }
    }

    /// A header that isn't where it should be, because other bytes precede it.
    fn visit_header(&mut self, ofs: u64, head: &FrameHead) -> Result<Visit, CaptureError> {
        let header = self.read_frame(ofs, head)?.and_then(|frame| Header::read(frame::payload(&frame)));
        Ok(match header {
            Ok(header) => {
                self.header = Some(header);
                Visit::OTHER
            }
            Err(fault) => Visit::Broken(fault),
        })
    }

    fn visit_definition(&mut self, ofs: u64, head: &FrameHead) -> Result<Visit, CaptureError> {
        let frame = match self.read_frame(ofs, head)? {
            Ok(frame) => frame,
            Err(fault) => return Ok(Visit::Broken(fault)),
        };
        let definition = Definition { kind: head.kind, ofs, len_frame: head.len_frame() };
        Ok(self.take_definition(definition, &frame).map_or_else(Visit::Broken, |()| Visit::OTHER))
    }

    /// Reads the frame whose head was read before. The writer may have put another in its place in the meantime: a chunk
    /// may even have the length of the record that was there.
    fn read_frame(&self, ofs: u64, head: &FrameHead) -> Result<Result<Vec<u8>, Short>, CaptureError> {
        let mut frame = Vec::new();
        self.input.read(ofs, head.len_frame(), &mut frame)?;
        let checked = match FrameHead::read(&frame) {
            Ok(now) if now == *head => frame::check_tail(&frame),
            Ok(_) => Err(Short { field: "kind", ofs: 8, what: "another frame was written here".to_owned() }),
            Err(fault) => Err(fault),
        };
        Ok(checked.map(|()| frame))
    }

    /// Whether a frame of facts was found.
    pub(super) fn has_facts(&self) -> bool {
        self.definitions.iter().any(|definition| definition.kind == FrameKind::FACTS)
    }

    /// Takes in a frame of facts or texts whose checksums are right.
    pub(super) fn take_definition(&mut self, definition: Definition, frame: &[u8]) -> Result<(), Short> {
        if definition.kind == FrameKind::FACTS {
            self.facts = payload::read_facts(frame::payload(frame))?;
        } else {
            let (language, texts) = payload::read_texts(frame::payload(frame))?;
            self.texts.entry(language).or_default().merge(&texts);
        }
        self.definitions.push(definition);
        Ok(())
    }

    fn visit_record(&mut self, ofs: u64, head: &FrameHead, scan: &mut Scan) -> Result<Visit, CaptureError> {
        if head.len_payload > LEN_RECORD_HEAD + MAX_LEN_RECORD {
            let what = format!("a record of {} bytes, more than may be", head.len_payload);
            return Ok(Visit::Broken(Short { field: "len_payload", ofs: 12, what }));
        }
        let read = self.read_frame(ofs, head)?;
        let read = read.and_then(|frame| Ok((RecordHead::read(frame::payload(&frame))?, frame)));
        let (record, frame) = match read {
            Ok(read) => read,
            Err(fault) => return Ok(Visit::Broken(fault)),
        };
        let next = self.next_number();
        if record.number < next {
            return Ok(Visit::Superseded);
        }
        self.note_lost(ofs, record.number, scan);
        let first_record = self.records.times.len();
        let bytes = frame::payload(&frame).get(LEN_RECORD_HEAD..).unwrap_or_default();
        if self.len_tail + bytes.len() <= MAX_LEN_TAIL {
            self.len_tail += bytes.len();
            self.tail.insert(record.number, bytes.into());
        }
        self.entries.push(Entry {
            ofs,
            len_frame: head.len_frame(),
            is_chunk: false,
            number_first: record.number,
            num_records: 1,
            first_record,
        });
        self.records.times.push(record.time);
        self.records.kinds.push(record.kind);
        self.records.lens.push((head.len_payload - LEN_RECORD_HEAD) as u64);
        Ok(Visit::Sound { is_records: true, is_next: record.number == next })
    }

    fn visit_chunk(
        &mut self,
        ofs: u64,
        head: &FrameHead,
        len_file: u64,
        scan: &mut Scan,
    ) -> Result<Visit, CaptureError> {
        let (chunk, mut bytes) = match self.read_directory(ofs, head)? {
            Ok(found) => found,
            Err(fault) => return Ok(Visit::Broken(fault)),
        };
        let max_num_records = max_num_records(len_file);
        if self.num_records_below(chunk.number_first) + chunk.num_records as u64 > max_num_records {
            if let Err(fault) = self.check_end(ofs, head)? {
                return Ok(Visit::Broken(fault));
            }
            scan.note_beyond(ofs, max_num_records, self.entries.len());
            return Ok(Visit::OTHER);
        }
        let table = match self.read_table(ofs, head, &chunk, &mut bytes)? {
            Ok(table) => table,
            Err(fault) => return Ok(Visit::Broken(fault)),
        };
        let next = self.next_number();
        let visit = match self.placement(ofs, head, &chunk)? {
            Placement::After => {
                self.note_lost(ofs, chunk.number_first, scan);
                Visit::Sound { is_records: true, is_next: chunk.number_first == next }
            }
            Placement::Instead(had) => {
                let num_records = self.entries.get(had).map_or(self.records.times.len(), |e| e.first_record);
                self.entries.truncate(had);
                self.records.truncate(num_records);
                // The writer will put it in the tail's place.
                self.moves.insert(ofs, scan.ofs_settled());
                scan.replaced(ofs, had);
                self.note_lost(ofs, chunk.number_first, scan);
                Visit::Replaces
            }
            Placement::Nowhere { from_chunk: true } => return Ok(Visit::Superseded),
            Placement::Nowhere { from_chunk: false } => return Ok(Visit::Redundant),
        };
        self.entries.push(Entry {
            ofs,
            len_frame: head.len_frame(),
            is_chunk: true,
            number_first: chunk.number_first,
            num_records: chunk.num_records,
            first_record: self.records.times.len(),
        });
        self.records.times.extend(table.times);
        self.records.kinds.extend(table.kinds);
        self.records.lens.extend(table.lens);
        Ok(visit)
    }

    /// Number of records found with lower numbers than this.
    fn num_records_below(&self, number: u64) -> u64 {
        let at = self.entries.partition_point(|entry| entry.number_end() <= number);
        self.entries.get(at).map_or(self.records.times.len(), |entry| entry.first_record) as u64
    }

    /// Where a chunk belongs among the entries found so far. Sound entries are kept; otherwise a sound chunk replaces
    /// them.
    fn placement(&self, ofs: u64, head: &FrameHead, chunk: &ChunkHead) -> Result<Placement, CaptureError> {
        let (start, end) = (chunk.number_first, chunk.number_first + chunk.num_records as u64);
        let had = self.entries.partition_point(|entry| entry.number_end() <= start);
        let Some(first) = self.entries.get(had) else { return Ok(Placement::After) };
        let from_chunk = self.entries[had..].iter().any(|entry| entry.is_chunk);
        // No chunk of ours covers a part of an entry, or entries with others after them.
        let covers = first.number_first >= start && self.next_number() <= end;
        if covers
            && !self.has_all(start, end, &self.entries[had..])?
            && self.is_sound(ofs, head.len_frame())?
        {
            return Ok(Placement::Instead(had));
        }
        Ok(Placement::Nowhere { from_chunk })
    }

    /// Whether entries hold all records of these numbers, and can be read.
    fn has_all(&self, start: u64, end: u64, entries: &[Entry]) -> Result<bool, CaptureError> {
        let mut next = start;
        for entry in entries {
            // Unsealed records were fully checked when they were found.
            let is_sound = !entry.is_chunk || self.is_sound(entry.ofs, entry.len_frame)?;
            if entry.number_first != next || !is_sound {
                return Ok(false);
            }
            next = entry.number_end();
        }
        Ok(next >= end)
    }

    /// Whether a frame's checksum is right.
    pub(crate) fn is_sound(&self, ofs: u64, len_frame: usize) -> Result<bool, CaptureError> {
        let mut frame = Vec::new();
        self.input.read(ofs, len_frame, &mut frame)?;
        Ok(frame.len() == len_frame && frame::check_tail(&frame).is_ok())
    }

    /// The number that the next record has, if none is missing.
    pub(crate) fn next_number(&self) -> u64 {
        self.entries.last().map_or(0, Entry::number_end)
    }

    fn note_lost(&self, ofs: u64, number: u64, scan: &mut Scan) {
        let num_lost = number.saturating_sub(self.next_number());
        if num_lost > 0 {
            let what = format!("{num_lost} records before this one are missing");
            scan.note(FindingKind::Lost, ofs, what, self.entries.len());
        }
    }
}
