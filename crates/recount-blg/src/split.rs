//! Splits a buffer of a log into pieces that repeat from sample to sample, for logs that keep `.blg` files
//! byte for byte.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use recount_model::{Health, Piece, Split};
use recount_perf_data::BlockSplit;

use crate::container::buffer::buffer;
use crate::container::{Event, PdhEvent, events};
use crate::le::u32_at;
use crate::structure::buffer::BufferHeader;
use crate::structure::event::EventHeader;
use crate::structure::instances::{InstanceValues, InstancesHead, Item};
use crate::structure::record::{INSTANCES, OBJECT, Record, RecordHead, Records};
use crate::structure::{COUNTER_LIST, DATA_BLOCK, NAME_TABLE};

mod joined;
mod texts;

use joined::{Joined, join};
use texts::Texts;

/// Kinds of pieces.
mod sort {
    pub(super) const BUFFER_HEADER: u32 = 0;
    pub(super) const EVENT_HEADER: u32 = 1;
    pub(super) const FOREIGN_EVENT: u32 = 2;
    pub(super) const PADDING: u32 = 3;
    pub(super) const FILL: u32 = 4;
    pub(super) const UNKNOWN: u32 = 5;
    pub(super) const MESSAGE: u32 = 6;
    pub(super) const RECORD_HEAD: u32 = 7;
    pub(super) const ITEM: u32 = 8;
    pub(super) const NAMES: u32 = 9;
    pub(super) const DEFINITIONS_HEAD: u32 = 10;
    pub(super) const DEFINITION: u32 = 11;
    pub(super) const ENTRY: u32 = 12;
    pub(super) const NAME_INDEX: u32 = 13;
    /// Records kept whole: this plus their kind.
    pub(super) const RECORD: u32 = 0x100;
    /// Pieces of a `PERF_DATA_BLOCK`: this plus their kind there.
    pub(super) const BLOCK: u32 = 0x200;
    /// Texts: this plus a number that is unique per text.
    pub(super) const TEXT: u32 = 1 << 30;
}

/// The section of payloads.
const PAYLOAD: u32 = 0;
/// How many bytes of an instance's name are used to identify it here: a limit for hostile names.
const LEN_KEY: usize = 256;
/// Texts of longer buffers aren't split, since the number of segments per record is limited.
const MAX_LEN_TEXTS_CUT: usize = 256 << 10;
/// `HeaderLength` of a `PERF_OBJECT_TYPE` (formats/perf-data-block.md#object).
const OFS_LEN_HEADER: usize = 8;

/// Splits buffers of a `.blg` (formats/blg.md): the header; each event's header and PDH prefix; its payload
/// at the records of a data block, each identified by its position; padding; fill.
///
/// A message in fragments is joined first, and its pieces are cut where the fragments end. Anything
/// unreadable stays in one piece.
#[derive(Debug, Default)]
pub struct BlgSplit {
    blocks: BlockSplit,
    /// Pieces of one block. Kept only to reuse its memory.
    of_block: Vec<Piece>,
    /// How often a name has occurred in this record. Kept only to reuse its memory.
    seen: HashMap<u64, u32>,
    /// The message whose fragments follow.
    joined: Joined,
    texts: Texts,
    /// Whether the buffer is short enough for it.
    are_texts_cut: bool,
}

impl Split for BlgSplit {
    fn split(&mut self, record: &[u8], pieces: &mut Vec<Piece>) {
        self.split_at(record, 0..record.len(), pieces);
    }
}

impl BlgSplit {
    /// Splits the buffer at an offset in a file of buffers of its length: messages that continue in later
    /// buffers are split as a whole.
    pub fn split_at(&mut self, file: &[u8], range: Range<usize>, pieces: &mut Vec<Piece>) {
        let mut cut = Cut { record: &file[..range.end], at: range.start, pieces };
        let Some(buffer) = buffer(file, range.start, range.end) else {
            return cut.to(range.end, Piece::FRAME, sort::UNKNOWN, 0);
        };
        self.are_texts_cut = range.len() <= MAX_LEN_TEXTS_CUT;
        cut.to(range.start + BufferHeader::LEN, Piece::FRAME, sort::BUFFER_HEADER, 0);
        let mut found = Vec::new();
        events(file, &buffer, &mut Health::default(), |event| found.push(event));
        for event in found {
            let ofs = event.ofs();
            // Bytes between two events.
            cut.to(ofs, Piece::FRAME, sort::UNKNOWN, 1);
            match &event {
                Event::Pdh(event) => self.pdh_event(event, file, &range, &mut cut),
                Event::Other { ofs, len, header_type } => {
                    let end = ofs + usize::from(*len);
                    cut.to(end, Piece::FRAME, sort::FOREIGN_EVENT, u64::from(*header_type));
                }
            }
            let end = (ofs + event.len_event()).next_multiple_of(8).min(buffer.ofs_events_end);
            cut.to(end, Piece::FRAME, sort::PADDING, 0);
        }
        cut.to(buffer.ofs_events_end, Piece::FRAME, sort::UNKNOWN, 1);
        cut.to(range.end, Piece::FRAME, sort::FILL, 0);
    }

