//! Splits a file into records, along its structure if it has one.

use std::ops::Range;

use recount_blg::BlgSplit;
use recount_model::{Piece, Split};
use recount_perf_data::{BlockSplit, DataBlock, Header};

/// The largest buffer or block that is kept as one record: more than any system writes.
pub(crate) const MAX_LEN_UNIT: usize = 16 << 20;
/// Bytes that have no structure are cut into parts of this length.
const LEN_PLAIN: usize = 1 << 20;

/// The units of which a file consists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    /// Buffers of one length.
    Buffers(usize),
    /// `PERF_DATA_BLOCK`s, possibly with other bytes between and after them.
    Blocks,
    /// Anything.
    Plain,
}

/// A stretch of the file that becomes a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) range: Range<usize>,
    /// The structure to which it belongs.
    structure: Structure,
}

/// The parts of a file, in order and complete.
pub(super) struct Parts<'a> {
    bytes: &'a [u8],
    structure: Structure,
    ofs: usize,
}

impl<'a> Parts<'a> {
    pub(super) fn new(bytes: &'a [u8], structure: Structure) -> Parts<'a> {
        Parts { bytes, structure, ofs: 0 }
    }

    /// The next part's structure and length. The bytes must not be empty.
    fn cut(&self, rest: &[u8]) -> (Structure, usize) {
        match self.structure {
            Structure::Buffers(len) => (self.structure, len.min(rest.len())),
            Structure::Blocks => match DataBlock::parse(rest, 0) {
                Ok(block) if (1..=MAX_LEN_UNIT).contains(&block.bytes().len()) => {
                    (self.structure, block.bytes().len())
                }
                _ => (Structure::Plain, len_to_block(rest)),
            },
            Structure::Plain => (self.structure, LEN_PLAIN.min(rest.len())),
        }
    }
}

impl Iterator for Parts<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let rest = self.bytes.get(self.ofs..).filter(|rest| !rest.is_empty())?;
        let (structure, len) = self.cut(rest);
        let range = self.ofs..self.ofs + len;
        self.ofs = range.end;
        Some(Part { range, structure })
    }
}

/// Number of bytes up to what looks like the start of a block.
fn len_to_block(bytes: &[u8]) -> usize {
    let bytes = &bytes[..bytes.len().min(LEN_PLAIN)];
    let is_start = |window: &[u8]| window == Header::SIGNATURE_LE || window == Header::SIGNATURE_BE;
    let next = bytes.windows(Header::SIGNATURE_LE.len()).skip(1).position(is_start);
    next.map_or(bytes.len(), |at| at + 1)
}

/// Splits parts into pieces.
#[derive(Default)]
pub(super) struct PartSplit {
    blg: BlgSplit,
    blocks: BlockSplit,
    num_plain: u32,
}

impl PartSplit {
    /// The pieces of a part of a file.
    pub(super) fn split(&mut self, part: &Part, file: &[u8], pieces: &mut Vec<Piece>) {
        /// Above the sorts of both splitters.
        const SORT_PLAIN: u32 = 1 << 31;
        pieces.clear();
        match part.structure {
            Structure::Buffers(_) => self.blg.split_at(file, part.range.clone(), pieces),
            Structure::Blocks => self.blocks.split(&file[part.range.clone()], pieces),
            Structure::Plain => {
                // Each gets its own sort, or its bytes would be mixed with those of other parts as if they were
                // alike.
                self.num_plain = (self.num_plain + 1) % SORT_PLAIN;
                let sort = SORT_PLAIN + self.num_plain;
                pieces.push(Piece { section: Piece::FRAME, sort, key: 0, len: part.range.len() as u32 });
            }
        }
    }
}

#[cfg(test)]
mod stored {
    use recount_testdata::shared;

    use super::*;

    fn ranges(bytes: &[u8], structure: Structure) -> Vec<Range<usize>> {
        let ranges: Vec<_> = Parts::new(bytes, structure).map(|part| part.range).collect();
        let mut end = 0;
        for range in &ranges {
            assert!(range.start == end && range.end > end, "{ranges:?}");
            end = range.end;
        }
        assert_eq!(end, bytes.len());
        ranges
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_log_falls_into_its_buffers() {
        let mut file = shared("blg/tx-basic.blg");
        let structure = crate::Format::recognise(&file).expect("a log").structure(&file);
        assert_eq!(structure, Structure::Buffers(0x10000));
        file.truncate(0x1_8000);
        assert_eq!(ranges(&file, structure), [0..0x1_0000, 0x1_0000..0x1_8000]);
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_dump_falls_into_blocks_and_what_stands_between() {
        let block = shared("perf-data-block/wine-no-objects.bin");
        let file = [&block[..], b"between", &block[..], b"behind"].concat();
        let len = block.len();
        assert_eq!(
            ranges(&file, Structure::Blocks),
            [0..len, len..len + 7, len + 7..2 * len + 7, 2 * len + 7..2 * len + 13]
        );
        ranges(b"no block at all", Structure::Blocks);
        assert!(ranges(b"", Structure::Blocks).is_empty());
    }
}
