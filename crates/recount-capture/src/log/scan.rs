//! Finding the frames of a log one after the other, over damage.

use recount_model::FindingKind;

use super::{Definition, Entry, Log};
use crate::CaptureError;
use crate::bytes::Short;
use crate::chunk::{ChunkHead, LEN_HEAD_FIXED, RecordTable};
use crate::frame::{self, FrameHead, FrameKind, LEN_FRAME_HEAD, LEN_FRAME_TAIL, MAGIC};
use crate::payload::{self, Header, LEN_RECORD_HEAD, RecordHead};

/// How many bytes of the tail are kept, at most: more than a writer leaves unsealed.
const MAX_LEN_TAIL: usize = 64 << 20;

/// How much is searched at a time for the next frame behind damage.
const LEN_WINDOW: usize = 1 << 20;

/// The first place from `from` on where a sound frame head stands, of a tag if that is known.
pub(super) fn find_head(bytes: &[u8], from: usize, tag: Option<u32>) -> Option<(usize, FrameHead)> {
    let mut ofs = from;
    while let Some(rest) = bytes.get(ofs..) {
        ofs += rest.windows(MAGIC.len()).position(|window| window == MAGIC)?;
        match FrameHead::read(&bytes[ofs..]) {
            Ok(head) if tag.is_none_or(|tag| head.tag == tag) => return Some((ofs, head)),
            _ => ofs += 1,
        }
    }
    None
}

/// What a visit of a frame found out.
enum Visit {
    /// The frame is sound as far as it was looked at.
    Sound,
    /// Its records are had already: a sealing is under way, or was interrupted.
    Superseded,
    /// As that, but some of its records were had from nowhere else: a chunk that isn't where it will be.
    Replaces,
    /// It isn't whole, or not what it says.
    Broken(Short),
}

/// Bytes that belong to no sound frame.
struct Gap {
    ofs: u64,
    what: String,
}

impl Log {
    /// Reads the header, and gives the place of the next frame.
    pub(super) fn read_header(&mut self) -> Result<u64, CaptureError> {
        let mut bytes = Vec::new();
        self.input.read(0, LEN_WINDOW, &mut bytes)?;
        let first = FrameHead::read(&bytes).ok().filter(|head| head.kind == FrameKind::HEADER);
        if let Some(head) = first {
            let known = FrameKind::HEADER.version().unwrap_or(0);
            if head.version > known {
                return Err(CaptureError::Version { found: head.version, known });
            }
            let frame = bytes.get(..head.len_frame()).unwrap_or_default();
            let header = frame::check_tail(frame).and_then(|()| Header::read(frame::payload(frame)));
            self.tag = head.tag;
            if let Ok(header) = header {
                self.header = Some(header);
                return Ok(head.len_frame() as u64);
            }
        }
        // Without its header a log still has its records, whose frames know which file they are of.
        let mut ofs = 0;
        loop {
            if let Some((at, head)) = find_head(&bytes, usize::from(ofs == 0 && first.is_some()), None) {
                self.tag = head.tag;
                self.note(
                    FindingKind::Damaged,
                    "header",
                    0,
                    "no sound header frame at the start of the file",
                );
                return Ok(ofs + at as u64);
            }
            if bytes.len() < LEN_WINDOW {
                return Err(CaptureError::NotACapture);
            }
            ofs += (LEN_WINDOW - LEN_FRAME_HEAD) as u64;
            self.input.read(ofs, LEN_WINDOW, &mut bytes)?;
        }
    }

    /// Visits all frames from `ofs` on. Whether the last is an index, so that the log is closed.
    pub(super) fn scan(&mut self, mut ofs: u64) -> Result<bool, CaptureError> {
        let mut ends_with_index = false;
        let len_file = self.input.len()?;
        let (mut gap, mut has_leftover): (Option<Gap>, bool) = (None, false);
        let mut bytes = Vec::new();
        self.ofs_sealed = self.ofs_sealed.max(ofs);
        while ofs < len_file {
            self.input.read(ofs, LEN_FRAME_HEAD, &mut bytes)?;
            let head = FrameHead::read(&bytes).and_then(|head| self.check_head(&head, ofs, len_file));
            let visit = match head {
                Ok(head) => (self.visit(ofs, &head)?, Some(head)),
                Err(fault) => (Visit::Broken(fault), None),
            };
            match visit {
                (Visit::Broken(fault), head) => {
                    gap.get_or_insert(Gap { ofs, what: format!("{}: {}", fault.field, fault.what) });
                    // A sound head tells where the next frame is, but maybe the frame was cut and others follow.
                    ofs = if let Some(next) = self.next_head(ofs + 1, len_file)? {
                        next
                    } else {
                        self.end_gap(gap.as_ref(), len_file, len_file, head.is_some());
                        return Ok(false);
                    };
                }
                (Visit::Superseded | Visit::Replaces, Some(head)) => {
                    // Bytes between these are parts of what the sealed chunk was written over.
                    gap = None;
                    if !std::mem::replace(&mut has_leftover, true) {
                        self.note_leftover(ofs);
                    }
                    ofs += head.len_frame() as u64;
                }
                (Visit::Sound, Some(head)) => {
                    self.end_gap(gap.take().as_ref(), ofs, len_file, false);
                    ofs += head.len_frame() as u64;
                    ends_with_index = head.kind == FrameKind::INDEX && ofs == len_file;
                    if head.kind != FrameKind::RECORD {
                        self.ofs_sealed = ofs;
                        self.health_sealed = self.health.clone();
                    }
                }
                (_, None) => return Ok(false), // only what is broken has no head
            }
        }
        self.end_gap(gap.as_ref(), len_file, len_file, false);
        Ok(ends_with_index)
    }

