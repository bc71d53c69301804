//! The part of a chunk before its sections: their kinds and lengths, and the times of the records.

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Writer};
use recount_model::{Piece, Timestamp};

use super::section::MAX_NUM_PIECES;
use super::{MAX_LEN_CHUNK, MAX_LEN_RECORD};
use crate::bytes::{Bytes, Short, length};
use crate::numbers;
use crate::payload;
use crate::record::RecordKind;
use crate::zip;

/// Bytes of the head before the directory of sections.
pub(crate) const LEN_HEAD_FIXED: usize = 52;
/// Bytes of a section's entry in the directory.
pub(crate) const LEN_ENTRY: usize = 32;
/// Maximum number of records in a chunk.
pub(crate) const MAX_NUM_RECORDS: usize = 1 << 20;
/// Maximum number of sections in a chunk.
const MAX_NUM_SECTIONS: usize = 1 << 16;

/// A chunk's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChunkHead {
    /// Number of its first record; the others are numbered consecutively.
    pub(crate) number_first: u64,
    pub(crate) num_records: usize,
    pub(crate) time_min: Timestamp,
    pub(crate) time_max: Timestamp,
    /// Bytes of all records.
    pub(crate) len_raw: usize,
    /// Bytes of the record table, compressed and not.
    pub(crate) len_table: usize,
    pub(crate) len_table_raw: usize,
    /// Of the compressed bytes.
    pub(crate) crc_table: u32,
    pub(crate) sections: Vec<SectionEntry>,
}

/// Position and length of a section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SectionEntry {
    pub(crate) section: u32,
    /// Bit 0: it was damaged, and a repair left it out, so its bytes are gone.
    pub(crate) flags: u32,
    pub(crate) len_structure: usize,
    pub(crate) len_structure_raw: usize,
    pub(crate) len_columns: usize,
    pub(crate) len_columns_raw: usize,
    pub(crate) crc_structure: u32,
    pub(crate) crc_columns: u32,
}

/// What a head has before its directory of sections.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FixedHead {
    number_first: u64,
    time_min: Timestamp,
    time_max: Timestamp,
    len_raw: u64,
    num_records: u32,
    pub(crate) num_sections: u32,
    len_table: u32,
    len_table_raw: u32,
    crc_table: u32,
}

impl FixedHead {
    /// The fields in the order of the structure, for a payload of `len_payload` bytes.
    pub(crate) fn fields<F: Fields>(&mut self, f: &mut F, len_payload: usize) -> Result<(), F::Error> {
        f.field("number_first", &mut self.number_first)?;
        f.time("time_min", &mut self.time_min)?;
        f.time("time_max", &mut self.time_max)?;
        f.field("len_raw", &mut self.len_raw)?;
        f.bounded("num_records", &mut self.num_records, 1, MAX_NUM_RECORDS)?;
        f.bounded("num_sections", &mut self.num_sections, 0, MAX_NUM_SECTIONS)?;
        f.bounded("len_table", &mut self.len_table, 0, len_payload)?;
        f.bounded("len_table_raw", &mut self.len_table_raw, 0, MAX_LEN_CHUNK)?;
        f.shown("crc_table", &mut self.crc_table, crc_shown)
    }
}

/// A checksum in a dump.
pub(crate) fn crc_shown(crc: u32) -> String {
    format!("{crc:#010x}")
}

impl SectionEntry {
    pub(crate) const LOST: u32 = 1;
    /// The structure refers to known texts; from version 2 of chunks on.
    pub(crate) const KNOWN_TEXTS: u32 = 2;

    /// The fields in the order of the structure, for a chunk with a payload of `len_payload` bytes and records of `len_raw`.
    pub(crate) fn fields<F: Fields>(
        &mut self,
        f: &mut F,
        len_payload: usize,
        len_raw: usize,
    ) -> Result<(), F::Error> {
        // First rows and their order, in lists of less than 24 bytes per piece, each of which has at least one byte; modes,
        // bitmaps and planes.
        let max_len_structure =
            len_raw.saturating_add(24 * MAX_NUM_PIECES.min(len_raw) + LEN_STRUCTURE_FIXED);
        let max_len_columns = len_raw.saturating_mul(2);
        f.shown("section", &mut self.section, |section| match section {
            Piece::FRAME => format!("{section:#x} (headers)"),
            _ => section.to_string(),
        })?;
        f.shown("flags", &mut self.flags, |flags| format!("{flags:#x}"))?;
        length(f, "len_structure", &mut self.len_structure, len_payload)?;
        length(f, "len_structure_raw", &mut self.len_structure_raw, max_len_structure)?;
        length(f, "len_columns", &mut self.len_columns, len_payload)?;
        length(f, "len_columns_raw", &mut self.len_columns_raw, max_len_columns)?;
        f.shown("crc_structure", &mut self.crc_structure, crc_shown)?;
        f.shown("crc_columns", &mut self.crc_columns, crc_shown)
    }

