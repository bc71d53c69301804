//! The part of a chunk before its sections: their kinds and lengths, and the times of the records.

use recount_model::Timestamp;

use super::section::MAX_NUM_PIECES;
use super::{MAX_LEN_CHUNK, MAX_LEN_RECORD};
use crate::bytes::{Bytes, Short};
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

impl SectionEntry {
    pub(crate) const LOST: u32 = 1;
    /// The structure refers to known texts; from version 2 of chunks on.
    pub(crate) const KNOWN_TEXTS: u32 = 2;

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
        out.extend_from_slice(&self.number_first.to_le_bytes());
        out.extend_from_slice(&self.time_min.0.to_le_bytes());
        out.extend_from_slice(&self.time_max.0.to_le_bytes());
        out.extend_from_slice(&(self.len_raw as u64).to_le_bytes());
        let lens = [self.num_records, self.sections.len(), self.len_table, self.len_table_raw];
        out.extend(lens.into_iter().flat_map(|len| (len as u32).to_le_bytes()));
        out.extend_from_slice(&self.crc_table.to_le_bytes());
        for entry in &self.sections {
            let words = [
                entry.section,
                entry.flags,
                entry.len_structure as u32,
                entry.len_structure_raw as u32,
                entry.len_columns as u32,
                entry.len_columns_raw as u32,
                entry.crc_structure,
                entry.crc_columns,
            ];
            out.extend(words.into_iter().flat_map(u32::to_le_bytes));
        }
        let crc = crc32c::crc32c(&out[start..]);
        out.extend_from_slice(&crc.to_le_bytes());
    }

    /// How long the head is, by its fixed part.
    pub(crate) fn len_by(fixed: &[u8]) -> Result<usize, Short> {
        let mut bytes = Bytes::new(fixed);
        bytes.take("head", 36)?;
        let num_sections = bytes.len("num_sections", MAX_NUM_SECTIONS)?;
        Ok(LEN_HEAD_FIXED + num_sections * LEN_ENTRY + 4)
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
        let number_first = payload::record_number(&mut bytes, "number_first")?;
        let (time_min, time_max) = (Timestamp(bytes.i64("time_min")?), Timestamp(bytes.i64("time_max")?));
        let len_raw = bytes.u64("len_raw")?;
        let num_records = bytes.len("num_records", MAX_NUM_RECORDS)?;
        if num_records == 0 {
            return Err(bytes.bad("num_records", "at least one", 0));
        }
        let num_sections = bytes.len("num_sections", MAX_NUM_SECTIONS)?;
        let max_len_raw = if num_records > 1 { MAX_LEN_CHUNK } else { MAX_LEN_RECORD };
        if len_raw > max_len_raw as u64 {
            return Err(bytes.bad("len_raw", &format!("at most {max_len_raw}"), len_raw));
        }
        let len_table = bytes.len("len_table", len_payload)?;
        let len_table_raw = bytes.len("len_table_raw", MAX_LEN_CHUNK)?;
        let crc_table = bytes.u32("crc_table")?;
        let mut read = ChunkHead {
            number_first,
            num_records,
            time_min,
            time_max,
            len_raw: len_raw as usize,
            len_table,
            len_table_raw,
            crc_table,
            sections: Vec::with_capacity(num_sections),
        };
        for _ in 0..num_sections {
            read.sections.push(entry(&mut bytes, len_payload, len_raw as usize)?);
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
    // The flags are the second word.
    if entries.any(|entry| u32::from(entry[4]) & SectionEntry::KNOWN_TEXTS != 0) { 2 } else { 1 }
}

fn entry(bytes: &mut Bytes<'_>, len_payload: usize, len_raw: usize) -> Result<SectionEntry, Short> {
    // First rows and their order, in lists of less than 24 bytes per piece, each of which has at least one byte; modes,
    // bitmaps and planes.
    let max_len_structure = len_raw + 24 * MAX_NUM_PIECES.min(len_raw) + LEN_STRUCTURE_FIXED;
    let max_len_columns = 2 * len_raw;
    Ok(SectionEntry {
        section: bytes.u32("section")?,
        flags: bytes.u32("flags")?,
        len_structure: bytes.len("len_structure", len_payload)?,
        len_structure_raw: bytes.len("len_structure_raw", max_len_structure)?,
        len_columns: bytes.len("len_columns", len_payload)?,
        len_columns_raw: bytes.len("len_columns_raw", max_len_columns)?,
        crc_structure: bytes.u32("crc_structure")?,
        crc_columns: bytes.u32("crc_columns")?,
    })
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
