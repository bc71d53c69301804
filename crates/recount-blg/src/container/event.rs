//! The events in a buffer (formats/blg.md#events).

use crate::le::{i64_at, u16_at, u32_at};
use recount_model::{FindingKind, Health, Place, Timestamp};

use super::Buffer;

/// Provider of all events of a performance log: {933F3BB3-943E-490D-9CED-3CBB14C14479}.
pub(crate) const PDH_PROVIDER: [u8; 16] =
    [0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49, 0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79];

/// Bytes of a full event header.
pub(crate) const LEN_EVENT_HEADER: usize = 48;
/// Bytes of the event header and the PDH prefix behind it.
pub(crate) const LEN_HEADERS: usize = 72;
const OFS_PROVIDER: usize = 24;
/// Payload bytes of every fragment but the last.
pub(crate) const LEN_FRAGMENT: usize = 8_000;

/// Header types of full events, by the session's width; the layout is the same.
pub(crate) const FULL_EVENT_32: u8 = 0x0A;
pub(crate) const FULL_EVENT_64: u8 = 0x14;

/// One event of the PDH provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PdhEvent {
    /// Where the event starts in the file.
    pub ofs: usize,
    /// Its size, padding not included.
    pub len: u16,
    /// Message type: 0x20, 0x22, 0x23, 0x24.
    pub message_type: u8,
    /// Time stamp: local time of the logging machine.
    pub local: Timestamp,
    /// GUID of the log.
    pub log: [u8; 16],
    /// Number of this fragment, from 1.
    pub fragment: u32,
    /// Number of fragments of the message.
    pub num_fragments: u32,
}

impl PdhEvent {
    /// Where the payload starts in the file.
    pub fn ofs_payload(&self) -> usize {
        self.ofs + LEN_HEADERS
    }

    /// Bytes of payload.
    pub fn len_payload(&self) -> usize {
        usize::from(self.len) - LEN_HEADERS
    }
}

/// What stands at a place where an event may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An event of the PDH provider.
    Pdh(PdhEvent),
    /// Any other event: stepped over.
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
    /// Bytes to the end of the event, padding not included.
    pub fn len_event(&self) -> usize {
        match self {
            Event::Pdh(event) => usize::from(event.len),
            Event::Other { len, .. } => usize::from(*len),
        }
    }
}

/// Walks the events of a buffer. Where no event can stand, the walk goes on at the next PDH event that can be
/// found, and the bytes between are noted.
pub(crate) fn events(file: &[u8], buffer: &Buffer, health: &mut Health, mut each: impl FnMut(Event)) {
    let end = buffer.ofs_events_end;
    let trusts_end =
        (super::buffer::LEN_BUFFER_HEADER..=buffer.len as usize).contains(&(buffer.len_used as usize));
    let is_cut = buffer.ofs + buffer.len_used as usize > end;
    let mut ofs = buffer.ofs_events();
    while ofs + 8 <= end {
        match event_at(file, ofs, end) {
            Ok(event) => {
                each(event);
                // Every event starts on an 8-byte boundary of its buffer; buffers are multiples of 512.
                ofs += event.len_event().next_multiple_of(8);
            }
            Err(what) => {
                let next = next_pdh_event(file, ofs + 8, end);
                // Behind the last event of a buffer that doesn't say how much of it is used, there is fill. That the
                // file ends inside an event was told with its buffer.
                if next.is_some() || (trusts_end && !is_cut) {
                    let place = Place::structure("event", ofs as u64);
                    let skipped = next.unwrap_or(end) - ofs;
                    health.note(FindingKind::Damaged, place, format!("{what}; {skipped} bytes skipped"));
                }
                let Some(next) = next else { return };
                ofs = next;
            }
        }
    }
}

fn event_at(file: &[u8], ofs: usize, end: usize) -> Result<Event, String> {
    let bytes = &file[ofs..end];
    let (header_type, marker) = (bytes[2], bytes[3]);
    if marker & 0x80 == 0 {
        return Err(format!("marker byte {marker:#04x} where 0x80 or more was expected"));
    }
    let is_system = matches!(header_type, 0x01..=0x04 | 0x10 | 0x11);
    let len = u16_at(bytes, if is_system { 4 } else { 0 }).unwrap_or(0);
    let len_least = if is_system { 16 } else { 24 };
    if usize::from(len) < len_least {
        return Err(format!("event size {len} where at least {len_least} bytes were expected"));
    }
    if usize::from(len) > bytes.len() {
        return Err(format!("event size {len} where {} bytes are left in the buffer", bytes.len()));
    }
    if is_almost_pdh(&bytes[..usize::from(len)]) {
        return Err(
            "a provider GUID that is the performance counter provider's but for a few bytes".to_owned()
        );
    }
    match pdh_event(&bytes[..usize::from(len)], ofs) {
        Some(event) => check_size(file, event, end).map(Event::Pdh),
        None => Ok(Event::Other { ofs, len, header_type }),
    }
}

