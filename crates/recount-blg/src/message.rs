//! Messages: the payloads of PDH events, joined from fragments (formats/blg.md#messages).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use recount_model::{Content, FindingKind, Health, Place, Timestamp};

use crate::container::PdhEvent;
use crate::structure::event::EventHeader;

/// A range of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where it starts.
    pub ofs: u64,
    /// Its length in bytes.
    pub len: u32,
}

impl Extent {
    /// Its bytes in the file.
    pub(crate) fn range(&self) -> Range<usize> {
        let ofs = self.ofs as usize;
        ofs..ofs + self.len as usize
    }
}

/// A whole message, by the positions of its fragments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// One of the message types.
    pub kind: u8,
    /// Time stamp, local.
    pub local: Timestamp,
    /// Payloads of its fragments, in order.
    pub extents: Vec<Extent>,
}

impl Message {
    /// The payload: borrowed from the file if it is in one piece and in memory, otherwise joined in `scratch`.
    pub fn payload<'a>(&self, content: &'a dyn Content, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        payload(&self.extents, content, scratch)
    }
}

/// See [`Message::payload`].
pub fn payload<'a>(extents: &[Extent], content: &'a dyn Content, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    if let [only] = extents {
        match content.part(only.range()) {
            Cow::Borrowed(bytes) => return bytes,
            Cow::Owned(bytes) => *scratch = bytes,
        }
        return scratch;
    }
    scratch.clear();
    for extent in extents {
        scratch.extend_from_slice(&content.part(extent.range()));
    }
    scratch
}

/// The file offset of a byte in the joined payload.
pub fn ofs_in_file(extents: &[Extent], ofs_in_payload: u64) -> u64 {
    let mut before = 0;
    for extent in extents {
        if ofs_in_payload < before + u64::from(extent.len) {
            return extent.ofs + (ofs_in_payload - before);
        }
        before += u64::from(extent.len);
    }
    extents.last().map_or(0, |last| last.ofs + u64::from(last.len))
}

/// Fields that the fragments of one message share.
type Key = ([u8; 16], u8, i64, u32);

/// Collects fragments until messages are complete.
#[derive(Default)]
pub struct Joiner {
    waiting: HashMap<Key, BTreeMap<u32, Extent>>,
    /// The same keys in order of appearance, so that incomplete messages are reported in file order.
    order: Vec<Key>,
}

impl Joiner {
    /// Adds an event; returns a message if the event completes one.
    pub fn push(&mut self, event: &PdhEvent, health: &mut Health) -> Option<Message> {
        let extent = Extent { ofs: event.ofs_payload() as u64, len: event.len_payload() as u32 };
        let EventHeader { message_type, local, log, fragment, num_fragments, .. } = event.header;
        let message = |extents| Message { kind: message_type, local, extents };
        if num_fragments == 1 && fragment == 1 {
            return Some(message(vec![extent]));
        }
        if fragment == 0 || fragment > num_fragments {
            let what = format!("fragment {fragment} of {num_fragments}");
            health.note(FindingKind::Damaged, Place::structure("PDH event", event.ofs as u64), what);
            return None;
        }
        let key = (log, message_type, local.0, num_fragments);
        let parts = self.waiting.entry(key).or_insert_with(|| {
            self.order.push(key);
            BTreeMap::new()
        });
        if let Some(earlier) = parts.insert(fragment, extent) {
            // The same fragment again: another message with the same stamp begins, and the earlier one lost
            // its rest.
            let what = format!("fragment {fragment} of {num_fragments} comes twice; the first is dropped");
            health.note(FindingKind::Dropped, Place::structure("PDH event", earlier.ofs), what);
        }
        if parts.len() < num_fragments as usize {
            return None;
        }
        let parts = self.waiting.remove(&key)?;
        if let Some(at) = self.order.iter().rposition(|waiting| *waiting == key) {
            self.order.remove(at);
        }
        Some(message(parts.into_values().collect()))
    }

    /// Reports the incomplete messages.
    pub fn finish(self, health: &mut Health) {
        for key in &self.order {
            let Some(first) =
                self.waiting.get(key).and_then(|parts| Some((parts.len(), parts.first_key_value()?)))
            else {
                continue;
            };
            let (num_found, (_, extent)) = first;
            let what =
                format!("message of type {:#04x}: {num_found} of {} fragments found; dropped", key.1, key.3);
            health.note(FindingKind::Dropped, Place::structure("PDH event", extent.ofs), what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(ofs: usize, fragment: u32, num_fragments: u32) -> PdhEvent {
        let header = EventHeader {
            len: 80,
            message_type: crate::structure::DATA_BLOCK,
            local: Timestamp(5),
            fragment,
            num_fragments,
            ..EventHeader::default()
        };
        PdhEvent { ofs, header }
    }

    #[test]
    fn fragments_join_in_number_order() {
        let (mut joiner, mut health) = (Joiner::default(), Health::default());
        assert_eq!(joiner.push(&event(300, 2, 2), &mut health), None);
        let message = joiner.push(&event(100, 1, 2), &mut health).expect("whole");
        assert_eq!(message.extents.iter().map(|e| e.ofs).collect::<Vec<_>>(), [172, 372]);
        assert_eq!(ofs_in_file(&message.extents, 9), 373);
        joiner.finish(&mut health);
        assert!(health.is_sound());
    }

    #[test]
    fn what_lacks_fragments_is_noted() {
        let (mut joiner, mut health) = (Joiner::default(), Health::default());
        joiner.push(&event(100, 3, 2), &mut health);
        joiner.push(&event(100, 1, 4_000_000_000), &mut health);
        joiner.finish(&mut health);
        let texts: Vec<String> = health.findings().iter().map(ToString::to_string).collect();
        assert!(texts[0].contains("fragment 3 of 2"), "{texts:?}");
        assert!(texts[1].contains("1 of 4000000000 fragments found; dropped"), "{texts:?}");
    }
}
