//! The events in a buffer (formats/blg.md#events).

use nom::IResult;
use nom::bytes::complete::take;
use recount_bytes::parse::ofs_within;
use recount_model::{FindingKind, Health, Place};

use super::Buffer;
use crate::le::{u16_at, u32_at};
use crate::structure::DATA_BLOCK;
use crate::structure::buffer::BufferHeader;
use crate::structure::event::{EventHeader, LEN_FRAGMENT, PDH_PROVIDER};

/// Zeros on both sides of the end of an event that are taken for damage: more than padding, and longer than a value.
const LEN_WIPED: usize = 16;

/// Where the provider of a full event is.
const PROVIDER: std::ops::Range<usize> = EventHeader::OFS_PROVIDER..EventHeader::OFS_PROVIDER + 16;

/// One event of the PDH provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PdhEvent {
    /// Where the event starts in the file.
    pub ofs: usize,
    /// Its header. The size is the actual one, which may differ from the stated one.
    pub header: EventHeader,
}

impl PdhEvent {
    /// Where the payload starts in the file.
    pub fn ofs_payload(&self) -> usize {
        self.ofs + EventHeader::LEN
    }

    /// Bytes of payload.
    pub fn len_payload(&self) -> usize {
        usize::from(self.header.len) - EventHeader::LEN
    }
}

/// An event at a position where one may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An event of the PDH provider.
    Pdh(PdhEvent),
    /// Any other event, which is skipped.
    Other {
        /// Where it starts in the file.
        ofs: usize,
        /// Its size.
        len: u16,
        /// Its header type.
        header_type: u8,
    },
}

impl Event {
    /// Where it starts in the file.
    pub fn ofs(&self) -> usize {
        match self {
            Event::Pdh(event) => event.ofs,
            Event::Other { ofs, .. } => *ofs,
        }
    }

    /// The event of a part of the file that begins at an offset.
    fn moved(self, base: usize) -> Event {
        match self {
            Event::Pdh(event) => Event::Pdh(PdhEvent { ofs: base + event.ofs, ..event }),
            Event::Other { ofs, len, header_type } => Event::Other { ofs: base + ofs, len, header_type },
        }
    }

    /// Bytes to the end of the event, without padding.
    pub fn len_event(&self) -> usize {
        match self {
            Event::Pdh(event) => usize::from(event.header.len),
            Event::Other { len, .. } => usize::from(*len),
        }
    }
}

/// Walks the events of a buffer. After invalid data, the walk continues at the next PDH event that can be
/// found, and the bytes between are reported.
pub fn events(file: &[u8], buffer: &Buffer, health: &mut Health, each: impl FnMut(Event)) {
    events_of((file, 0), buffer, health, each);
}

/// The same, of a part of the file that begins at an offset and has the whole buffer.
pub(crate) fn events_of(
    (file, base): (&[u8], usize),
    buffer: &Buffer,
    health: &mut Health,
    mut each: impl FnMut(Event),
) {
    let buffer = Buffer { ofs: buffer.ofs - base, ofs_events_end: buffer.ofs_events_end - base, ..*buffer };
    let end = buffer.ofs_events_end;
    let trusts_end =
        (BufferHeader::LEN..=buffer.header.len as usize).contains(&(buffer.header.len_used as usize));
    let is_cut = buffer.ofs + buffer.header.len_used as usize > end;
    let mut rest = file.get(buffer.ofs_events()..end).unwrap_or_default();
    // Each event waits for the next one.
    let mut waiting: Option<Event> = None;
    while rest.len() >= 8 {
        let invalid = match event(file, rest) {
            Ok((after, event)) => {
                waiting.replace(event.moved(base)).into_iter().for_each(&mut each);
                rest = after;
                continue;
            }
            Err(nom::Err::Error(what) | nom::Err::Failure(what)) => what,
            // Only streaming parsers return this; here the whole buffer is in memory.
            Err(nom::Err::Incomplete(_)) => break,
        };
        let ofs = end - rest.len();
        let next = next_pdh_event(file, ofs + 8, end);
        // In a buffer that doesn't state how much of it is used, the last event is followed by fill.
        // If the file ends inside an event, that was reported with its buffer.
        if next.is_some() || (trusts_end && !is_cut) {
            let is_wiped = |event: &mut Event| is_wiped(file, event.ofs() - base..ofs);
            let (begin, also) = match waiting.take_if(is_wiped) {
                Some(wiped) => (wiped.ofs() - base, ", and the event before, which ends in zeros, too"),
                None => (ofs, ""),
            };
            let place = Place::structure("event", (base + ofs) as u64);
            let skipped = next.unwrap_or(end) - begin;
            health.note(FindingKind::Damaged, place, format!("{invalid}; {skipped} bytes skipped{also}"));
        }
        waiting.take().into_iter().for_each(&mut each);
        let Some(next) = next else { return };
        rest = file.get(next..end).unwrap_or_default();
    }
    waiting.into_iter().for_each(&mut each);
}

/// Whether bytes that were overwritten with zeros begin in an event and go on behind it: its names or values are lost, too.
fn is_wiped(file: &[u8], event: std::ops::Range<usize>) -> bool {
    let zeros = |bytes: Option<&[u8]>| bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0));
    let behind = event.end..event.end + LEN_WIPED;
    event.len() > LEN_WIPED && zeros(file.get(event.end - LEN_WIPED..event.end)) && zeros(file.get(behind))
}