    pub(crate) fn has_known_texts(&self) -> bool {
        self.flags & SectionEntry::KNOWN_TEXTS != 0
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.flags & SectionEntry::LOST != 0
    }
}

impl ChunkHead {
    /// Bytes of the head, its checksum included.
    pub(crate) fn len(&self) -> usize {
        LEN_HEAD_FIXED + self.sections.len() * LEN_ENTRY + 4
    }

    /// Where a section's structure starts in the payload; its columns follow immediately.
    pub(crate) fn ofs_section(&self, at: usize) -> usize {
        let before = self.sections[..at].iter().map(|entry| entry.len_structure + entry.len_columns);
        self.len() + self.len_table + before.sum::<usize>()
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let mut fixed = FixedHead {
            number_first: self.number_first,
            time_min: self.time_min,
            time_max: self.time_max,
            len_raw: self.len_raw as u64,
            num_records: self.num_records as u32,
            num_sections: self.sections.len() as u32,
            len_table: self.len_table as u32,
            len_table_raw: self.len_table_raw as u32,
            crc_table: self.crc_table,
        };
        let mut fields = Writer::new(ByteOrder::Little, out);
        let Ok(()) = fixed.fields(&mut fields, 0);
        for entry in &self.sections {
            let Ok(()) = entry.clone().fields(&mut fields, 0, 0);
        }
        let crc = crc32c::crc32c(&out[start..]);
        out.extend_from_slice(&crc.to_le_bytes());
    }

    /// How long the head is, by its fixed part.
    pub(crate) fn len_by(fixed: &[u8]) -> Result<usize, Short> {
        let mut read = FixedHead::default();
        read.fields(&mut Bytes::new(fixed), usize::MAX)?;
        Ok(LEN_HEAD_FIXED + read.num_sections as usize * LEN_ENTRY + 4)
    }

    /// Reads and checks a head, which must be complete. `len_payload` limits the lengths in it.
    pub(crate) fn read(head: &[u8], len_payload: usize) -> Result<ChunkHead, Short> {
        let len = ChunkHead::len_by(head)?;
        let mut bytes = Bytes::new(head);
        let covered = bytes.take("head", len - 4)?;
        let crc = bytes.u32("crc_head")?;
        let computed = crc32c::crc32c(covered);
        if crc != computed {
            let what = format!("expected {computed:#010x}, found {crc:#010x}");
            return Err(Short { field: "crc_head", ofs: len - 4, what });
        }
        let mut bytes = Bytes::new(covered);
        let mut fixed = FixedHead::default();
        fixed.fields(&mut bytes, len_payload)?;
        payload::check_number(fixed.number_first, "number_first")?;
        let len_raw = fixed.len_raw;
        let max_len_raw = if fixed.num_records > 1 { MAX_LEN_CHUNK } else { MAX_LEN_RECORD };
        if len_raw > max_len_raw as u64 {
            let what = format!("expected at most {max_len_raw}, found {len_raw}");
            return Err(Short { field: "len_raw", ofs: 24, what });
        }
        let mut read = ChunkHead {
            number_first: fixed.number_first,
            num_records: fixed.num_records as usize,
            time_min: fixed.time_min,
            time_max: fixed.time_max,
            len_raw: len_raw as usize,
            len_table: fixed.len_table as usize,
            len_table_raw: fixed.len_table_raw as usize,
            crc_table: fixed.crc_table,
            sections: Vec::with_capacity(fixed.num_sections as usize),
        };
        for _ in 0..fixed.num_sections {
            let mut entry = SectionEntry::default();
            entry.fields(&mut bytes, len_payload, len_raw as usize)?;
            read.sections.push(entry);
        }
        match read.ofs_section(read.sections.len()) {
            end if end == len_payload => Ok(read),
            end => Err(bytes.bad(
                "sections",
                &format!("sections to byte {len_payload} of the payload"),
                end as u64,
            )),
        }
    }
}

