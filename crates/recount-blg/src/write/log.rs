//! The log: messages cut in events, events put in buffers.

use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};

use recount_model::Timestamp;

use super::RecordBuf;
use crate::container::TraceHeader;
use crate::container::buffer::LEN_BUFFER_HEADER;
use crate::container::event::{FULL_EVENT_32, FULL_EVENT_64, LEN_FRAGMENT, LEN_HEADERS};
use crate::message::{COUNTER_LIST, DATA_BLOCK, NAME_TABLE};
use crate::records::counter_list::Entry;
use crate::wire::{self, BufferHeader, EventHeader, Fill, TraceEvent};

/// Writes a performance log, buffer by buffer.
///
/// Messages go in this order: name tables, the counter list, data blocks. Time stamps are local.
pub struct BlgWriter<W> {
    out: W,
    header: TraceHeader,
    log: [u8; 16],
    /// Events of the buffer that is being filled.
    events: Vec<u8>,
    /// Kept from message to message for its memory only.
    payload: Vec<u8>,
    num_buffers: u32,
    flush_time: Timestamp,
}

impl<W: Write + Seek> BlgWriter<W> {
    /// Begins a log. `log` is its GUID, in memory order.
    pub fn new(mut out: W, header: TraceHeader, log: [u8; 16]) -> io::Result<BlgWriter<W>> {
        let sane =
            header.len_buffer.is_multiple_of(512) && (16_384..=0x100_0000).contains(&header.len_buffer);
        if !sane || !matches!(header.len_pointer, 4 | 8) {
            let what = "buffer size must be a multiple of 512 from 16,384, pointer size 4 or 8";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        out.seek(SeekFrom::Start(0))?;
        let events = TraceEvent::new(header.clone()).encode(header.len_buffer)?;
        if LEN_BUFFER_HEADER + events.len() > header.len_buffer as usize {
            let what = "the names of session and file leave no room in the first buffer";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let flush_time = header.start_time;
        let mut writer =
            BlgWriter { out, header, log, events, payload: Vec::new(), num_buffers: 0, flush_time };
        writer.flush()?;
        Ok(writer)
    }

    /// Names of objects and counters of one machine (`\\HOST`), by index. Long tables become several messages,
    /// each whole in one event, as Windows writes them.
    pub fn name_table(
        &mut self,
        local: Timestamp,
        machine: &str,
        names: &BTreeMap<u32, String>,
    ) -> io::Result<()> {
        let len_machine = 2 * (machine.encode_utf16().count() + 1);
        let (mut part, mut len) = (Vec::new(), len_machine);
        for (index, name) in names {
            let len_pair = 2 * (index.to_string().len() + 1 + name.encode_utf16().count() + 1);
            if len + len_pair > LEN_FRAGMENT {
                self.message(NAME_TABLE, local, &wire::write_name_table(machine, part.drain(..)))?;
                len = len_machine;
            }
            part.push((*index, name.as_str()));
            len += len_pair;
        }
        self.message(NAME_TABLE, local, &wire::write_name_table(machine, part.into_iter()))
    }

    /// The counter list: what the records of every data block that follows hold.
    pub fn counter_list(&mut self, local: Timestamp, entries: &[Entry]) -> io::Result<()> {
        let mut payload = Vec::new();
        wire::write_list_head(wire::LIST_VERSION, wire::LIST_LOG_TYPE, &mut payload);
        for entry in entries {
            wire::write_entry(entry, 0, &[], &mut payload);
        }
        self.message(COUNTER_LIST, local, &payload)
    }

    /// One sample: a record per entry of the counter list, in the same order.
    pub fn data_block(&mut self, local: Timestamp, records: &[RecordBuf]) -> io::Result<()> {
        let mut payload = std::mem::take(&mut self.payload);
        payload.clear();
        wire::write_values(local, records, &mut payload)?;
        let written = self.message(DATA_BLOCK, local, &payload);
        self.payload = payload;
        written
    }

    /// Writes what is left, and the header again with its counts. `ended` is UTC.
    pub fn finish(mut self, ended: Timestamp) -> io::Result<W> {
        self.flush_time = ended;
        if !self.events.is_empty() {
            self.flush()?;
        }
        self.header.end_time = ended;
        self.header.num_buffers = self.num_buffers;
        let len_buffer = self.header.len_buffer;
        let event = TraceEvent::new(self.header).encode(len_buffer)?;
        self.out.seek(SeekFrom::Start(LEN_BUFFER_HEADER as u64))?;
        self.out.write_all(&event)?;
        self.out.seek(SeekFrom::End(0))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn message(&mut self, message_type: u8, local: Timestamp, payload: &[u8]) -> io::Result<()> {
        let header = EventHeader {
            header_type: if self.header.len_pointer == 8 { FULL_EVENT_64 } else { FULL_EVENT_32 },
            marker: wire::MARKER,
            level: 0,
            version: wire::EVENT_VERSION,
            thread_id: 0,
            process_id: 0,
            local,
            processor_time: 0,
            log: self.log,
        };
        let num_fragments = payload.len().div_ceil(LEN_FRAGMENT).max(1);
        let mut fragments = payload.chunks(LEN_FRAGMENT);
        for number in 1..=num_fragments {
            let fragment = fragments.next().unwrap_or_default();
            let len = LEN_HEADERS + fragment.len();
            if LEN_BUFFER_HEADER + self.events.len() + len > self.header.len_buffer as usize {
                self.flush()?;
            }
            wire::write_event(&header, message_type, number, num_fragments, fragment, &mut self.events)?;
            self.events.resize(self.events.len().next_multiple_of(8), 0);
        }
        Ok(())
    }

    /// Writes the buffer out under a header of its own.
    fn flush(&mut self) -> io::Result<()> {
        let is_first = self.num_buffers == 0;
        let header = BufferHeader {
            saved_offset: (LEN_BUFFER_HEADER + self.events.len()) as u32,
            flush_time: self.flush_time,
            sequence: i64::from(self.num_buffers),
            state: BufferHeader::STATE_FLUSHED,
            flags: if is_first { BufferHeader::FLAG_FLUSH_MARKER } else { 0 },
            buffer_type: if is_first { BufferHeader::TYPE_HEADER } else { 0 },
            ..BufferHeader::default()
        };
        wire::write_buffer(&mut self.out, &header, self.header.len_buffer, &self.events, &Fill::USUAL)?;
        self.events.clear();
        self.num_buffers += 1;
        Ok(())
    }
}