    fn check_head(&self, head: &FrameHead, ofs: u64, len_file: u64) -> Result<FrameHead, Short> {
        let fault = |field, what| Err(Short { field, ofs: 0, what });
        if head.tag != self.tag {
            return fault("tag", format!("expected {:#010x}, found {:#010x}", self.tag, head.tag));
        }
        let left = len_file - ofs;
        if head.len_frame() as u64 > left {
            return fault(
                "len_payload",
                format!("a frame of {} bytes, of which {left} are there", head.len_frame()),
            );
        }
        Ok(*head)
    }

    /// The next sound frame head of this file.
    fn next_head(&self, mut ofs: u64, len_file: u64) -> Result<Option<u64>, CaptureError> {
        let mut bytes = Vec::new();
        while ofs < len_file {
            self.input.read(ofs, LEN_WINDOW, &mut bytes)?;
            if let Some((at, _)) = find_head(&bytes, 0, Some(self.tag)) {
                return Ok(Some(ofs + at as u64));
            }
            if bytes.len() < LEN_WINDOW {
                return Ok(None);
            }
            ofs += (LEN_WINDOW - LEN_FRAME_HEAD + 1) as u64;
        }
        Ok(None)
    }

    /// Tells of bytes that belong to no frame, or to a broken one.
    fn end_gap(&mut self, gap: Option<&Gap>, end: u64, len_file: u64, is_cut: bool) {
        let Some(gap) = gap else { return };
        let len = end - gap.ofs;
        if end == len_file {
            let what = format!(
                "the last {len} bytes are no whole frame ({}): what was being written when the recording was cut \
                 off{}",
                gap.what,
                if is_cut { "; one record is lost at most" } else { "" }
            );
            self.note(FindingKind::Truncated, "frame", gap.ofs, what);
        } else {
            let what = format!("{len} bytes skipped to the next frame ({})", gap.what);
            self.note(FindingKind::Damaged, "frame", gap.ofs, what);
        }
    }

    fn note_leftover(&mut self, ofs: u64) {
        let what = "records that were sealed already: a sealing was interrupted here; nothing is lost";
        self.note(FindingKind::Odd, "frame", ofs, what);
    }

    /// Takes in a frame whose head is sound.
    fn visit(&mut self, ofs: u64, head: &FrameHead) -> Result<Visit, CaptureError> {
        let known = head.kind.version();
        if known.is_some_and(|known| head.version > known) {
            let what = format!(
                "frame of kind {}, version {}: written by a later recount",
                head.kind.0, head.version
            );
            self.note(FindingKind::Dropped, "frame", ofs, what);
            return Ok(Visit::Sound);
        }
        match head.kind {
            FrameKind::CHUNK => self.visit_chunk(ofs, head),
            FrameKind::RECORD => self.visit_record(ofs, head),
            FrameKind::FACTS | FrameKind::TEXTS => self.visit_definition(ofs, head),
            _ => Ok(Visit::Sound),
        }
    }

