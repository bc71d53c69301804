//! The log as a whole.

use std::io::{self, Write};

use recount_model::Place;

use super::event::write_event;
use super::{BufferHeader, EventHeader, Fill, Message, TraceEvent, WireError, pad, write_buffer};
use crate::container::buffer::LEN_BUFFER_HEADER;
use crate::container::event::LEN_FRAGMENT;

/// A log, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Bytes of every buffer.
    pub len_buffer: u32,
    /// The buffers, in the order of the file.
    pub buffers: Vec<Buffer>,
    /// The messages, which the events of the buffers name by their place here.
    pub messages: Vec<Message>,
}

/// A buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its header.
    pub header: BufferHeader,
    /// Its events.
    pub events: Vec<Event>,
    /// Whether `FilledBytes` counts the padding behind the last event.
    pub pads_last: bool,
    /// What stands behind `FilledBytes`.
    pub fill: Fill,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The trace header.
    Trace(Box<TraceEvent>),
    /// A message, or a part of one.
    Fragment(Fragment),
    /// An event of another provider, with the padding behind it.
    Foreign(Vec<u8>),
}

/// An event that carries a fragment of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Its header.
    pub header: EventHeader,
    /// Which of [`Log::messages`].
    pub message: usize,
    /// Which of the message's fragments, from 0.
    pub fragment: usize,
    /// What stands behind the event, to a multiple of 8.
    pub padding: Vec<u8>,
}

impl Log {
    /// Writes the log.
    pub fn write(&self, out: &mut impl Write) -> Result<(), WireError> {
        self.check_fragments()?;
        let mut payloads = Payloads { log: self, latest: None };
        for (number, buffer) in self.buffers.iter().enumerate() {
            let events = self.events(buffer, &mut payloads)?;
            let len_used = LEN_BUFFER_HEADER + events.len();
            if len_used > self.len_buffer as usize {
                return Err(WireError::Overfull { buffer: number, len_used, len_buffer: self.len_buffer });
            }
            write_buffer(out, &buffer.header, self.len_buffer, &events, &buffer.fill)?;
        }
        Ok(())
    }

    /// Every fragment of every message has to be carried by one event.
    fn check_fragments(&self) -> Result<(), WireError> {
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

    fn events(&self, buffer: &Buffer, payloads: &mut Payloads<'_>) -> Result<Vec<u8>, WireError> {
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
                    let message_type = self.messages[event.message].message_type();
                    let num_fragments = num_fragments(payload.len());
                    write_event(
                        &event.header,
                        message_type,
                        event.fragment + 1,
                        num_fragments,
                        &payload[start..end],
                        &mut out,
                    )?;
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

fn num_fragments(len_payload: usize) -> usize {
    len_payload.div_ceil(LEN_FRAGMENT).max(1)
}

fn fragments(message: usize, num_events: usize, num_fragments: usize) -> WireError {
    WireError::Fragments { message, num_events, num_fragments }
}

/// The payload of the message that was asked for last: its fragments mostly follow each other.
struct Payloads<'l> {
    log: &'l Log,
    latest: Option<(usize, Vec<u8>)>,
}

impl Payloads<'_> {
    fn of(&mut self, message: usize) -> Result<&[u8], WireError> {
        if self.latest.as_ref().is_none_or(|(number, _)| *number != message) {
            self.latest = Some((message, self.log.messages[message].encode()?));
        }
        Ok(self.latest.as_ref().map_or(&[], |(_, payload)| payload))
    }
}

/// Takes what is written and compares it with what is there.
pub(super) struct Compare<'a> {
    pub(super) expected: &'a [u8],
    pub(super) at: usize,
    pub(super) len_buffer: usize,
    /// The first difference.
    pub(super) unlike: Option<WireError>,
}

impl Write for Compare<'_> {
    fn write(&mut self, written: &[u8]) -> io::Result<usize> {
        let there = self.expected.get(self.at..).unwrap_or_default();
        let same = written.iter().zip(there).take_while(|(one, other)| one == other).count();
        if self.unlike.is_none() && same < written.len() {
            let ofs = self.at + same;
            let buffer = ofs - ofs % self.len_buffer;
            let place = Place { ofs: ofs as u64, ..Place::structure("buffer", buffer as u64) };
            let found = there.get(same).copied().unwrap_or_default();
            self.unlike = Some(WireError::Unlike { place, expected: written[same], found });
        }
        self.at += written.len();
        Ok(written.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
