//! Reads the part of a chunk before its sections.

use super::{Entry, Log};
use crate::CaptureError;
use crate::bytes::Short;
use crate::chunk::{ChunkHead, LEN_HEAD_FIXED, RecordTable};
use crate::frame::{self, FrameHead, FrameKind, LEN_FRAME_HEAD, LEN_FRAME_TAIL};

impl Log {
    /// Head of a chunk, with the first bytes of the payload, which often include the record table.
    pub(super) fn read_directory(
        &self,
        ofs: u64,
        head: &FrameHead,
    ) -> Result<Result<(ChunkHead, Vec<u8>), Short>, CaptureError> {
        /// Enough for most heads and tables.
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
        Ok(ChunkHead::read(&bytes, head.len_payload).map(|chunk| (chunk, bytes)))
    }

    /// Reads the record table of a chunk and checks the frame's end; the sections are not read. `bytes` are the first
    /// ones of the payload.
    pub(super) fn read_table(
        &self,
        ofs: u64,
        head: &FrameHead,
        chunk: &ChunkHead,
        bytes: &mut Vec<u8>,
    ) -> Result<Result<RecordTable, Short>, CaptureError> {
        let (start, end) = (chunk.len(), chunk.len() + chunk.len_table);
        if bytes.len() < end {
            self.input.read(ofs + LEN_FRAME_HEAD as u64, end, bytes)?;
        }
        let table = match bytes.get(start..end) {
            Some(table) => RecordTable::read(table, chunk),
            None => Err(Short { field: "record table", ofs: start, what: "the file ends inside".into() }),
        };
        Ok(match self.check_end(ofs, head)? {
            // A chunk that is complete except for these bytes is as good as any.
            Err(fault) if !self.is_sound_payload(ofs, head)? => Err(fault),
            _ => table,
        })
    }

    /// Head and record table of a chunk that is listed.
    pub(crate) fn chunk_head(&self, entry: &Entry) -> Result<(ChunkHead, RecordTable), CaptureError> {
        let fault = |fault| CaptureError::at("chunk", entry.ofs, fault);
        let mut bytes = Vec::new();
        self.input.read(entry.ofs, LEN_FRAME_HEAD, &mut bytes)?;
        let frame = FrameHead::read(&bytes).map_err(fault)?;
        if frame.kind != FrameKind::CHUNK || frame.tag != self.tag || frame.len_frame() != entry.len_frame {
            let what = "expected the chunk that the index lists, found another frame".to_owned();
            return Err(fault(Short { field: "kind", ofs: 8, what }));
        }
        let (head, mut bytes) = self.read_directory(entry.ofs, &frame)?.map_err(fault)?;
        let table = self.read_table(entry.ofs, &frame, &head, &mut bytes)?.map_err(fault)?;
        if (head.number_first, head.num_records) != (entry.number_first, entry.num_records) {
            let what = format!("expected {}, found {}", entry.number_first, head.number_first);
            return Err(fault(Short { field: "number_first", ofs: LEN_FRAME_HEAD, what }));
        }
        Ok((head, table))
    }

    /// Whether the checksum of a frame's payload is right, whatever the length after it says.
    fn is_sound_payload(&self, ofs: u64, head: &FrameHead) -> Result<bool, CaptureError> {
        let mut frame = Vec::new();
        self.input.read(ofs, head.len_frame(), &mut frame)?;
        let crc = frame.get(head.len_frame() - LEN_FRAME_TAIL..).and_then(|tail| tail.first_chunk::<4>());
        Ok(crc == Some(&crc32c::crc32c(frame::payload(&frame)).to_le_bytes()))
    }

    /// Looks at the end of a frame, which repeats its length.
    pub(super) fn check_end(&self, ofs: u64, head: &FrameHead) -> Result<Result<(), Short>, CaptureError> {
        let mut tail = Vec::new();
        self.input.read(ofs + (head.len_frame() - LEN_FRAME_TAIL) as u64 + 4, 4, &mut tail)?;
        if tail == (head.len_frame() as u32).to_le_bytes() {
            return Ok(Ok(()));
        }
        let what = format!("expected {}, found {tail:02x?}", head.len_frame());
        Ok(Err(Short { field: "len_frame", ofs: head.len_frame() - 4, what }))
    }
}
