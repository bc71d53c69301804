//! Encodes records into a chunk.

use std::collections::HashMap;

use recount_model::{Piece, Timestamp};

use super::columns;
use super::head::{ChunkHead, MAX_NUM_RECORDS, RecordTable, SectionEntry};
use super::section::{MAX_NUM_PIECES, SectionBuilder};
use super::{MAX_LEN_CHUNK, proof};
use crate::payload::RecordHead;
use crate::record::RecordKind;
use crate::zip::Packer;

/// Maximum number of segments of a record; one that would have more is kept in one piece.
const MAX_NUM_SEGMENTS: usize = 1 << 15;

/// Collects records until they are sealed into a chunk. Keeps their raw bytes.
pub(crate) struct Encoder {
    number_first: u64,
    raw: Vec<u8>,
    table: RecordTable,
    sections: Vec<(u32, SectionBuilder)>,
    by_section: HashMap<u32, usize>,
    num_pieces: usize,
}

/// An encoded and verified chunk.
pub(crate) struct Encoded {
    /// The payload of its frame.
    pub(crate) payload: Vec<u8>,
}

/// The chunk doesn't decode to its input: a fault of this program or of the memory, never of the input.
#[derive(Debug)]
pub(crate) struct NotProven;

impl Encoder {
    /// For records from a number on.
    pub(crate) fn new(number_first: u64) -> Encoder {
        Encoder {
            number_first,
            raw: Vec::new(),
            table: RecordTable::default(),
            sections: Vec::new(),
            by_section: HashMap::new(),
            num_pieces: 0,
        }
    }

    /// Reserves memory for this many bytes of records. Growing step by step could take twice as much, and this is most
    /// of a recorder's memory.
    pub(crate) fn reserve(&mut self, len_raw: usize) {
        self.raw.reserve_exact(len_raw.min(MAX_LEN_CHUNK));
    }

    /// Empties it for records from a number on, keeping its memory.
    pub(crate) fn reset(&mut self, number_first: u64) {
        let mut raw = std::mem::take(&mut self.raw);
        raw.clear();
        *self = Encoder { raw, ..Encoder::new(number_first) };
    }

    pub(crate) fn num_records(&self) -> usize {
        self.table.times.len()
    }

    /// Bytes of the records so far.
    pub(crate) fn len_raw(&self) -> usize {
        self.raw.len()
    }

    /// The records so far.
    pub(crate) fn records(&self) -> impl Iterator<Item = (RecordHead, &[u8])> {
        let (table, mut ofs) = (&self.table, 0);
        (0..self.num_records()).map(move |at| {
            let number = self.number_first + at as u64;
            let start = ofs;
            ofs += table.lens[at] as usize;
            let head = RecordHead { number, time: table.times[at], kind: table.kinds[at] };
            (head, &self.raw[start..ofs])
        })
    }

    /// Whether a record with these pieces still fits.
    pub(crate) fn fits(&self, len: usize, num_pieces: usize) -> bool {
        self.num_records() == 0
            || (self.num_records() < MAX_NUM_RECORDS
                && self.raw.len() + len <= MAX_LEN_CHUNK
                && self.num_pieces + num_pieces <= MAX_NUM_PIECES
                && u16::try_from(self.sections.len() + num_pieces.min(MAX_NUM_SEGMENTS)).is_ok())
    }