/// The event in exactly `bytes`, if it is one of the PDH provider.
fn pdh_event(bytes: &[u8], ofs: usize) -> Option<PdhEvent> {
    let is_full = matches!(bytes[2], FULL_EVENT_32 | FULL_EVENT_64);
    if !is_full || bytes.len() < LEN_HEADERS || bytes[OFS_PROVIDER..OFS_PROVIDER + 16] != PDH_PROVIDER {
        return None;
    }
    Some(PdhEvent {
        ofs,
        len: bytes.len() as u16,
        message_type: bytes[4],
        local: Timestamp(i64_at(bytes, 16)?),
        log: bytes[LEN_EVENT_HEADER..LEN_EVENT_HEADER + 16].try_into().ok()?,
        fragment: u32_at(bytes, LEN_EVENT_HEADER + 16)?,
        num_fragments: u32_at(bytes, LEN_EVENT_HEADER + 20)?,
    })
}

/// Whether a full event's provider is a damaged PDH GUID. Other providers share none of it.
fn is_almost_pdh(event: &[u8]) -> bool {
    const FEWEST_EQUAL: usize = 12;
    let Some(provider) = event.get(OFS_PROVIDER..OFS_PROVIDER + 16) else { return false };
    let num_equal = provider.iter().zip(PDH_PROVIDER).filter(|(one, other)| **one == *other).count();
    matches!(event[2], FULL_EVENT_32 | FULL_EVENT_64) && (FEWEST_EQUAL..16).contains(&num_equal)
}

/// A size that was altered but still fits would swallow the events behind it, or cut its own short. Where the
/// contents say how long they are and the event's size disagrees, the one counts behind which another event
/// starts.
fn check_size(file: &[u8], event: PdhEvent, end: usize) -> Result<PdhEvent, String> {
    let len = event.len_payload();
    let Some(expected) = len_by_contents(file, &event).filter(|&expected| expected != len) else {
        return Ok(event);
    };
    let fits = |len: usize| starts_event(file, (event.ofs_payload() + len).next_multiple_of(8), end);
    if fits(len) {
        return Ok(event);
    }
    match u16::try_from(LEN_HEADERS + expected) {
        Ok(len) if fits(expected) => Ok(PdhEvent { len, ..event }),
        _ => Err(format!("payload of {len} bytes where its contents state {expected}")),
    }
}

fn len_by_contents(file: &[u8], event: &PdhEvent) -> Option<usize> {
    if event.fragment < event.num_fragments {
        Some(LEN_FRAGMENT)
    } else if event.message_type == crate::message::DATA_BLOCK && event.num_fragments == 1 {
        // The outer record says the length of the whole message.
        u32_at(file, event.ofs_payload() + 4).map(|len| len as usize)
    } else {
        None
    }
}

/// Whether an event, or the end of the buffer's events, is at `ofs`.
fn starts_event(file: &[u8], ofs: usize, end: usize) -> bool {
    match file.get(ofs..end) {
        Some(bytes) if bytes.len() >= 8 => match bytes[2] {
            FULL_EVENT_32 | FULL_EVENT_64 => {
                bytes.get(OFS_PROVIDER..OFS_PROVIDER + 16) == Some(&PDH_PROVIDER)
            }
            _ => bytes[3] & 0x80 != 0 && bytes[3] != 0xFF,
        },
        Some(_) => true,
        None => ofs <= end.next_multiple_of(8),
    }
}

/// The next place from `ofs` at which a PDH event starts.
fn next_pdh_event(file: &[u8], ofs: usize, end: usize) -> Option<usize> {
    (ofs..end.saturating_sub(LEN_HEADERS)).step_by(8).find(|&at| {
        file[at + OFS_PROVIDER..at + OFS_PROVIDER + 16] == PDH_PROVIDER
            && matches!(file[at + 2], FULL_EVENT_32 | FULL_EVENT_64)
            && file[at + 3] & 0x80 != 0
    })
}
