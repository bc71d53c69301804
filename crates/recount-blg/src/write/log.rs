//! The log: messages cut in events, events put in buffers.

use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};

use recount_model::Timestamp;

use super::{RecordBuf, entry, record, trace_header};
use crate::container::TraceHeader;
use crate::container::buffer::LEN_BUFFER_HEADER;
use crate::container::event::{FULL_EVENT_32, FULL_EVENT_64, LEN_FRAGMENT, LEN_HEADERS, PDH_PROVIDER};
use crate::message::{COUNTER_LIST, DATA_BLOCK, NAME_TABLE};
use crate::records::counter_list::Entry;

/// What every file seen has as the version of its events.
const EVENT_VERSION: u16 = 60;
const STATE_FLUSHED: u32 = 3;
const FLAG_FLUSH_MARKER: u16 = 0x01;
const TYPE_HEADER_BUFFER: u16 = 4;
/// The fill behind the last event of a buffer.
const FILL: u8 = 0xFF;

/// Writes a performance log, buffer by buffer.
///
/// Messages go in this order: name tables, the counter list, data blocks. Time stamps are local.
pub struct BlgWriter<W> {
    out: W,
    header: TraceHeader,
    log: [u8; 16],
    buffer: Vec<u8>,
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
        let flush_time = header.start_time;
        let mut writer = BlgWriter { out, header, log, buffer: Vec::new(), num_buffers: 0, flush_time };
        writer.buffer = trace_header::event(&writer.header);
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
        let (mut part, mut len) = (BTreeMap::new(), len_machine);
        for (index, name) in names {
            let len_pair = 2 * (index.to_string().len() + 1 + name.encode_utf16().count() + 1);
            if len + len_pair > LEN_FRAGMENT {
                self.message(NAME_TABLE, local, &record::name_table(machine, &part))?;
                part.clear();
                len = len_machine;
            }
            part.insert(*index, name.clone());
            len += len_pair;
        }
        self.message(NAME_TABLE, local, &record::name_table(machine, &part))
    }

    /// The counter list: what the records of every data block that follows hold.
    pub fn counter_list(&mut self, local: Timestamp, entries: &[Entry]) -> io::Result<()> {
        self.message(COUNTER_LIST, local, &entry::counter_list(entries))
    }

    /// One sample: a record per entry of the counter list, in the same order.
    pub fn data_block(&mut self, local: Timestamp, records: &[RecordBuf]) -> io::Result<()> {
        self.message(DATA_BLOCK, local, &record::data_block(local, records))
    }

    /// Writes what is left, and the header again with its counts. `ended` is UTC.
    pub fn finish(mut self, ended: Timestamp) -> io::Result<W> {
        self.flush_time = ended;
        if !self.buffer.is_empty() {
            self.flush()?;
        }
        self.header.end_time = ended;
        self.header.num_buffers = self.num_buffers;
        let event = trace_header::event(&self.header);
        self.out.seek(SeekFrom::Start(LEN_BUFFER_HEADER as u64))?;
        self.out.write_all(&event)?;
        self.out.seek(SeekFrom::End(0))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn message(&mut self, message_type: u8, local: Timestamp, payload: &[u8]) -> io::Result<()> {
        let num_fragments = payload.len().div_ceil(LEN_FRAGMENT).max(1) as u32;
        let mut fragments = payload.chunks(LEN_FRAGMENT);
        for number in 1..=num_fragments {
            let fragment = fragments.next().unwrap_or_default();
            let len = LEN_HEADERS + fragment.len();
            if LEN_BUFFER_HEADER + self.buffer.len() + len > self.header.len_buffer as usize {
                self.flush()?;
            }
            let kind = if self.header.len_pointer == 8 { FULL_EVENT_64 } else { FULL_EVENT_32 };
            self.buffer.extend((len as u16).to_le_bytes());
            self.buffer.extend([kind, 0xC0, message_type, 0]);
            self.buffer.extend(EVENT_VERSION.to_le_bytes());
            self.buffer.extend([0; 8]); // thread, process
            self.buffer.extend(local.0.to_le_bytes());
            self.buffer.extend(PDH_PROVIDER);
            self.buffer.extend([0; 8]); // processor time
            self.buffer.extend(self.log);
            self.buffer.extend(number.to_le_bytes());
            self.buffer.extend(num_fragments.to_le_bytes());
            self.buffer.extend_from_slice(fragment);
            self.buffer.resize(self.buffer.len().next_multiple_of(8), 0);
        }
        Ok(())
    }

    /// Writes the buffer out under a header of its own.
    fn flush(&mut self) -> io::Result<()> {
        let is_first = self.num_buffers == 0;
        let len_used = (LEN_BUFFER_HEADER + self.buffer.len()) as u32;
        let mut header = Vec::with_capacity(LEN_BUFFER_HEADER);
        header.extend(self.header.len_buffer.to_le_bytes());
        header.extend(len_used.to_le_bytes());
        header.extend([0; 8]); // current offset, reference count
        header.extend(self.flush_time.0.to_le_bytes());
        header.extend(i64::from(self.num_buffers).to_le_bytes());
        header.extend([0; 12]); // clock, processor, alignment, logger id
        header.extend(STATE_FLUSHED.to_le_bytes());
        header.extend(len_used.to_le_bytes());
        header.extend(if is_first { FLAG_FLUSH_MARKER } else { 0 }.to_le_bytes());
        header.extend(if is_first { TYPE_HEADER_BUFFER } else { 0 }.to_le_bytes());
        header.resize(LEN_BUFFER_HEADER, 0);
        self.buffer.resize(self.header.len_buffer as usize - LEN_BUFFER_HEADER, FILL);
        self.out.write_all(&header)?;
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.num_buffers += 1;
        Ok(())
    }
}
