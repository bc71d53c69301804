//! Reading records.

use std::ops::Range;

use recount_model::{Piece, Place};

use super::{Entry, Log};
use crate::CaptureError;
use crate::bytes::Short;
use crate::chunk::{self, ChunkHead, ChunkReader, Outline};
use crate::frame::{self, FrameHead, FrameKind, LEN_FRAME_HEAD};
use crate::payload::{LEN_RECORD_HEAD, RecordHead};

/// A chunk of which some sections were read.
pub(crate) struct OpenChunk {
    pub(crate) head: ChunkHead,
    pub(crate) reader: ChunkReader,
    /// Requested sections that can't be read: index in the directory, and the reason.
    pub(crate) faults: Vec<(usize, CaptureError)>,
}

/// The records of a frame that aren't samples, of which nothing else is read.
pub(crate) struct FrameRecords<'l> {
    log: &'l Log,
    entry: &'l Entry,
    /// `None`: the frame is one record.
    chunk: Option<OpenChunk>,
    bytes: Vec<u8>,
}

impl FrameRecords<'_> {
    /// The bytes of one of its records, by its number in the log.
    pub(crate) fn read(&mut self, record: usize) -> Result<&[u8], CaptureError> {
        let FrameRecords { log, entry, chunk, bytes } = self;
        match chunk {
            Some(chunk) => {
                bytes.clear();
                let read = chunk.reader.record(record - entry.first_record, bytes);
                read.map_err(|fault| CaptureError::at("chunk", entry.ofs, fault))?;
            }
            None => log.read_unsealed(entry, bytes)?,
        }
        Ok(bytes)
    }
}

/// The outlines of a chunk.
pub(crate) struct Outlines {
    /// By section.
    pub(crate) sections: Vec<(u32, Outline)>,
    /// Whether all of the chunk's bytes are what was written.
    pub(crate) is_sound: bool,
}

impl Log {
    /// The frame that holds a record, and the record's place in it.
    pub(crate) fn entry_of(&self, record: usize) -> Option<(usize, usize)> {
        let at = self.entries.partition_point(|entry| entry.first_record <= record).checked_sub(1)?;
        let within = record - self.entries[at].first_record;
        (within < self.entries[at].num_records).then_some((at, within))
    }

    /// Opens a frame for its records that aren't samples.
    pub(crate) fn frame_records<'l>(&'l self, entry: &'l Entry) -> Result<FrameRecords<'l>, CaptureError> {
        let is_frame = |section| section == Piece::FRAME;
        let chunk = if entry.is_chunk { Some(self.open_chunk(entry, &is_frame)?) } else { None };
        Ok(FrameRecords { log: self, entry, chunk, bytes: Vec::new() })
    }

    /// Opens a chunk and reads only the requested sections.
    pub(crate) fn open_chunk(
        &self,
        entry: &Entry,
        wanted: &dyn Fn(u32) -> bool,
    ) -> Result<OpenChunk, CaptureError> {
        let opened = self.open_chunk_at(entry, wanted);
        let is_gone = opened.as_ref().map_or(true, |chunk| !chunk.faults.is_empty());
        match self.moves.get(&entry.ofs) {
            Some(&ofs) if is_gone => self.open_chunk_at(&Entry { ofs, ..*entry }, wanted),
            _ => opened,
        }
    }

    fn open_chunk_at(&self, entry: &Entry, wanted: &dyn Fn(u32) -> bool) -> Result<OpenChunk, CaptureError> {
        let (head, table) = self.chunk_head(entry)?;
        let ofs_payload = entry.ofs + LEN_FRAME_HEAD as u64;
        let mut sections = Vec::with_capacity(head.sections.len());
        let mut faults = Vec::new();
        let mut bytes = Vec::new();
        // The segments make up the records, so they can't be longer in total.
        let mut len_left = head.len_raw;
        let mut ofs_next = ofs_payload + head.ofs_section(0) as u64;
        for (at, section) in head.sections.iter().enumerate() {
            let ofs = ofs_next;
            ofs_next += (section.len_structure + section.len_columns) as u64;
            if !wanted(section.section) {
                sections.push(None);
                continue;
            }
            let segments = if section.is_lost() {
                let what = "was damaged, and left out by a repair".to_owned();
                Err(Short { field: "section", ofs: 0, what })
            } else {
                self.input.read(ofs, section.len_structure + section.len_columns, &mut bytes)?;
                let (structure, columns) = bytes.split_at(section.len_structure.min(bytes.len()));
                chunk::segments(section, structure, columns, len_left)
            };
            match segments {
                Ok(segments) => {
                    len_left -= segments.len();
                    sections.push(Some(segments));
                }
                Err(fault) => {
                    // Offsets within a section count in what it decompresses to.
                    let place = Place::field("chunk section", ofs, fault.field, ofs);
                    faults.push((at, CaptureError::Damaged { place, what: fault.what }));
                    sections.push(None);
                }
            }
        }
        let reader = ChunkReader::new(table, sections);
        reader.check().map_err(|fault| CaptureError::at("chunk", entry.ofs, fault))?;
        Ok(OpenChunk { head, reader, faults })
    }

