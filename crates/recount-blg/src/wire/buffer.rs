//! Buffer headers, and buffers with their fill (formats/blg.md#buffers).

use std::io::{self, Write};

use recount_model::Timestamp;

use super::fields::{Fields, Found};
use crate::container::buffer::LEN_BUFFER_HEADER;

/// `WMI_BUFFER_HEADER`, less `BufferSize`, which is the log's, and `FilledBytes`, which follows from the events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferHeader {
    /// `SavedOffset`: the writer's bookkeeping.
    pub saved_offset: u32,
    /// `CurrentOffset`: the writer's bookkeeping.
    pub current_offset: u32,
    /// `ReferenceCount`.
    pub reference_count: i32,
    /// `FlushTime`, UTC; 0 if unknown.
    pub flush_time: Timestamp,
    /// `SequenceNumber`.
    pub sequence: i64,
    /// Type and frequency of the clock.
    pub clock: u64,
    /// `ProcessorNumber`; with flag 0x20 the low byte of the processor's index.
    pub processor: u8,
    /// `Alignment`; with flag 0x20 the high byte of the processor's index.
    pub alignment: u8,
    /// `LoggerId`.
    pub logger_id: u16,
    /// `State`: 3 when flushed.
    pub state: u32,
    /// `Flags`.
    pub flags: u16,
    /// `BufferType`: 4 for the buffer of the trace header.
    pub buffer_type: u16,
    /// Pointers of the process that wrote it.
    pub pointers: [u8; 16],
}

impl BufferHeader {
    /// `State` of a buffer that was written out.
    pub const STATE_FLUSHED: u32 = 3;
    /// `Flags` of the first buffer.
    pub const FLAG_FLUSH_MARKER: u16 = 0x01;
    /// `BufferType` of the first buffer.
    pub const TYPE_HEADER: u16 = 4;

    pub(super) fn parse(bytes: &[u8]) -> Found<BufferHeader> {
        let mut fields = Fields::new("buffer", bytes, 0);
        fields.u32("BufferSize")?;
        let saved_offset = fields.u32("SavedOffset")?;
        let current_offset = fields.u32("CurrentOffset")?;
        let reference_count = fields.i32("ReferenceCount")?;
        let flush_time = Timestamp(fields.i64("FlushTime")?);
        let sequence = fields.i64("SequenceNumber")?;
        let clock = fields.u64("clock")?;
        let processor = fields.u8("ProcessorNumber")?;
        let alignment = fields.u8("Alignment")?;
        let logger_id = fields.u16("LoggerId")?;
        let state = fields.u32("State")?;
        fields.u32("FilledBytes")?;
        let flags = fields.u16("Flags")?;
        let buffer_type = fields.u16("BufferType")?;
        let pointers = fields.array("pointers")?;
        Ok(BufferHeader {
            saved_offset,
            current_offset,
            reference_count,
            flush_time,
            sequence,
            clock,
            processor,
            alignment,
            logger_id,
            state,
            flags,
            buffer_type,
            pointers,
        })
    }

    fn encode(&self, len_buffer: u32, len_used: u32) -> Vec<u8> {
        let mut out = Vec::with_capacity(LEN_BUFFER_HEADER);
        out.extend(len_buffer.to_le_bytes());
        out.extend(self.saved_offset.to_le_bytes());
        out.extend(self.current_offset.to_le_bytes());
        out.extend(self.reference_count.to_le_bytes());
        out.extend(self.flush_time.0.to_le_bytes());
        out.extend(self.sequence.to_le_bytes());
        out.extend(self.clock.to_le_bytes());
        out.extend([self.processor, self.alignment]);
        out.extend(self.logger_id.to_le_bytes());
        out.extend(self.state.to_le_bytes());
        out.extend(len_used.to_le_bytes());
        out.extend(self.flags.to_le_bytes());
        out.extend(self.buffer_type.to_le_bytes());
        out.extend(self.pointers);
        out
    }
}

/// What stands behind the events of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fill {
    /// The same byte throughout.
    Byte(u8),
    /// Stale bytes; where there is more room than these take, 0xFF follows.
    Stale(Vec<u8>),
}

impl Fill {
    /// What Windows fills buffers with.
    pub const USUAL: Fill = Fill::Byte(0xFF);

    pub(super) fn of(bytes: &[u8]) -> Fill {
        match bytes.first() {
            None => Fill::USUAL,
            Some(&first) if bytes.iter().all(|&byte| byte == first) => Fill::Byte(first),
            Some(_) => Fill::Stale(bytes.to_vec()),
        }
    }
}

/// Writes a buffer. The caller has made sure that the events, without the header, fit `len_buffer`.
pub(crate) fn write_buffer(
    out: &mut impl Write,
    header: &BufferHeader,
    len_buffer: u32,
    events: &[u8],
    fill: &Fill,
) -> io::Result<()> {
    let len_used = LEN_BUFFER_HEADER + events.len();
    let len_fill = (len_buffer as usize).saturating_sub(len_used);
    out.write_all(&header.encode(len_buffer, len_used as u32))?;
    out.write_all(events)?;
    match fill {
        Fill::Byte(byte) => out.write_all(&vec![*byte; len_fill]),
        Fill::Stale(bytes) => {
            let bytes = bytes.get(..len_fill).unwrap_or(bytes);
            out.write_all(bytes)?;
            out.write_all(&vec![0xFF; len_fill - bytes.len()])
        }
    }
}
