//! Headers of events (formats/blg.md#full-event-header).

use std::fmt;

use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::{Fields, Lines, Writer, narrow};
use recount_bytes::parse::{Parsed, by_fields};
use recount_model::Timestamp;

/// Provider of all events of a performance log: {933F3BB3-943E-490D-9CED-3CBB14C14479}.
pub const PDH_PROVIDER: [u8; 16] =
    [0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49, 0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79];

/// Payload bytes of every fragment except the last.
pub const LEN_FRAGMENT: usize = 8_000;

/// `EVENT_TRACE_HEADER` of an event of the PDH provider, and the PDH prefix after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventHeader {
    /// `Size` of the event in bytes, without padding.
    pub len: u16,
    /// `HeaderType`: 0x0A in a 32-bit session, 0x14 in a 64-bit one.
    pub header_type: u8,
    /// 0xC0.
    pub marker: u8,
    /// `Type`: the message type.
    pub message_type: u8,
    /// `Level`.
    pub level: u8,
    /// `Version`.
    pub version: u16,
    /// `ThreadId`.
    pub thread_id: u32,
    /// `ProcessId`.
    pub process_id: u32,
    /// `TimeStamp`, local time of the logging machine.
    pub local: Timestamp,
    /// `Guid` of the provider.
    pub provider: [u8; 16],
    /// `ProcessorTime` of the writer.
    pub processor_time: u64,
    /// GUID of the log.
    pub log: [u8; 16],
    /// Number of this fragment, from 1.
    pub fragment: u32,
    /// Number of fragments of the message.
    pub num_fragments: u32,
}

impl EventHeader {
    /// Length in bytes, including the prefix.
    pub const LEN: usize = 72;
    /// Range of the provider's GUID.
    pub(crate) const OFS_PROVIDER: usize = 24;
    /// `HeaderType` in a 32-bit session.
    pub const TYPE_32: u8 = 0x0A;
    /// `HeaderType` in a 64-bit session. The layout is the same.
    pub const TYPE_64: u8 = 0x14;
    /// `Version` of the events of every file seen.
    pub const VERSION: u16 = 60;
    /// The marker byte of the events of every file seen.
    pub const MARKER: u8 = 0xC0;

    /// Parses the header of an event that is known to be from the PDH provider.
    pub fn parse(i: &[u8]) -> Parsed<'_, EventHeader> {
        by_fields("PDH event", ByteOrder::Little, EventHeader::fields)(i)
    }

    /// Appends the event with its payload, without padding. Its size is computed.
    pub fn write(mut self, payload: &[u8], out: &mut Vec<u8>) -> Result<(), FormatError> {
        self.len = narrow(Self::LEN + payload.len(), "PDH event", "Size")?;
        let Ok(()) = self.fields(&mut Writer::new(ByteOrder::Little, out));
        out.extend_from_slice(payload);
        Ok(())
    }

    /// The fields in the order of the structure.
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("Size", &mut self.len)?;
        f.hidden("HeaderType", &mut self.header_type)?;
        f.hidden("marker", &mut self.marker)?;
        f.shown("MessageType", &mut self.message_type, |kind| format!("{kind:#04x}"))?;
        f.hidden("Level", &mut self.level)?;
        f.hidden("Version", &mut self.version)?;
        f.hidden("ThreadId", &mut self.thread_id)?;
        f.hidden("ProcessId", &mut self.process_id)?;
        f.shown("TimeStamp", &mut self.local, super::local)?;
        f.hidden("Guid", &mut self.provider)?;
        f.hidden("ProcessorTime", &mut self.processor_time)?;
        f.shown("Log", &mut self.log, hex)?;
        let num_fragments = self.num_fragments;
        f.shown("Fragment", &mut self.fragment, |number| format!("{number} of {num_fragments}"))?;
        f.hidden("num_fragments", &mut self.num_fragments)
    }

    pub(crate) fn show(mut self, ofs: u64, lines: &mut Lines<'_>) -> fmt::Result {
        lines.at(ofs).structure("PDH event")?;
        self.fields(lines)
    }
}

fn hex(bytes: [u8; 16]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
