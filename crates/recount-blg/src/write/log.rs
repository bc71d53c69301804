//! The log: cuts messages into events and puts events into buffers.

use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};

use recount_model::Timestamp;

use super::RecordBuf;
use crate::structure::buffer::{BufferHeader, Fill, write_buffer};
use crate::structure::counter_list::{Entry, ListHead};
use crate::structure::event::{EventHeader, LEN_FRAGMENT, PDH_PROVIDER};
use crate::structure::trace_header::{SystemEventHeader, TraceHeader};
use crate::structure::{COUNTER_LIST, DATA_BLOCK, NAME_TABLE, name_table};

/// Writes a performance log, buffer by buffer.
///
/// Messages go in this order: name tables, the counter list, data blocks. Time stamps are local.
pub struct BlgWriter<W> {
    out: W,
    header: TraceHeader,
    log: [u8; 16],
    /// Events of the current buffer.
    events: Vec<u8>,
    /// Kept from message to message only to reuse its memory.
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
        let events = trace_event(&header)?;
        if BufferHeader::LEN + events.len() > header.len_buffer as usize {
            let what = "the names of session and file leave no room in the first buffer";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let flush_time = header.start_time;
        let mut writer =
            BlgWriter { out, header, log, events, payload: Vec::new(), num_buffers: 0, flush_time };
        writer.flush()?;
        Ok(writer)
    }

    /// Names of objects and counters of one machine (`\\HOST`), by index. Long tables become several
    /// messages, each in a single event, as on Windows.
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
                self.message(NAME_TABLE, local, &name_table::write(machine, part.drain(..)))?;
                len = len_machine;
            }
            part.push((*index, name.as_str()));
            len += len_pair;
        }
        self.message(NAME_TABLE, local, &name_table::write(machine, part.into_iter()))
    }

    /// The counter list, which describes the records of all following data blocks.
    pub fn counter_list(&mut self, local: Timestamp, entries: &[Entry]) -> io::Result<()> {
        let mut payload = Vec::new();
        ListHead::default().write(&mut payload);
        for entry in entries {
            entry.write(0, &[], &mut payload);
        }
        self.message(COUNTER_LIST, local, &payload)
    }

    /// One sample: a record per entry of the counter list, in the same order.
    pub fn data_block(&mut self, local: Timestamp, records: &[RecordBuf]) -> io::Result<()> {
        let mut payload = std::mem::take(&mut self.payload);
        payload.clear();
        super::record::write_data_block(local, records, &mut payload).map_err(invalid)?;
        let written = self.message(DATA_BLOCK, local, &payload);
        self.payload = payload;
        written
    }

    /// One sample, whose message is complete: see [`structure::record`](crate::structure::record).
    pub fn data_block_message(&mut self, local: Timestamp, message: &[u8]) -> io::Result<()> {
        self.message(DATA_BLOCK, local, message)
    }

    /// Writes the remaining events, and the header again with its counts. `ended` is UTC.
    pub fn finish(mut self, ended: Timestamp) -> io::Result<W> {
        self.flush_time = ended;
        if !self.events.is_empty() {
            self.flush()?;
        }
        self.header.end_time = ended;
        self.header.num_buffers = self.num_buffers;
        let event = trace_event(&self.header)?;
        self.out.seek(SeekFrom::Start(BufferHeader::LEN as u64))?;
        self.out.write_all(&event)?;
        self.out.seek(SeekFrom::End(0))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn message(&mut self, message_type: u8, local: Timestamp, payload: &[u8]) -> io::Result<()> {
        let header = EventHeader {
            header_type: match self.header.len_pointer {
                8 => EventHeader::TYPE_64,
                _ => EventHeader::TYPE_32,
            },
            marker: EventHeader::MARKER,
            message_type,
            version: EventHeader::VERSION,
            local,
            provider: PDH_PROVIDER,
            log: self.log,
            num_fragments: u32::try_from(payload.len().div_ceil(LEN_FRAGMENT).max(1)).map_err(invalid)?,
            ..EventHeader::default()
        };
        let mut fragments = payload.chunks(LEN_FRAGMENT);
        for number in 1..=header.num_fragments {
            let fragment = fragments.next().unwrap_or_default();
            let len = EventHeader::LEN + fragment.len();
            if BufferHeader::LEN + self.events.len() + len > self.header.len_buffer as usize {
                self.flush()?;
            }
            let header = EventHeader { fragment: number, ..header };
            header.write(fragment, &mut self.events).map_err(invalid)?;
            self.events.resize(self.events.len().next_multiple_of(8), 0);
        }
        Ok(())
    }

    /// Writes the buffer with its header.
    fn flush(&mut self) -> io::Result<()> {
        let is_first = self.num_buffers == 0;
        let header = BufferHeader {
            len: self.header.len_buffer,
            saved_offset: (BufferHeader::LEN + self.events.len()) as u32,
            flush_time: self.flush_time,
            sequence: i64::from(self.num_buffers),
            state: BufferHeader::STATE_FLUSHED,
            flags: if is_first { BufferHeader::FLAG_FLUSH_MARKER } else { 0 },
            buffer_type: if is_first { BufferHeader::TYPE_HEADER } else { 0 },
            ..BufferHeader::default()
        };
        write_buffer(&mut self.out, header, &self.events, &Fill::USUAL)?;
        self.events.clear();
        self.num_buffers += 1;
        Ok(())
    }
}

fn trace_event(header: &TraceHeader) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    header.write(&mut body);
    SystemEventHeader::new(header).write(&body).map_err(invalid)
}

/// An error for values that the format can't express.
fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}
