//! A buffer of a log in pieces that repeat from sample to sample, for logs that keep `.blg` files byte for byte.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use recount_blocks::perf_data::BlockSplit;
use recount_model::{Health, Piece, Split};

use crate::container::buffer::{LEN_BUFFER_HEADER, buffer};
use crate::container::event::{LEN_HEADERS, events};
use crate::container::{Event, PdhEvent};
use crate::message::DATA_BLOCK;
use crate::records::data_block::{
    INSTANCES, InstanceValues, LEN_INSTANCES_HEAD, LEN_ITEM, LEN_RECORD_HEAD, OBJECT, Record, Records,
};

/// Sorts of pieces.
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
    /// Records kept whole: this and their kind.
    pub(super) const RECORD: u32 = 0x100;
    /// Pieces of a `PERF_DATA_BLOCK`: this and the sort that they have there.
    pub(super) const BLOCK: u32 = 0x200;
}

/// The section of payloads.
const PAYLOAD: u32 = 0;
/// How many bytes of an instance's name tell it from others here: a bound for hostile names.
const LEN_KEY: usize = 256;

/// Splits buffers of a `.blg` (formats/blg.md): the header; each event's header and PDH prefix; its payload along the
/// records of a data block, each known by its position; padding; fill.
///
/// Payloads that are cut in fragments stay in one piece each, known by message type and fragment number: structures
/// cross the cuts anywhere. Whatever can't be read stays in one piece.
#[derive(Debug, Default)]
pub struct BlgSplit {
    blocks: BlockSplit,
    /// Pieces of one block. Kept for its memory only.
    of_block: Vec<Piece>,
    /// How often a name has come in this record. Kept for its memory only.
    seen: HashMap<u64, u32>,
}

impl Split for BlgSplit {
    fn split(&mut self, record: &[u8], pieces: &mut Vec<Piece>) {
        let mut cut = Cut { record, at: 0, pieces };
        let Some(buffer) = buffer(record, 0, record.len()) else {
            cut.to(record.len(), Piece::FRAME, sort::UNKNOWN, 0);
            return;
        };
        cut.to(LEN_BUFFER_HEADER, Piece::FRAME, sort::BUFFER_HEADER, 0);
        let mut found = Vec::new();
        events(record, &buffer, &mut Health::default(), |event| found.push(event));
        for event in found {
            let ofs = match &event {
                Event::Pdh(event) => event.ofs,
                Event::Other { ofs, .. } => *ofs,
            };
            // What stands between two events and is none.
            cut.to(ofs, Piece::FRAME, sort::UNKNOWN, 1);
            match &event {
                Event::Pdh(event) => self.pdh_event(event, &mut cut),
                Event::Other { ofs, len, header_type } => {
                    let end = ofs + usize::from(*len);
                    cut.to(end, Piece::FRAME, sort::FOREIGN_EVENT, u64::from(*header_type));
                }
            }
            let end = (ofs + event.len_event()).next_multiple_of(8).min(buffer.ofs_events_end);
            cut.to(end, Piece::FRAME, sort::PADDING, 0);
        }
        cut.to(buffer.ofs_events_end, Piece::FRAME, sort::UNKNOWN, 1);
        cut.to(record.len(), Piece::FRAME, sort::FILL, 0);
    }
}

impl BlgSplit {
    fn pdh_event(&mut self, event: &PdhEvent, cut: &mut Cut<'_, '_>) {
        let message_type = event.message_type;
        cut.to(
            event.ofs + LEN_HEADERS,
            Piece::FRAME,
            sort::EVENT_HEADER,
            key((message_type, event.fragment)),
        );
        let end = (event.ofs_payload() + event.len_payload()).min(cut.record.len());
        if message_type == DATA_BLOCK && event.num_fragments == 1 {
            self.data_block(event.ofs_payload(), end, cut);
        }
        cut.to(end, PAYLOAD, sort::MESSAGE, key((message_type, event.fragment)));
    }

    /// The records of a data block in one piece; what can't be read is left.
    fn data_block(&mut self, start: usize, end: usize, cut: &mut Cut<'_, '_>) {
        let Some(message) = cut.record.get(start..end) else { return };
        let Ok(records) = Records::open(message) else { return };
        cut.to(start + LEN_RECORD_HEAD, PAYLOAD, sort::RECORD_HEAD, 0);
        for (position, record) in records.map_while(Result::ok).enumerate() {
            self.record(start + record.ofs, position, &record, cut);
        }
    }

    fn record(&mut self, start: usize, position: usize, record: &Record<'_>, cut: &mut Cut<'_, '_>) {
        let end = start + record.bytes.len();
        match record.kind {
            INSTANCES => {
                if let Some(many) = InstanceValues::read(record) {
                    cut.to(
                        start + LEN_INSTANCES_HEAD,
                        PAYLOAD,
                        sort::RECORD_HEAD,
                        key((INSTANCES, position)),
                    );
                    self.items(start + LEN_INSTANCES_HEAD, position, &many, cut);
                    return cut.to(end, PAYLOAD, sort::NAMES, key(position));
                }
            }
            OBJECT => {
                let block = &record.bytes[LEN_RECORD_HEAD..];
                cut.to(start + LEN_RECORD_HEAD, PAYLOAD, sort::RECORD_HEAD, key((OBJECT, position)));
                self.of_block.clear();
                self.blocks.split(block, &mut self.of_block);
                for piece in &self.of_block {
                    let key = key((position, piece.section, piece.key));
                    let end = cut.at + piece.len as usize;
                    cut.to(end, PAYLOAD, sort::BLOCK + piece.sort, key);
                }
            }
            _ => {}
        }
        cut.to(end, PAYLOAD, sort::RECORD + u32::from(record.kind), key(position));
    }

    /// Items by the names of their instances, namesakes by their order.
    fn items(&mut self, start: usize, position: usize, many: &InstanceValues<'_>, cut: &mut Cut<'_, '_>) {
        self.seen.clear();
        for (number, item) in many.items().enumerate() {
            let name = key(many.name_within(&item, LEN_KEY));
            let occurrence = self.seen.entry(name).or_default();
            *occurrence += 1;
            let key = key((position, name, *occurrence));
            cut.to(start + (number + 1) * LEN_ITEM, PAYLOAD, sort::ITEM, key);
        }
    }
}

/// The pieces so far, and where they end.
struct Cut<'r, 'p> {
    record: &'r [u8],
    at: usize,
    pieces: &'p mut Vec<Piece>,
}

impl Cut<'_, '_> {
    /// A piece up to `end`, if there is anything up to there.
    fn to(&mut self, end: usize, section: u32, sort: u32, key: u64) {
        let end = end.min(self.record.len());
        while self.at < end {
            let len = u32::try_from(end - self.at).unwrap_or(u32::MAX);
            self.pieces.push(Piece { section, sort, key, len });
            self.at += len as usize;
        }
    }
}

/// The same for equal things in one process, which is as long as keys are compared.
fn key(identity: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    identity.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