    /// Adds a record with its pieces. If these don't add up to the record, it is kept in one piece.
    pub(crate) fn push(&mut self, time: Timestamp, kind: RecordKind, record: &[u8], pieces: &[Piece]) {
        let whole = [Piece {
            section: Piece::FRAME,
            sort: u32::MAX,
            key: u64::from(kind.0),
            len: record.len() as u32,
        }];
        let len: u64 = pieces.iter().map(|piece| u64::from(piece.len)).sum();
        let is_sound = len == record.len() as u64
            && pieces.len() <= MAX_NUM_PIECES
            && pieces.chunk_by(|a, b| a.section == b.section).count() <= MAX_NUM_SEGMENTS;
        let pieces = if is_sound { pieces } else { &whole };
        let mut ofs = self.raw.len() as u32;
        self.raw.extend_from_slice(record);
        let mut segment = None;
        for piece in pieces.iter().filter(|piece| piece.len > 0) {
            let section = match segment {
                Some((of, section)) if of == piece.section => section,
                _ => self.begin_segment(piece.section),
            };
            segment = Some((piece.section, section));
            self.sections[section].1.push(*piece, ofs);
            ofs += piece.len;
        }
        self.num_pieces += pieces.len();
        self.table.times.push(time);
        self.table.kinds.push(kind);
        self.table.lens.push(record.len() as u64);
        self.table.segment_ends.push(self.table.segments.len());
    }

    fn begin_segment(&mut self, key: u32) -> usize {
        let sections = &mut self.sections;
        let section = *self.by_section.entry(key).or_insert_with(|| {
            sections.push((key, SectionBuilder::default()));
            sections.len() - 1
        });
        self.sections[section].1.begin_segment();
        self.table.segments.push(section as u16);
        section
    }

    /// The chunk, proven by decoding it.
    pub(crate) fn encode(&self, level: i32) -> Result<Encoded, NotProven> {
        let payload = self.payload(level)?;
        proof::prove(&payload, self.number_first, &self.table, &self.raw).map_err(|_| NotProven)?;
        Ok(Encoded { payload })
    }

    fn payload(&self, level: i32) -> Result<Vec<u8>, NotProven> {
        let mut packer = Packer::new(level).ok_or(NotProven)?;
        let mut pack = |bytes: &[u8]| packer.pack(bytes).ok_or(NotProven);
        let table = self.table.write();
        let packed_table = pack(&table)?;
        let mut head = ChunkHead {
            number_first: self.number_first,
            num_records: self.num_records(),
            time_min: self.table.times.iter().min().copied().unwrap_or_default(),
            time_max: self.table.times.iter().max().copied().unwrap_or_default(),
            len_raw: self.raw.len(),
            len_table: packed_table.len(),
            len_table_raw: table.len(),
            crc_table: crc32c::crc32c(&packed_table),
            sections: vec![SectionEntry::default(); self.sections.len()],
        };
        // Space for the head, which is only known at the end.
        let mut payload = vec![0; head.len()];
        payload.extend_from_slice(&packed_table);
        let mut columns = Vec::new();
        for ((section, builder), entry) in self.sections.iter().zip(&mut head.sections) {
            let (structure, has_known_texts) = builder.structure(&self.raw);
            columns.clear();
            columns::write(builder, &self.raw, &mut columns);
            let packed = [pack(&structure)?, pack(&columns)?];
            *entry = SectionEntry {
                section: *section,
                flags: if has_known_texts { SectionEntry::KNOWN_TEXTS } else { 0 },
                len_structure: packed[0].len(),
                len_structure_raw: structure.len(),
                len_columns: packed[1].len(),
                len_columns_raw: columns.len(),
                crc_structure: crc32c::crc32c(&packed[0]),
                crc_columns: crc32c::crc32c(&packed[1]),
            };
            payload.extend(packed.concat());
        }
        let mut start = Vec::with_capacity(head.len());
        head.write(&mut start);
        payload[..start.len()].copy_from_slice(&start);
        Ok(payload)
    }
}

#[cfg(test)]
impl Encoder {
    /// A fault of the encoder: two rows of one stream change places.
    pub(crate) fn misplace_a_row(&mut self) {
        let mut streams = self.sections.iter_mut().flat_map(|(_, section)| &mut section.streams);
        let stream = streams.find(|stream| stream.rows.len() > 1).expect("a stream of several rows");
        stream.rows.swap(0, 1);
    }
}
