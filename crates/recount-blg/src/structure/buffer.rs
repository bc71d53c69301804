//! Headers of buffers (formats/blg.md#buffers).

use std::io::{self, Write};

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Lines, Writer};
use recount_bytes::parse::{Parsed, by_fields};
use recount_model::Timestamp;

/// `WMI_BUFFER_HEADER`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferHeader {
    /// `BufferSize`, including this header.
    pub len: u32,
    /// `SavedOffset`: internal to the writer.
    pub saved_offset: u32,
    /// `CurrentOffset`: internal to the writer.
    pub current_offset: u32,
    /// `ReferenceCount`.
    pub reference_count: i32,
    /// `FlushTime`, UTC; 0 if unknown.
    pub flush_time: Timestamp,
    /// `SequenceNumber`.
    pub sequence: i64,
    /// Type and frequency of the clock.
    pub clock: u64,
    /// `ProcessorNumber` and `Alignment`, or, with flag 0x20, the processor index.
    pub processor: [u8; 2],
    /// `LoggerId`.
    pub logger_id: u16,
    /// `State`: 3 when flushed.
    pub state: u32,
    /// `FilledBytes`: bytes used, including this header.
    pub len_used: u32,
    /// `Flags`.
    pub flags: u16,
    /// `BufferType`: 4 for the buffer of the trace header.
    pub buffer_type: u16,
    /// Pointers of the process that wrote it.
    pub pointers: [u8; 16],
}

impl BufferHeader {
    /// Length in bytes.
    pub const LEN: usize = 72;
    /// `State` of a buffer that was written out.
    pub const STATE_FLUSHED: u32 = 3;
    /// Flag of the first buffer.
    pub const FLAG_FLUSH_MARKER: u16 = 0x01;
    /// Flag: the processor has a 16-bit index.
    const FLAG_PROCESSOR_INDEX: u16 = 0x20;
    /// Flag: the events of the buffer are compressed.
    const FLAG_COMPRESSED: u16 = 0x40;
    /// `BufferType` of the first buffer.
    pub const TYPE_HEADER: u16 = 4;

    /// Parses a header.
    pub fn parse(i: &[u8]) -> Parsed<'_, BufferHeader> {
        by_fields("buffer", ByteOrder::Little, BufferHeader::fields)(i)
    }

    /// Appends the header.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(&mut Writer::new(ByteOrder::Little, out));
    }

    /// The fields in the order of the structure.
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("BufferSize", &mut self.len)?;
        f.hidden("SavedOffset", &mut self.saved_offset)?;
        f.hidden("CurrentOffset", &mut self.current_offset)?;
        f.hidden("ReferenceCount", &mut self.reference_count)?;
        f.shown("FlushTime", &mut self.flush_time, |time| match time {
            Timestamp(0) => "0".to_owned(),
            time => time.to_string(),
        })?;
        f.field("SequenceNumber", &mut self.sequence)?;
        f.hidden("clock", &mut self.clock)?;
        let processor = self.processor();
        f.shown("Processor", &mut self.processor, |_| processor)?;
        f.hidden("LoggerId", &mut self.logger_id)?;
        f.hidden("State", &mut self.state)?;
        f.field("FilledBytes", &mut self.len_used)?;
        f.shown("Flags", &mut self.flags, |flags| format!("{flags:#06x}"))?;
        f.field("BufferType", &mut self.buffer_type)?;
        f.hidden("pointers", &mut self.pointers)
    }

    /// The processor to which the buffer belongs.
    pub fn processor(&self) -> u16 {
        match self.flags & Self::FLAG_PROCESSOR_INDEX {
            0 => u16::from(self.processor[0]),
            _ => u16::from_le_bytes(self.processor),
        }
    }

    /// Whether the events are compressed. No performance log is known to be.
    pub fn is_compressed(&self) -> bool {
        self.flags & Self::FLAG_COMPRESSED != 0
    }

    pub(crate) fn show(mut self, ofs: u64, lines: &mut Lines<'_>) -> std::fmt::Result {
        lines.at(ofs).structure("buffer")?;
        self.fields(lines)
    }
}

/// The bytes after the events of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fill {
    /// The same byte throughout.
    Byte(u8),
    /// Stale bytes, followed by 0xFF if there is more room.
    Stale(Vec<u8>),
}

impl Fill {
    /// The fill used by Windows.
    pub const USUAL: Fill = Fill::Byte(0xFF);

    /// The fill consisting of `bytes`.
    pub fn of(bytes: &[u8]) -> Fill {
        match bytes.first() {
            None => Fill::USUAL,
            Some(&first) if bytes.iter().all(|&byte| byte == first) => Fill::Byte(first),
            Some(_) => Fill::Stale(bytes.to_vec()),
        }
    }
}

/// Writes a buffer of `header.len` bytes, into which the events must fit; `FilledBytes` is computed.
pub fn write_buffer(
    out: &mut impl Write,
    header: BufferHeader,
    events: &[u8],
    fill: &Fill,
) -> io::Result<()> {
    let len_used = BufferHeader::LEN + events.len();
    let len_fill = (header.len as usize).saturating_sub(len_used);
    let mut bytes = Vec::with_capacity(BufferHeader::LEN);
    BufferHeader { len_used: len_used as u32, ..header }.write(&mut bytes);
    out.write_all(&bytes)?;
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
