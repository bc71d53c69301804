//! Buffers assembled byte by byte, independently of the writers under test.

use proptest::collection::vec;
use proptest::prelude::*;
use recount_pcq::CounterIdentifierBuf;

/// The contents of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Error(u32),
    Single(Vec<u8>),
    MultiCounters(Vec<(u32, Vec<u8>)>),
    MultiInstances(Vec<Row>),
    CounterSet(Vec<u32>, Vec<Row>),
}

/// Id, name and values of an instance.
pub(crate) type Row = (u32, String, Vec<Vec<u8>>);

/// The contents of padding, and whether sizes include it where that is optional.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    pub(crate) byte: u8,
    pub(crate) is_counted: bool,
}

pub(crate) fn any_fill() -> impl Strategy<Value = Fill> {
    any::<(u8, bool)>().prop_map(|(byte, is_counted)| Fill { byte, is_counted })
}

fn any_value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 4), vec(any::<u8>(), 8), vec(any::<u8>(), 0..20)]
}

fn any_row(num_values: usize) -> impl Strategy<Value = Row> {
    (any::<u32>(), "[a-zö€]{0,6}", vec(any_value(), num_values))
}

pub(crate) fn any_block() -> impl Strategy<Value = Block> {
    prop_oneof![
        any::<u32>().prop_map(Block::Error),
        any_value().prop_map(Block::Single),
        vec((any::<u32>(), any_value()), 0..5).prop_map(Block::MultiCounters),
        vec(any_row(1), 0..5).prop_map(Block::MultiInstances),
        vec(any::<u32>(), 0..4).prop_flat_map(|ids| {
            let rows = vec(any_row(ids.len()), 0..4);
            rows.prop_map(move |rows| Block::CounterSet(ids.clone(), rows))
        }),
    ]
}

/// Writes at multiples of 8 bytes, with fills in turn.
struct Put<'a> {
    out: Vec<u8>,
    fills: std::iter::Cycle<std::slice::Iter<'a, Fill>>,
    /// How much of the end is padding not included in the last structure's size.
    len_uncounted: usize,
}

impl Put<'_> {
    fn word(&mut self, word: usize) {
        self.out.extend((word as u32).to_le_bytes());
    }

    fn set_word(&mut self, ofs: usize, word: usize) {
        self.out[ofs..ofs + 4].copy_from_slice(&(word as u32).to_le_bytes());
    }

    /// Pads the structure from `start` on, whose size is at `ofs_size`.
    fn pad(&mut self, start: usize, ofs_size: usize) {
        let fill = *self.fills.next().expect("a cycle");
        let len = self.out.len() - start;
        let len_padded = len.next_multiple_of(8);
        self.out.resize(start + len_padded, fill.byte);
        self.len_uncounted = if fill.is_counted { 0 } else { len_padded - len };
        self.set_word(ofs_size, len_padded - self.len_uncounted);
    }

    /// The size of an enclosing structure: it may exclude the same padding as its last member.
    fn enclose(&mut self, start: usize, ofs_size: usize) {
        if self.fills.next().expect("a cycle").is_counted {
            self.len_uncounted = 0;
        }
        self.set_word(ofs_size, self.out.len() - start - self.len_uncounted);
    }

    fn value(&mut self, value: &[u8]) {
        let start = self.out.len();
        self.word(value.len());
        self.word(0);
        self.out.extend(value);
        self.pad(start, start + 4);
    }

    fn ids(&mut self, ids: impl ExactSizeIterator<Item = u32>) {
        let start = self.out.len();
        self.word(0);
        self.word(ids.len());
        ids.for_each(|id| self.word(id as usize));
        self.pad(start, start);
    }

    fn rows(&mut self, rows: &[Row]) {
        let start = self.out.len();
        self.word(0);
        self.word(rows.len());
        self.len_uncounted = 0;
        for (id, name, values) in rows {
            let start = self.out.len();
            self.word(0);
            self.word(*id as usize);
            self.out.extend(name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
            self.pad(start, start);
            for value in values {
                self.value(value);
            }
        }
        self.enclose(start, start);
    }

    fn block(&mut self, block: &Block) {
        let start = self.out.len();
        let (status, block_type) = match block {
            Block::Error(status) => (*status, 0),
            Block::Single(_) => (0, 1),
            Block::MultiCounters(_) => (0, 2),
            Block::MultiInstances(_) => (0, 4),
            Block::CounterSet(..) => (0, 6),
        };
        self.word(status as usize);
        self.word(block_type);
        self.word(0);
        let reserved = self.fills.next().expect("a cycle").byte;
        self.word(reserved.into());
        self.len_uncounted = 0;
        match block {
            Block::Error(_) => {}
            Block::Single(value) => self.value(value),
            Block::MultiCounters(values) => {
                self.ids(values.iter().map(|(id, _)| *id));
                for (_, value) in values {
                    self.value(value);
                }
            }
            Block::MultiInstances(rows) => self.rows(rows),
            Block::CounterSet(ids, rows) => {
                self.ids(ids.iter().copied());
                self.rows(rows);
            }
        }
        self.enclose(start, start + 8);
    }
}

/// An answer of blocks, each with its fills, and the bytes after it.
pub(crate) fn put_answer(blocks: &[(Block, Vec<Fill>)], trailing: &[u8]) -> Vec<u8> {
    let mut out = vec![0x5A; 48];
    let mut len_uncounted = 0;
    for (block, fills) in blocks {
        let mut put = Put { out, fills: fills.iter().cycle(), len_uncounted: 0 };
        put.block(block);
        (out, len_uncounted) = (put.out, put.len_uncounted);
    }
    let len_total = (out.len() - len_uncounted) as u32;
    out[..4].copy_from_slice(&len_total.to_le_bytes());
    out[4..8].copy_from_slice(&(blocks.len() as u32).to_le_bytes());
    out.extend(trailing);
    out
}

/// An entry of `PerflibV2EnumerateCounterSetInstances`, whose size counts the padding.
pub(crate) fn put_entry(out: &mut Vec<u8>, id: u32, name: &str, fill: Fill) {
    let start = out.len();
    let units: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    out.extend((8 + units.len() as u32).next_multiple_of(8).to_le_bytes());
    out.extend(id.to_le_bytes());
    out.extend(units);
    out.resize(start + (out.len() - start).next_multiple_of(8), fill.byte);
}

/// A `_PERF_COUNTER_IDENTIFIER`, whose size counts the padding.
pub(crate) fn put_identifier(out: &mut Vec<u8>, buf: &CounterIdentifierBuf, fill: Fill) {
    let start = out.len();
    let units: Vec<u8> = buf.name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    let size = (40 + units.len() as u32).next_multiple_of(8);
    out.extend(buf.guid.0);
    for word in [buf.status, size, buf.counter_id, buf.instance_id, buf.index, buf.reserved] {
        out.extend(word.to_le_bytes());
    }
    out.extend(units);
    out.resize(start + size as usize, fill.byte);
}