    fn visit_definition(&mut self, ofs: u64, head: &FrameHead) -> Result<Visit, CaptureError> {
        let mut frame = Vec::new();
        self.input.read(ofs, head.len_frame(), &mut frame)?;
        if let Err(fault) = frame::check_tail(&frame) {
            return Ok(Visit::Broken(fault));
        }
        let definition = Definition { kind: head.kind, ofs, len_frame: head.len_frame() };
        Ok(match self.take_definition(definition, &frame) {
            Ok(()) => Visit::Sound,
            Err(fault) => Visit::Broken(fault),
        })
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

    fn visit_record(&mut self, ofs: u64, head: &FrameHead) -> Result<Visit, CaptureError> {
        let mut frame = Vec::new();
        self.input.read(ofs, head.len_frame(), &mut frame)?;
        let record = frame::check_tail(&frame).and_then(|()| RecordHead::read(frame::payload(&frame)));
        let record = match record {
            Ok(record) => record,
            Err(fault) => return Ok(Visit::Broken(fault)),
        };
        if record.number < self.next_number() {
            return Ok(Visit::Superseded);
        }
        self.note_lost(ofs, record.number);
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
        Ok(Visit::Sound)
    }

    fn visit_chunk(&mut self, ofs: u64, head: &FrameHead) -> Result<Visit, CaptureError> {
        let (chunk, table) = match self.read_chunk_head(ofs, head)? {
            Ok(found) => found,
            Err(fault) => return Ok(Visit::Broken(fault)),
        };
        let is_copy = chunk.number_first < self.next_number();
        if is_copy {
            let end = chunk.number_first + chunk.num_records as u64;
            if self.has_all(chunk.number_first, end)? || !self.is_sound(ofs, head.len_frame())? {
                return Ok(Visit::Superseded);
            }
            self.forget_from(chunk.number_first);
            // What was amiss with the tail doesn't matter any more. The writer will put the chunk in its place.
            self.health = self.health_sealed.clone();
            self.moves.insert(ofs, self.ofs_sealed);
        }
        self.note_lost(ofs, chunk.number_first);
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
        Ok(if is_copy { Visit::Replaces } else { Visit::Sound })
    }

    /// Whether all records of these numbers are had, and can be read.
    fn has_all(&self, number_first: u64, number_end: u64) -> Result<bool, CaptureError> {
        let mut next = number_first;
        for entry in self.entries.iter().filter(|entry| entry.number_first >= number_first) {
            if entry.number_first != next {
                return Ok(false);
            }
            next += entry.num_records as u64;
            // Records were looked at as a whole when they were met.
            if entry.is_chunk && !self.is_sound(entry.ofs, entry.len_frame)? {
                return Ok(false);
            }
        }
        Ok(next >= number_end)
    }

    /// Forgets the frames from the one on that begins with this number.
    fn forget_from(&mut self, number: u64) {
        let had = self.entries.partition_point(|entry| entry.number_first < number);
        if let Some(first) = self.entries.get(had).map(|entry| entry.first_record) {
            self.entries.truncate(had);
            self.records.truncate(first);
        }
    }

    /// Whether a frame's checksum is right.
    fn is_sound(&self, ofs: u64, len_frame: usize) -> Result<bool, CaptureError> {
        let mut frame = Vec::new();
        self.input.read(ofs, len_frame, &mut frame)?;
        Ok(frame.len() == len_frame && frame::check_tail(&frame).is_ok())
    }

    /// Head and record table of a chunk, and a look at the frame's end; its sections are not read.
    pub(super) fn read_chunk_head(
        &self,
        ofs: u64,
        head: &FrameHead,
    ) -> Result<Result<(ChunkHead, RecordTable), Short>, CaptureError> {
        /// As much as most heads and tables take.
        const LEN_FIRST_READ: usize = 4 << 10;
        let ofs_payload = ofs + LEN_FRAME_HEAD as u64;
        let mut bytes = Vec::new();
        self.input.read(ofs_payload, head.len_payload.min(LEN_FIRST_READ), &mut bytes)?;
        if bytes.len() >= LEN_HEAD_FIXED {
            match ChunkHead::len_by(&bytes) {
                Ok(len) if len > bytes.len() => {
                    self.input.read(ofs_payload, head.len_payload.min(len), &mut bytes)?;
                }
                _ => {}
            }
        }
        let chunk = match ChunkHead::read(&bytes, head.len_payload) {
            Ok(chunk) => chunk,
            Err(fault) => return Ok(Err(fault)),
        };
        let (start, end) = (chunk.len(), chunk.len() + chunk.len_table);
        if bytes.len() < end {
            self.input.read(ofs_payload, end, &mut bytes)?;
        }
        let table = match bytes.get(start..end) {
            Some(table) => RecordTable::read(table, &chunk),
            None => Err(Short { field: "record table", ofs: start, what: "the file ends inside".into() }),
        };
        let mut tail = Vec::new();
        self.input.read(ofs + (head.len_frame() - LEN_FRAME_TAIL) as u64 + 4, 4, &mut tail)?;
        if tail != (head.len_frame() as u32).to_le_bytes() {
            let what = format!("expected {}, found {tail:02x?}", head.len_frame());
            return Ok(Err(Short { field: "len_frame", ofs: head.len_frame() - 4, what }));
        }
        Ok(table.map(|table| (chunk, table)))
    }

    /// The number that the next record has, if none is missing.
    pub(super) fn next_number(&self) -> u64 {
        self.entries.last().map_or(0, |entry| entry.number_first + entry.num_records as u64)
    }

    fn note_lost(&mut self, ofs: u64, number: u64) {
        let num_lost = number.saturating_sub(self.next_number());
        if num_lost > 0 {
            let what = format!("{num_lost} records before this one are missing");
            self.note(FindingKind::Lost, "frame", ofs, what);
        }
    }
}
