//! Splits blocks into pieces that repeat from sample to sample.

use std::collections::HashMap;

use recount_model::{Piece, PieceKeys, Split};

use super::{DataBlock, Object};

/// Splits `PERF_DATA_BLOCK`s into the header; for each object its header with the definitions; for each
/// instance its definition and its counter block. Sections are the objects' name indexes.
#[derive(Debug, Default)]
pub struct BlockSplit {
    /// Keys of an object's instances. Kept only to reuse its memory.
    keys: PieceKeys,
    /// How often each object has occurred in this block.
    objects: HashMap<u32, u32>,
}

/// Kinds of pieces.
mod sort {
    pub(super) const HEADER: u32 = 0;
    pub(super) const OBJECT: u32 = 1;
    pub(super) const INSTANCE: u32 = 2;
    pub(super) const VALUES: u32 = 3;
    pub(super) const UNKNOWN: u32 = 4;
}

impl Split for BlockSplit {
    fn split(&mut self, record: &[u8], pieces: &mut Vec<Piece>) {
        self.objects.clear();
        let Ok(block) = DataBlock::parse(record, 0) else {
            pieces.push(piece(Piece::FRAME, sort::UNKNOWN, 0, record.len()));
            return;
        };
        let (start, len_header) = (pieces.len(), block.header().len_header as usize);
        pieces.push(piece(Piece::FRAME, sort::HEADER, 0, len_header));
        let mut ofs = len_header;
        for object in block.objects() {
            let Ok(object) = object else {
                // In one piece, so that its damage is seen without its values, too.
                pieces.truncate(start);
                pieces.push(piece(Piece::FRAME, sort::UNKNOWN, 0, record.len()));
                return;
            };
            ofs += object.bytes().len();
            self.object(&object, pieces);
        }
        // Bytes outside objects, and bytes after the block.
        if ofs < record.len() {
            pieces.push(piece(Piece::FRAME, sort::UNKNOWN, 1, record.len() - ofs));
        }
    }
}

impl BlockSplit {
    /// Kind of the piece with an object's header and its counters' definitions.
    pub const SORT_DEFINITIONS: u32 = sort::OBJECT;

    fn object(&mut self, object: &Object<'_>, pieces: &mut Vec<Piece>) {
        let section = object.header().name_index;
        let occurrence = self.objects.entry(section).or_default();
        *occurrence += 1;
        let key = u64::from(*occurrence);
        let (start, len) = (pieces.len(), object.bytes().len());
        let len_definition = object.header().len_definition as usize;
        pieces.push(piece(section, sort::OBJECT, key, len_definition));
        let mut ofs = len_definition;
        if let Some(Ok(values)) = object.counter_block() {
            ofs += values.bytes().len();
            pieces.push(piece(section, sort::VALUES, key, values.bytes().len()));
        } else {
            self.keys.clear();
            for instance in object.instances().map_while(Result::ok) {
                let numbers = [instance.parent_object_index, instance.unique_id as u32];
                let key = self.keys.key(&numbers, instance.name);
                ofs += instance.bytes.len() + instance.counter_block.bytes().len();
                pieces.push(piece(section, sort::INSTANCE, key, instance.bytes.len()));
                pieces.push(piece(section, sort::VALUES, key, instance.counter_block.bytes().len()));
            }
        }
        match len.checked_sub(ofs) {
            Some(0) => {}
            Some(left) => pieces.push(piece(section, sort::UNKNOWN, key, left)),
            // Parts overlap: keep the object in one piece.
            None => {
                pieces.truncate(start);
                pieces.push(piece(section, sort::UNKNOWN, key, len));
            }
        }
    }
}

fn piece(section: u32, sort: u32, key: u64, len: usize) -> Piece {
    Piece { section, sort, key, len: len as u32 }
}

#[cfg(test)]
mod stored {
    use proptest::prelude::*;
    use recount_testdata::shared;

    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn the_real_block_falls_into_its_instances() {
        let file = shared("perf-data-block/process-165-instances.bin");
        let block = DataBlock::parse(&file, 0).expect("sound").bytes();
        let mut pieces = Vec::new();
        BlockSplit::default().split(block, &mut pieces);
        assert_eq!(pieces.len(), 1 + 1 + 2 * 165);
        assert_eq!(pieces.iter().map(|piece| piece.len as usize).sum::<usize>(), block.len());
        let mut keys: Vec<u64> = pieces[2..].iter().map(|piece| piece.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 165);
    }

    proptest! {
        #[test]
        #[ignore = "reads ../shared/data"]
        fn pieces_make_up_any_bytes(at in 0_usize..44_400, value in any::<u8>(), len in 0_usize..60_000) {
            let mut bytes = shared("perf-data-block/process-165-instances.bin");
            bytes[at] = value;
            bytes.truncate(len);
            let mut pieces = Vec::new();
            BlockSplit::default().split(&bytes, &mut pieces);
            prop_assert_eq!(pieces.iter().map(|piece| piece.len as usize).sum::<usize>(), bytes.len());
        }
    }
}
