//! Names of parent instances, looked up in the same block.

use std::ops::Range;

use recount_bytes::parse::ofs_within;
use recount_bytes::{ByteOrder, Encoding};

use crate::DataBlock;

/// How many different parent objects one object may name; further ones count as not found. Real objects name
/// one or two. The limit prevents a hostile block from causing one search of its objects per instance.
const MAX_PARENT_OBJECTS: usize = 16;

/// Longest name of a parent, in bytes; a parent with a longer name counts as not found. This is twice what
/// PDH allows (1,024 characters), and small enough that many instances of one parent can't produce a large
/// table.
const MAX_LEN_NAME: usize = 4096;

/// The instance tables of the parent objects in one block. Kept from block to block only to reuse its memory.
#[derive(Default)]
pub(super) struct Parents {
    tables: Vec<Table>,
    num_used: usize,
}

#[derive(Default)]
struct Table {
    object_index: u32,
    code_page: u32,
    names: Vec<(Range<usize>, i32)>,
}

/// A parent's name as stored in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParentName<'a> {
    /// The parent's object, by name index, and its number there.
    pub(super) position: (u32, u32),
    pub(super) name: &'a [u8],
    pub(super) unique_id: i32,
    pub(super) code_page: u32,
    pub(super) order: ByteOrder,
}

impl Parents {
    /// Forgets the previous block.
    pub(super) fn reset(&mut self) {
        self.num_used = 0;
    }

    /// The name of instance `number` of the first object with name index `object_index`; `None` if the block
    /// has no such object or the object has no such instance.
    pub(super) fn find<'a>(
        &mut self,
        block: &DataBlock<'a>,
        object_index: u32,
        number: u32,
    ) -> Option<ParentName<'a>> {
        let used = self.tables.get(..self.num_used).unwrap_or_default();
        let at = match used.iter().position(|table| table.object_index == object_index) {
            Some(at) => at,
            None if self.num_used == MAX_PARENT_OBJECTS => return None,
            None => self.read(block, object_index),
        };
        let table = self.tables.get(at)?;
        let (range, unique_id) = table.names.get(number as usize)?;
        Some(ParentName {
            position: (object_index, number),
            name: block.bytes().get(range.clone()).filter(|name| name.len() <= MAX_LEN_NAME)?,
            unique_id: *unique_id,
            code_page: table.code_page,
            order: block.header().order,
        })
    }

    fn read(&mut self, block: &DataBlock<'_>, object_index: u32) -> usize {
        let at = self.num_used;
        self.num_used += 1;
        if self.tables.len() == at {
            self.tables.push(Table::default());
        }
        let table = &mut self.tables[at];
        table.object_index = object_index;
        table.names.clear();
        // Damage in other objects is reported when those are read; here it only means that the parent isn't found.
        let mut objects = block.objects().map_while(Result::ok);
        if let Some(object) = objects.find(|object| object.header().name_index == object_index) {
            table.code_page = object.header().code_page;
            table.names.extend(object.instances().map_while(Result::ok).map(|instance| {
                let start = ofs_within(block.bytes(), instance.name);
                (start..start + instance.name.len(), instance.unique_id)
            }));
        }
        at
    }
}

impl ParentName<'_> {
    pub(super) fn encoding(&self) -> Encoding {
        match self.code_page {
            0 => Encoding::Utf16(self.order),
            page => Encoding::CodePage(page),
        }
    }
}
