//! Pieces of blocks, and blocks put together of them.

use recount_bytes::ByteOrder;
use recount_bytes::parse::{Parsed, Sequence, by_fields, structure};

use super::header::byte_order;
use super::{Header, InstanceDefinition, Object, ObjectHeader, Whole};

impl Header {
    /// The header at the beginning of a piece of a block; `None` if it can't be read.
    pub fn of_piece(bytes: &[u8]) -> Option<Header> {
        let (_, order) = structure(Header::NAME, byte_order)(bytes).ok()?;
        let read = |header: &mut Header, f: &mut _| {
            header.order = order;
            header.fields(f, usize::MAX)
        };
        by_fields(Header::NAME, order, read)(bytes).ok().map(|(_, header)| header)
    }

    /// Writes the header over the first bytes of a block that has `num_objects`.
    ///
    /// # Panics
    ///
    /// If the block has fewer bytes than [`Header::LEN`].
    pub fn complete(self, num_objects: u32, block: &mut [u8]) {
        let len_total = u32::try_from(block.len()).unwrap_or(u32::MAX);
        Header { len_total, num_object_types: num_objects, ..self }.write_over(block);
    }
}

impl ObjectHeader {
    /// The header at the beginning of a piece of an object; `None` if it can't be read.
    pub fn of_piece(bytes: &[u8], order: ByteOrder) -> Option<ObjectHeader> {
        let read = |header: &mut ObjectHeader, f: &mut _| header.fields(f, usize::MAX);
        by_fields(ObjectHeader::NAME, order, read)(bytes).ok().map(|(_, header)| header)
    }
}

impl<'a> Object<'a> {
    /// The objects that some bytes of a block consist of. An error is the last item.
    pub fn all_in(
        bytes: &'a [u8],
        order: ByteOrder,
    ) -> Sequence<'a, impl FnMut(&'a [u8]) -> Parsed<'a, Object<'a>> + Clone + use<'a>> {
        let whole = Whole { bytes, ofs_in_file: 0, order };
        Sequence::to_end(move |i| Object::parse(i, whole), bytes, 0)
    }

    /// The name index of the object that the first instance's parent is an instance of.
    pub fn first_parent(&self) -> Option<u32> {
        let first = self.instances().next()?.ok()?;
        Some(first.parent_object_index).filter(|parent| *parent != 0)
    }
}

impl InstanceDefinition<'_> {
    /// The definition in a piece that has no more than it; `None` if it can't be read.
    pub fn of_piece(bytes: &[u8], order: ByteOrder) -> Option<InstanceDefinition<'_>> {
        let read = |instance: &mut InstanceDefinition<'_>, f: &mut _| instance.fields(f, bytes.len());
        by_fields(InstanceDefinition::NAME, order, read)(bytes).ok().map(|(_, instance)| instance)
    }
}