/// Parses an event with its padding, at a position where one may start: at least 8 bytes, up to the end of the events of its
/// buffer. Otherwise it says why there is no event.
fn event<'a>(file: &'a [u8], i: &'a [u8]) -> IResult<&'a [u8], Event, String> {
    let invalid = |what| Err(nom::Err::Error(what));
    let (header_type, marker) = (i[2], i[3]);
    if marker & 0x80 == 0 {
        return invalid(format!("marker byte {marker:#04x} where 0x80 or more was expected"));
    }
    let is_system = matches!(header_type, 0x01..=0x04 | 0x10 | 0x11);
    let len = u16_at(i, if is_system { 4 } else { 0 }).unwrap_or(0);
    let len_least = if is_system { 16 } else { 24 };
    if usize::from(len) < len_least {
        return invalid(format!("event size {len} where at least {len_least} bytes were expected"));
    }
    let Ok((_, bytes)) = take::<_, _, ()>(len)(i) else {
        return invalid(format!("event size {len} where {} bytes are left in the buffer", i.len()));
    };
    if is_almost_pdh(bytes) {
        return invalid(
            "a provider GUID that is the performance counter provider's but for a few bytes".to_owned(),
        );
    }
    let ofs = ofs_within(file, i);
    let event = match pdh_event(bytes, ofs) {
        Some(event) => Event::Pdh(check_size(file, event, ofs + i.len()).map_err(nom::Err::Error)?),
        None => Event::Other { ofs, len, header_type },
    };
    // Every event starts at an 8-byte boundary of its buffer; buffers are multiples of 512.
    let len_padded = event.len_event().next_multiple_of(8);
    Ok((i.get(len_padded..).unwrap_or_default(), event))
}

/// The event that fills `bytes`, if it is from the PDH provider.
fn pdh_event(bytes: &[u8], ofs: usize) -> Option<PdhEvent> {
    if !is_full(bytes[2]) || bytes.get(PROVIDER) != Some(&PDH_PROVIDER) {
        return None;
    }
    let (_, header) = EventHeader::parse(bytes).ok()?;
    Some(PdhEvent { ofs, header: EventHeader { len: bytes.len() as u16, ..header } })
}

fn is_full(header_type: u8) -> bool {
    matches!(header_type, EventHeader::TYPE_32 | EventHeader::TYPE_64)
}

/// Whether a full event's provider is a damaged PDH GUID. Other providers share none of it.
fn is_almost_pdh(event: &[u8]) -> bool {
    const FEWEST_EQUAL: usize = 12;
    let Some(provider) = event.get(PROVIDER) else { return false };
    let num_equal = provider.iter().zip(PDH_PROVIDER).filter(|(one, other)| **one == *other).count();
    is_full(event[2]) && (FEWEST_EQUAL..16).contains(&num_equal)
}

/// A damaged size that still fits would swallow the following events, or cut this one short. If the contents
/// state a length that disagrees with the event's size, the one after which another event starts is used.
fn check_size(file: &[u8], event: PdhEvent, end: usize) -> Result<PdhEvent, String> {
    let len = event.len_payload();
    let Some(expected) = len_by_contents(file, &event).filter(|&expected| expected != len) else {
        return Ok(event);
    };
    let fits = |len: usize| starts_event(file, (event.ofs_payload() + len).next_multiple_of(8), end);
    if fits(len) {
        return Ok(event);
    }
    match u16::try_from(EventHeader::LEN + expected) {
        Ok(len) if fits(expected) => Ok(PdhEvent { header: EventHeader { len, ..event.header }, ..event }),
        _ => Err(format!("payload of {len} bytes where its contents state {expected}")),
    }
}

fn len_by_contents(file: &[u8], event: &PdhEvent) -> Option<usize> {
    let header = &event.header;
    if header.fragment < header.num_fragments {
        Some(LEN_FRAGMENT)
    } else if header.message_type == DATA_BLOCK && header.num_fragments == 1 {
        // The outer record states the length of the whole message.
        u32_at(file, event.ofs_payload() + 4).map(|len| len as usize)
    } else {
        None
    }
}

/// Whether an event, or the end of the buffer's events, is at `ofs`.
fn starts_event(file: &[u8], ofs: usize, end: usize) -> bool {
    match file.get(ofs..end) {
        Some(bytes) if bytes.len() >= 8 && is_full(bytes[2]) => bytes.get(PROVIDER) == Some(&PDH_PROVIDER),
        Some(bytes) if bytes.len() >= 8 => bytes[3] & 0x80 != 0 && bytes[3] != 0xFF,
        Some(_) => true,
        None => ofs <= end.next_multiple_of(8),
    }
}

/// The next position from `ofs` at which a PDH event starts.
fn next_pdh_event(file: &[u8], ofs: usize, end: usize) -> Option<usize> {
    (ofs..end.saturating_sub(EventHeader::LEN)).step_by(8).find(|&at| {
        let event = &file[at..end];
        event.get(PROVIDER) == Some(&PDH_PROVIDER) && is_full(event[2]) && event[3] & 0x80 != 0
    })
}