    /// The outlines of the requested sections of a chunk. All its checksums are verified.
    pub(crate) fn read_outlines(
        &self,
        entry: &Entry,
        wanted: &dyn Fn(u32) -> bool,
    ) -> Result<Outlines, CaptureError> {
        let (head, _) = self.chunk_head(entry)?;
        let (mut outlines, mut faults) = (Vec::new(), 0_usize);
        let mut bytes = Vec::new();
        let mut ofs_next = entry.ofs + (LEN_FRAME_HEAD + head.ofs_section(0)) as u64;
        for section in &head.sections {
            let ofs = ofs_next;
            ofs_next += (section.len_structure + section.len_columns) as u64;
            self.input.read(ofs, section.len_structure + section.len_columns, &mut bytes)?;
            let (structure, columns) = bytes.split_at(section.len_structure.min(bytes.len()));
            let is_sound = crc32c::crc32c(structure) == section.crc_structure
                && crc32c::crc32c(columns) == section.crc_columns
                && !section.is_lost();
            if !is_sound {
                faults += 1;
            } else if wanted(section.section) {
                match chunk::outline(section, structure, head.len_raw) {
                    Ok(outline) => outlines.push((section.section, outline)),
                    Err(_) => faults += 1,
                }
            }
        }
        Ok(Outlines { sections: outlines, is_sound: faults == 0 })
    }

    /// The bytes of an unsealed record.
    pub(crate) fn read_unsealed(&self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), CaptureError> {
        out.clear();
        if let Some(record) = self.tail.get(&entry.number_first) {
            out.extend_from_slice(record);
            return Ok(());
        }
        let fault = |fault| CaptureError::at("record", entry.ofs, fault);
        let mut frame = Vec::new();
        self.input.read(entry.ofs, entry.len_frame, &mut frame)?;
        let head = FrameHead::read(&frame).map_err(fault)?;
        frame::check_tail(&frame).map_err(fault)?;
        let record = RecordHead::read(frame::payload(&frame)).map_err(fault)?;
        // The writer may have sealed the tail in the meantime, and written other records here.
        let is_frame = head.kind == FrameKind::RECORD && head.tag == self.tag;
        if !is_frame || record.number != entry.number_first {
            let what = format!("expected record {}, found another frame", entry.number_first);
            return Err(fault(Short { field: "kind", ofs: 8, what }));
        }
        out.extend_from_slice(frame::payload(&frame).get(LEN_RECORD_HEAD..).unwrap_or_default());
        Ok(())
    }

    /// Reads all records in sequence, like [`Log::read_records`].
    pub fn for_each_record<E: From<CaptureError>>(
        &self,
        each: impl FnMut(usize, Result<&[u8], &CaptureError>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read_records(0..self.num_records(), each)
    }

    /// Reads records in sequence, each with its index, whole frames at a time. For records that can't be read, the
    /// reason is passed.
    pub fn read_records<E: From<CaptureError>>(
        &self,
        records: Range<usize>,
        mut each: impl FnMut(usize, Result<&[u8], &CaptureError>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut bytes = Vec::new();
        let start = self.entry_of(records.start).map_or(self.entries.len(), |(at, _)| at);
        for entry in self.entries[start..].iter().take_while(|entry| entry.first_record < records.end) {
            let opened = if entry.is_chunk { Some(self.open_chunk(entry, &|_| true)) } else { None };
            for within in 0..entry.num_records {
                let record = entry.first_record + within;
                if !records.contains(&record) {
                    continue;
                }
                let read = match &opened {
                    Some(Ok(chunk)) => {
                        bytes.clear();
                        let record = chunk.reader.record(within, &mut bytes);
                        record.map_err(|fault| match chunk.faults.first() {
                            Some((_, reason)) => reason.again(),
                            None => CaptureError::at("chunk", entry.ofs, fault),
                        })
                    }
                    Some(Err(reason)) => Err(reason.again()),
                    None => self.read_unsealed(entry, &mut bytes),
                };
                each(record, read.as_ref().map(|()| bytes.as_slice()))?;
            }
        }
        Ok(())
    }
}
