//! Parsing a log.

use std::collections::HashMap;
use std::io::{self, Write};

use recount_blg::container::{self, Buffers, events};
use recount_blg::message::{self, Joiner};
use recount_blg::structure::buffer::{BufferHeader, Fill};
use recount_blg::structure::trace_header::{SystemEventHeader, TraceHeader};
use recount_bytes::parse;
use recount_model::{Content, Health, Place};

use super::error::sound;
use super::{Buffer, Event, Fragment, Log, LogError, Message, TraceEvent};

impl Log {
    /// Parses a log. Fails if anything is damaged, or if writing would not restore exactly these bytes.
    pub fn parse(content: &dyn Content) -> Result<Log, LogError> {
        let file = content.bytes();
        let len_buffer = recount_blg::buffer_len(file)
            .ok_or_else(|| LogError::damaged("buffer", 0, "not an event trace"))?;
        let mut parser =
            Parser { content, file, joiner: Joiner::default(), places: HashMap::new(), messages: Vec::new() };
        let mut found = Vec::new();
        let mut all = Buffers::new(content, len_buffer);
        for buffer in all.by_ref() {
            found.push((buffer, parser.events_of(&buffer)?));
        }
        sound(&all.health)?;
        let Parser { joiner, places, messages, .. } = parser;
        let mut health = Health::default();
        joiner.finish(&mut health);
        sound(&health)?;
        let buffers = found.iter().map(|(buffer, events)| take_buffer(file, buffer, events, &places));
        let log =
            Log { len_buffer: len_buffer as u32, buffers: buffers.collect::<Result<_, _>>()?, messages };
        let mut compare = Compare { expected: file, at: 0, len_buffer, unlike: None };
        log.write(&mut compare)?;
        compare.unlike.map_or(Ok(log), Err)
    }
}

/// Where a payload starts in the file, to which message and fragment it is.
type Places = HashMap<u64, (usize, usize)>;

struct Parser<'a> {
    content: &'a dyn Content,
    file: &'a [u8],
    joiner: Joiner,
    places: Places,
    messages: Vec<Message>,
}

impl Parser<'_> {
    fn events_of(&mut self, buffer: &container::Buffer) -> Result<Vec<container::Event>, LogError> {
        let mut health = Health::default();
        let mut found = Vec::new();
        events(self.file, buffer, &mut health, |event| found.push(event));
        for event in &found {
            let container::Event::Pdh(event) = event else { continue };
            if let Some(message) = self.joiner.push(event, &mut health) {
                self.take_message(&message)?;
            }
        }
        sound(&health)?;
        Ok(found)
    }

    fn take_message(&mut self, message: &message::Message) -> Result<(), LogError> {
        let mut scratch = Vec::new();
        let payload = message.payload(self.content, &mut scratch);
        let parsed = Message::parse(message.kind, payload)
            .map_err(|error| error.map_ofs(|ofs| message::ofs_in_file(&message.extents, ofs)))?;
        for (fragment, extent) in message.extents.iter().enumerate() {
            self.places.insert(extent.ofs, (self.messages.len(), fragment));
        }
        self.messages.push(parsed);
        Ok(())
    }
}

fn take_buffer(
    file: &[u8],
    buffer: &container::Buffer,
    found: &[container::Event],
    places: &Places,
) -> Result<Buffer, LogError> {
    let (start, end) = (buffer.ofs, buffer.ofs_events_end);
    let mut taken = Vec::with_capacity(found.len());
    let mut pads_last = true;
    for event in found {
        let (ofs, len) = (event.ofs(), event.len_event());
        let end_padded = ofs + len.next_multiple_of(8);
        pads_last = end_padded <= end;
        let padding = &file[ofs + len..end_padded.min(end).max(ofs + len)];
        taken.push(take_event(event, &file[ofs..ofs + len], padding, places)?);
    }
    let end_buffer = (start + buffer.header.len as usize).min(file.len());
    Ok(Buffer { header: buffer.header, events: taken, pads_last, fill: Fill::of(&file[end..end_buffer]) })
}

fn take_event(
    event: &container::Event,
    bytes: &[u8],
    padding: &[u8],
    places: &Places,
) -> Result<Event, LogError> {
    let ofs = event.ofs();
    Ok(match event {
        container::Event::Pdh(event) => {
            let Some(&(message, fragment)) = places.get(&(event.ofs_payload() as u64)) else {
                return Err(LogError::damaged("PDH event", ofs, "a fragment of no message"));
            };
            Event::Fragment(Fragment { header: event.header, message, fragment, padding: padding.to_vec() })
        }
        container::Event::Other { header_type: 1 | 2, .. } if ofs == BufferHeader::LEN => {
            let (body, head) = SystemEventHeader::parse(bytes)
                .map_err(|_| LogError::damaged("trace header event", ofs, "cut off"))?;
            let at_body = |error| parse::owned(error, body, (ofs + SystemEventHeader::LEN) as u64);
            let (tail, header) = TraceHeader::parse(body).map_err(at_body)?;
            let (tail, padding) = (tail.to_vec(), padding.to_vec());
            Event::Trace(Box::new(TraceEvent { head, header, tail, padding }))
        }
        container::Event::Other { .. } => Event::Foreign([bytes, padding].concat()),
    })
}

/// Compares the written bytes with the original ones.
struct Compare<'a> {
    expected: &'a [u8],
    at: usize,
    len_buffer: usize,
    /// The first difference.
    unlike: Option<LogError>,
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
            self.unlike = Some(LogError::Unlike { place, expected: written[same], found });
        }
        self.at += written.len();
        Ok(written.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
