//! Splits messages into pieces that repeat from sample to sample.

use recount_model::{Piece, PieceKeys, Split};

use super::{CounterBlock, CounterHeader, DataHeader, InstanceRows, Message, QueryData};

/// Splits messages. An answer of `PerflibV2QueryCounterData` is split into the headers of message and data,
/// and its blocks, each in the section of its position: counter ids, instance headers, and values, with one
/// piece for the values of an instance. Everything else, and an answer whose sizes aren't consistent up to
/// its end, is one piece that belongs to no section.
#[derive(Debug, Default)]
pub struct MessageSplit {
    /// Keys of a block's instances. Kept only to reuse its memory.
    keys: PieceKeys,
}

/// Minimum average length of rows that become pieces.
const MIN_LEN_ROW: usize = 24;

/// Kinds of pieces.
mod sort {
    pub(super) const HEADER: u32 = 0;
    pub(super) const BLOCK: u32 = 1;
    pub(super) const INSTANCE: u32 = 2;
    pub(super) const VALUES: u32 = 3;
    pub(super) const IDS: u32 = 4;
    pub(super) const UNKNOWN: u32 = 5;
    /// Messages of other methods; their opnum is added.
    pub(super) const MESSAGE: u32 = 16;
}

impl Split for MessageSplit {
    fn split(&mut self, record: &[u8], pieces: &mut Vec<Piece>) {
        let start = pieces.len();
        let sort = match Message::parse(record, 0) {
            Ok(message) if message.is_sample() && message.len() == record.len() => {
                if self.sample(message.buffer, pieces).is_some() {
                    return;
                }
                pieces.truncate(start);
                sort::UNKNOWN
            }
            Ok(message) => sort::MESSAGE + u32::from(message.header.opnum),
            Err(_) => sort::UNKNOWN,
        };
        push(pieces, Piece::FRAME, sort, 0, record.len());
    }
}

impl MessageSplit {
    /// `None` if the sizes aren't consistent up to the end.
    fn sample(&mut self, buffer: &[u8], pieces: &mut Vec<Piece>) -> Option<()> {
        let data = QueryData::parse(buffer, 0).ok().filter(|data| data.trailing.is_empty())?;
        push(pieces, Piece::FRAME, sort::HEADER, 0, Message::LEN_HEADER + DataHeader::LEN);
        let mut blocks = data.blocks();
        let mut section = 0;
        while !blocks.rest().is_empty() {
            let len_before = blocks.rest().len();
            let (framed, block) = blocks.next_with_bytes()?;
            framed?;
            let len = len_before - blocks.rest().len();
            match block {
                Ok(block) => self.block(section, &block, len, pieces),
                Err(_) => push(pieces, section, sort::UNKNOWN, 0, len),
            }
            section += 1;
        }
        Some(())
    }

    /// A block of `len` bytes, with its padding.
    fn block(&mut self, section: u32, block: &CounterBlock<'_>, len: usize, pieces: &mut Vec<Piece>) {
        let mut left = len;
        let mut take = |sort, key, len: usize| {
            left -= len;
            push(pieces, section, sort, key, len);
        };
        take(sort::BLOCK, 0, CounterHeader::LEN);
        match block {
            CounterBlock::Error { .. } => {}
            CounterBlock::Single { value, .. } => take(sort::VALUES, 0, value.len_padded()),
            CounterBlock::MultiCounters { ids, values, .. } => {
                take(sort::IDS, 0, ids.len_padded());
                take(sort::VALUES, 0, values.bytes().len());
            }
            CounterBlock::MultiInstances { instances, .. } => self.rows(*instances, &mut take),
            CounterBlock::CounterSet { ids, instances, .. } => {
                take(sort::IDS, 0, ids.len_padded());
                self.rows(*instances, &mut take);
            }
        }
        push(pieces, section, sort::UNKNOWN, 1, left);
    }

    fn rows(&mut self, instances: InstanceRows<'_>, take: &mut dyn FnMut(u32, u64, usize)) {
        take(sort::BLOCK, 1, InstanceRows::LEN);
        // Rows without values or names aren't worth the memory of their pieces.
        if instances.bytes().len() < instances.len().saturating_mul(MIN_LEN_ROW) {
            return;
        }
        self.keys.clear();
        for row in instances.iter() {
            let key = self.keys.key(&[row.instance.id], row.instance.name.units);
            take(sort::INSTANCE, key, row.instance.len_padded());
            take(sort::VALUES, key, row.values.bytes().len());
        }
    }
}

fn push(pieces: &mut Vec<Piece>, section: u32, sort: u32, key: u64, len: usize) {
    if len > 0 {
        pieces.push(Piece { section, sort, key, len: len as u32 });
    }
}