    fn pdh_event(&mut self, event: &PdhEvent, file: &[u8], range: &Range<usize>, cut: &mut Cut<'_, '_>) {
        let EventHeader { message_type, fragment, num_fragments, .. } = event.header;
        let key = key((message_type, fragment));
        cut.to(event.ofs + EventHeader::LEN, Piece::FRAME, sort::EVENT_HEADER, key);
        let end = (event.ofs_payload() + event.len_payload()).min(cut.record.len());
        let payload = file.get(event.ofs_payload()..end).unwrap_or_default();
        if num_fragments == 1 {
            let mut of_message = Cut { record: payload, at: 0, pieces: &mut *cut.pieces };
            self.message(message_type, &mut of_message);
            of_message.to(payload.len(), PAYLOAD, sort::MESSAGE, key);
            cut.at = end;
            return;
        }
        if fragment == 1 {
            self.joined = Joined::default();
            if let Some(whole) = join(event, file, range) {
                let mut pieces = Vec::new();
                let mut of_message = Cut { record: &whole, at: 0, pieces: &mut pieces };
                self.message(message_type, &mut of_message);
                of_message.to(whole.len(), PAYLOAD, sort::MESSAGE, key);
                self.joined = Joined::new(event, pieces);
            }
        }
        self.joined.take(event, end, cut);
        cut.to(end, PAYLOAD, sort::MESSAGE, key);
    }

    /// The pieces of a whole message; unreadable bytes are left.
    fn message(&mut self, message_type: u8, cut: &mut Cut<'_, '_>) {
        match message_type {
            DATA_BLOCK => self.data_block(cut),
            NAME_TABLE if self.are_texts_cut => self.texts.name_table(cut),
            COUNTER_LIST if self.are_texts_cut => self.texts.counter_list(cut),
            NAME_TABLE | COUNTER_LIST => self.texts.whole(cut),
            _ => {}
        }
    }

    fn data_block(&mut self, cut: &mut Cut<'_, '_>) {
        let Ok(records) = Records::open(cut.record) else { return };
        cut.to(RecordHead::LEN, PAYLOAD, sort::RECORD_HEAD, 0);
        for (position, record) in records.map_while(Result::ok).enumerate() {
            self.record(record.ofs, position, &record, cut);
        }
    }

    fn record(&mut self, start: usize, position: usize, record: &Record<'_>, cut: &mut Cut<'_, '_>) {
        let end = start + record.bytes.len();
        match record.kind {
            INSTANCES => {
                if let Some(many) = InstanceValues::read(record) {
                    cut.to(
                        start + InstancesHead::LEN,
                        PAYLOAD,
                        sort::RECORD_HEAD,
                        key((INSTANCES, position)),
                    );
                    self.items(start + InstancesHead::LEN, position, &many, cut);
                    return cut.to(end, PAYLOAD, sort::NAMES, key(position));
                }
            }
            OBJECT => {
                let block = &record.bytes[RecordHead::LEN..];
                cut.to(start + RecordHead::LEN, PAYLOAD, sort::RECORD_HEAD, key((OBJECT, position)));
                self.of_block.clear();
                self.blocks.split(block, &mut self.of_block);
                for piece in &self.of_block {
                    let end = cut.at + piece.len as usize;
                    if piece.sort == BlockSplit::SORT_DEFINITIONS {
                        definitions(cut, end, position);
                    } else {
                        let key = key((position, piece.section, piece.key));
                        cut.to(end, PAYLOAD, sort::BLOCK + piece.sort, key);
                    }
                }
            }
            _ => {}
        }
        cut.to(end, PAYLOAD, sort::RECORD + u32::from(record.kind), key(position));
    }

    /// Items by instance name, and by order for equal names.
    fn items(&mut self, start: usize, position: usize, many: &InstanceValues<'_>, cut: &mut Cut<'_, '_>) {
        self.seen.clear();
        for (number, item) in many.items().enumerate() {
            let name = key(many.name_within(&item, LEN_KEY));
            let occurrence = self.seen.entry(name).or_default();
            *occurrence += 1;
            let key = key((position, name, *occurrence));
            cut.to(start + (number + 1) * Item::LEN, PAYLOAD, sort::ITEM, key);
        }
    }
}

/// An object's header, and its counters' definitions one by one.
fn definitions(cut: &mut Cut<'_, '_>, end: usize, position: usize) {
    let header = u32_at(cut.record, cut.at + OFS_LEN_HEADER).unwrap_or(0) as usize;
    cut.to((cut.at + header).min(end), PAYLOAD, sort::DEFINITIONS_HEAD, key(position));
    for number in 0_u32.. {
        match u32_at(cut.record, cut.at) {
            Some(len) if len > 0 && len as usize <= end - cut.at => {
                cut.to(cut.at + len as usize, PAYLOAD, sort::DEFINITION, key((position, number)));
            }
            _ => break,
        }
    }
    cut.to(end, PAYLOAD, sort::UNKNOWN, key(position));
}

/// The pieces so far, and where they end.
struct Cut<'r, 'p> {
    record: &'r [u8],
    at: usize,
    pieces: &'p mut Vec<Piece>,
}

impl Cut<'_, '_> {
    /// Adds a piece up to `end`, if not empty.
    fn to(&mut self, end: usize, section: u32, sort: u32, key: u64) {
        let end = end.min(self.record.len());
        while self.at < end {
            let len = u32::try_from(end - self.at).unwrap_or(u32::MAX);
            self.pieces.push(Piece { section, sort, key, len });
            self.at += len as usize;
        }
    }
}

/// Equal for equal things within a process; keys aren't compared across processes.
fn key(identity: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    identity.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