/// The version of chunks that a payload needs: readers of an earlier one would take it for damaged.
pub(crate) fn version(payload: &[u8]) -> u16 {
    let directory = ChunkHead::len_by(payload).ok().and_then(|len| payload.get(LEN_HEAD_FIXED..len));
    let mut entries = directory.unwrap_or_default().as_chunks::<LEN_ENTRY>().0.iter();
    let has_known_texts = |bytes: &[u8; LEN_ENTRY]| {
        let mut entry = SectionEntry::default();
        entry.fields(&mut Bytes::new(bytes), usize::MAX, usize::MAX).is_ok() && entry.has_known_texts()
    };
    if entries.any(has_known_texts) { 2 } else { 1 }
}

/// More than a structure takes besides its lists and rows.
const LEN_STRUCTURE_FIXED: usize = 64;

/// The records, and the sections whose segments make up each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordTable {
    pub(crate) times: Vec<Timestamp>,
    pub(crate) kinds: Vec<RecordKind>,
    pub(crate) lens: Vec<u64>,
    /// Per record, the end of its segments in `segments`.
    pub(crate) segment_ends: Vec<usize>,
    /// Per segment, the index of its section in the directory.
    pub(crate) segments: Vec<u16>,
}

impl RecordTable {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&(self.segments.len() as u32).to_le_bytes());
        let times: Vec<u64> = self.times.iter().map(|time| time.0 as u64).collect();
        numbers::write(&times, &mut out);
        let kinds: Vec<u64> = self.kinds.iter().map(|kind| u64::from(kind.0)).collect();
        numbers::write(&kinds, &mut out);
        numbers::write(&self.lens, &mut out);
        let mut before = 0;
        let per_record = |&end: &usize| (end - std::mem::replace(&mut before, end)) as u64;
        numbers::write(&self.segment_ends.iter().map(per_record).collect::<Vec<u64>>(), &mut out);
        let segments: Vec<u64> = self.segments.iter().map(|&section| u64::from(section)).collect();
        numbers::write(&segments, &mut out);
        out
    }

    /// Reads the table of a chunk from its compressed bytes.
    pub(crate) fn read(compressed: &[u8], head: &ChunkHead) -> Result<RecordTable, Short> {
        let failed = |what: &str| Short { field: "record table", ofs: 0, what: what.to_owned() };
        if crc32c::crc32c(compressed) != head.crc_table {
            return Err(failed("is not what its checksum says"));
        }
        let raw = zip::unpack(compressed, head.len_table_raw)
            .ok_or_else(|| failed("doesn't decompress to the length stated"))?;
        let mut bytes = Bytes::new(&raw);
        let num = head.num_records;
        // A record without bytes has no segment; no segment is empty.
        let num_segments = bytes.len("num_segments", head.len_raw)?;
        let max_num_segments =
            head.len_table_raw.saturating_mul(64).saturating_add(num * head.sections.len());
        if num_segments > max_num_segments {
            return Err(bytes.bad("num_segments", "what the table can hold", num_segments as u64));
        }
        let times = numbers::read(&mut bytes, num)?.into_iter().map(|time| Timestamp(time as i64)).collect();
        let kinds = numbers::read(&mut bytes, num)?.into_iter().map(|kind| RecordKind(kind as u16)).collect();
        let lens = numbers::read(&mut bytes, num)?;
        if lens.iter().fold(0, |sum: u64, len| sum.saturating_add(*len)) != head.len_raw as u64 {
            return Err(failed("the records' lengths don't add up to len_raw"));
        }
        let (mut end, mut segment_ends) = (0_u64, Vec::with_capacity(num));
        for of_record in numbers::read(&mut bytes, num)? {
            end = end.saturating_add(of_record);
            segment_ends.push(end.min(num_segments as u64) as usize);
        }
        if end != num_segments as u64 {
            return Err(failed("the records' segments don't add up to num_segments"));
        }
        let mut segments = Vec::with_capacity(num_segments);
        for section in numbers::read(&mut bytes, num_segments)? {
            if section >= head.sections.len() as u64 {
                return Err(bytes.bad("segment", "a section of the chunk", section));
            }
            segments.push(section as u16);
        }
        if !bytes.is_empty() {
            return Err(failed("trailing bytes after the table"));
        }
        Ok(RecordTable { times, kinds, lens, segment_ends, segments })
    }
}
