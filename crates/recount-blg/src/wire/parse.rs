//! Taking a log apart.

use std::collections::HashMap;

use recount_model::{Content, Health, Place};

use super::log::Compare;
use super::{Buffer, BufferHeader, Event, EventHeader, Fill, Fragment, Log, Message, TraceEvent, WireError};
use crate::container;
use crate::container::buffer::{Buffers, LEN_BUFFER_HEADER, len_buffer};
use crate::container::event::events;
use crate::error::BlgError;
use crate::message::{self, Joiner};

impl Log {
    /// Takes a log apart. Fails where something is damaged, and where writing would not give these very bytes.
    pub fn parse(content: &dyn Content) -> Result<Log, WireError> {
        let file = content.bytes();
        let len_buffer = len_buffer(file).ok_or_else(|| BlgError::not_a_trace(file))?;
        let mut parser =
            Parser { file, joiner: Joiner::default(), places: HashMap::new(), messages: Vec::new() };
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
    file: &'a [u8],
    joiner: Joiner,
    places: Places,
    messages: Vec<Message>,
}

impl Parser<'_> {
    fn events_of(&mut self, buffer: &container::Buffer) -> Result<Vec<container::Event>, WireError> {
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

    fn take_message(&mut self, message: &message::Message) -> Result<(), WireError> {
        let mut scratch = Vec::new();
        let payload = message.payload(self.file, &mut scratch);
        let parsed = Message::parse(message.kind, payload);
        let parsed =
            parsed.map_err(|fault| fault.placed(|ofs| message::ofs_in_file(&message.extents, ofs)))?;
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
) -> Result<Buffer, WireError> {
    let start = buffer.ofs;
    let header = BufferHeader::parse(&file[start..start + LEN_BUFFER_HEADER]);
    let header = header.map_err(|fault| fault.placed(|ofs| start as u64 + ofs))?;
    let end = buffer.ofs_events_end;
    let mut taken = Vec::with_capacity(found.len());
    let mut pads_last = true;
    for event in found {
        let (ofs, len) = match event {
            container::Event::Pdh(event) => (event.ofs, usize::from(event.len)),
            container::Event::Other { ofs, len, .. } => (*ofs, usize::from(*len)),
        };
        let end_padded = ofs + len.next_multiple_of(8);
        pads_last = end_padded <= end;
        let padding = &file[ofs + len..end_padded.min(end).max(ofs + len)];
        taken.push(take_event(file, event, (ofs, len), padding, places)?);
    }
    let fill = Fill::of(&file[end..(start + buffer.len as usize).min(file.len())]);
    Ok(Buffer { header, events: taken, pads_last, fill })
}

fn take_event(
    file: &[u8],
    event: &container::Event,
    (ofs, len): (usize, usize),
    padding: &[u8],
    places: &Places,
) -> Result<Event, WireError> {
    let bytes = &file[ofs..ofs + len];
    let placed = |fault: super::fields::Fault| fault.placed(|within| ofs as u64 + within);
    Ok(match event {
        container::Event::Pdh(event) => {
            let Some(&(message, fragment)) = places.get(&(event.ofs_payload() as u64)) else {
                let place = Place::structure("PDH event", ofs as u64);
                return Err(WireError::Damaged { place, what: "a fragment of no message".to_owned() });
            };
            let header = EventHeader::parse(bytes).map_err(placed)?;
            Event::Fragment(Fragment { header, message, fragment, padding: padding.to_vec() })
        }
        container::Event::Other { header_type: 1 | 2, .. } if ofs == LEN_BUFFER_HEADER => {
            let event = TraceEvent::parse(bytes).map_err(placed)?;
            Event::Trace(Box::new(TraceEvent { padding: padding.to_vec(), ..event }))
        }
        container::Event::Other { .. } => Event::Foreign([bytes, padding].concat()),
    })
}

/// What a reader would only note is an error here.
fn sound(health: &Health) -> Result<(), WireError> {
    match health.findings().first() {
        None => Ok(()),
        Some(finding) => {
            let place = finding.place.clone().unwrap_or_default();
            Err(WireError::Damaged { place, what: finding.what.clone() })
        }
    }
}
