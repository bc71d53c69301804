//! A parsed performance log: every byte has a named place here, including meaningless ones.
//!
//! [`Log::parse`] parses a log into structures, [`Log::write`] writes it again, with the code of the reader
//! and the writer. Lengths, counts, offsets and fragments aren't kept but computed on writing, so a log with
//! changed values is written correctly, and an unchanged one is restored byte for byte. Unlike the reader,
//! this only accepts valid files.

mod catalog;
mod error;
mod messages;
mod parse;

use std::io::Write;

use recount_blg::structure::buffer::{BufferHeader, Fill, write_buffer};
use recount_blg::structure::event::{EventHeader, LEN_FRAGMENT};
use recount_blg::structure::pad;
use recount_blg::structure::trace_header::{SystemEventHeader, TraceHeader};

pub use catalog::{Catalog, CatalogCounter, CatalogInstance, CatalogRecord};
pub use error::LogError;
pub use messages::{CounterList, DataBlock, Instances, ListEntry, Message, NameTable, Record, RecordBody};

/// A parsed log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Bytes of every buffer.
    pub len_buffer: u32,
    /// The buffers, in the order of the file.
    pub buffers: Vec<Buffer>,
    /// The messages, to which the events of the buffers refer by index.
    pub messages: Vec<Message>,
}

/// A buffer. The lengths in its header are computed on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub header: BufferHeader,
    pub events: Vec<Event>,
    /// Whether `FilledBytes` counts the padding after the last event.
    pub pads_last: bool,
    /// What follows `FilledBytes`.
    pub fill: Fill,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The trace header.
    Trace(Box<TraceEvent>),
    /// A message, or a part of one.
    Fragment(Fragment),
    /// An event of another provider, with the padding after it.
    Foreign(Vec<u8>),
}

/// The event of the trace header. Its size and its `BufferSize` are computed on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    pub head: SystemEventHeader,
    pub header: TraceHeader,
    /// What follows the names of session and file, to the end of the event.
    pub tail: Vec<u8>,
    /// What follows the event, to a multiple of 8.
    pub padding: Vec<u8>,
}

/// An event that carries a fragment of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Its header. Size, message type and fragment numbers follow from the message.
    pub header: EventHeader,
    /// Which of [`Log::messages`].
    pub message: usize,
    /// Which of the message's fragments, from 0.
    pub fragment: usize,
    /// What follows the event, to a multiple of 8.
    pub padding: Vec<u8>,
}

impl Log {
    /// Writes the log.
    pub fn write(&self, out: &mut impl Write) -> Result<(), LogError> {
        self.check_fragments()?;
        let mut payloads = Payloads { log: self, latest: None };
        for (number, buffer) in self.buffers.iter().enumerate() {
            let events = self.events(buffer, &mut payloads)?;
            let len_used = BufferHeader::LEN + events.len();
            if len_used > self.len_buffer as usize {
                return Err(LogError::Overfull { buffer: number, len_used, len_buffer: self.len_buffer });
            }
            let header = BufferHeader { len: self.len_buffer, ..buffer.header };
            write_buffer(out, header, &events, &buffer.fill)?;
        }
        Ok(())
    }

    /// Every fragment of every message has to be carried by one event.
    fn check_fragments(&self) -> Result<(), LogError> {
        let mut carried: Vec<Vec<usize>> = vec![Vec::new(); self.messages.len()];
        for event in self.buffers.iter().flat_map(|buffer| &buffer.events) {
            let Event::Fragment(event) = event else { continue };
            match carried.get_mut(event.message) {
                Some(fragments) => fragments.push(event.fragment),
                None => return Err(fragments(event.message, 1, 0)),
            }
        }
        for (message, mut found) in carried.into_iter().enumerate() {
            let num_fragments = num_fragments(self.messages[message].encode()?.len());
            found.sort_unstable();
            if !found.iter().copied().eq(0..num_fragments) {
                return Err(fragments(message, found.len(), num_fragments));
            }
        }
        Ok(())
    }

    fn events(&self, buffer: &Buffer, payloads: &mut Payloads<'_>) -> Result<Vec<u8>, LogError> {
        let mut out = Vec::new();
        for (number, event) in buffer.events.iter().enumerate() {
            let is_padded = buffer.pads_last || number + 1 < buffer.events.len();
            let padding = match event {
                Event::Trace(event) => {
                    out.extend(event.encode(self.len_buffer)?);
                    &event.padding
                }
                Event::Fragment(event) => {
                    let payload = payloads.of(event.message)?;
                    let start = event.fragment * LEN_FRAGMENT;
                    let end = payload.len().min(start + LEN_FRAGMENT);
                    let header = EventHeader {
                        message_type: self.messages[event.message].message_type(),
                        fragment: event.fragment as u32 + 1,
                        num_fragments: num_fragments(payload.len()) as u32,
                        ..event.header
                    };
                    header.write(&payload[start..end], &mut out)?;
                    &event.padding
                }
                Event::Foreign(bytes) => {
                    out.extend_from_slice(bytes);
                    continue;
                }
            };
            if is_padded {
                pad(&mut out, 0, padding);
            }
        }
        Ok(out)
    }
}

impl TraceEvent {
    fn encode(&self, len_buffer: u32) -> Result<Vec<u8>, LogError> {
        let mut body = Vec::new();
        TraceHeader { len_buffer, ..self.header.clone() }.write(&mut body);
        body.extend_from_slice(&self.tail);
        Ok(self.head.write(&body)?)
    }
}

fn num_fragments(len_payload: usize) -> usize {
    len_payload.div_ceil(LEN_FRAGMENT).max(1)
}

fn fragments(message: usize, num_events: usize, num_fragments: usize) -> LogError {
    LogError::Fragments { message, num_events, num_fragments }
}

/// The payload of the message that was asked for last: its fragments mostly follow each other.
struct Payloads<'l> {
    log: &'l Log,
    latest: Option<(usize, Vec<u8>)>,
}

impl Payloads<'_> {
    fn of(&mut self, message: usize) -> Result<&[u8], LogError> {
        if self.latest.as_ref().is_none_or(|(number, _)| *number != message) {
            self.latest = Some((message, self.log.messages[message].encode()?));
        }
        Ok(self.latest.as_ref().map_or(&[], |(_, payload)| payload))
    }
}
