//! Instances of an object.

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Parsed, by_fields, sized};

use super::CounterBlock;

/// `PERF_INSTANCE_DEFINITION`, formats/perf-data-block.md#instance, as stored, with its counter block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstanceDefinition<'a> {
    /// `ByteLength`: bytes to the counter block.
    pub len: u32,
    /// `ParentObjectTitleIndex`: name index of the parent's object; 0 if there is no parent.
    pub parent_object_index: u32,
    /// `ParentObjectInstance`: the parent's number among that object's instances in the same block, from 0.
    pub parent_instance: u32,
    /// `UniqueID`; -1 if the instance is identified by name.
    pub unique_id: i32,
    /// `NameOffset` from the start of the definition.
    pub ofs_name: u32,
    /// `NameLength` in bytes, including NUL; 0 if there is no name.
    pub len_name: u32,
    /// The name as stored, `NameLength` bytes.
    pub name: &'a [u8],
    /// The definition's bytes, `ByteLength` of them.
    pub bytes: &'a [u8],
    /// The raw values.
    pub counter_block: CounterBlock<'a>,
}

impl<'a> InstanceDefinition<'a> {
    /// Bytes of the documented fields.
    pub const LEN: usize = 24;
    /// Name of the structure.
    pub const NAME: &'static str = "PERF_INSTANCE_DEFINITION";
    /// `UniqueID` of an instance identified by name.
    pub const NO_UNIQUE_ID: i32 = -1;

    /// Appends the documented fields. The name and the counter block follow them.
    pub fn write(mut self, order: ByteOrder, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(&mut Writer::new(order, out), 0);
    }

    /// Parses an instance and its counter block.
    #[inline]
    pub(super) fn parse(i: &'a [u8], order: ByteOrder) -> Parsed<'a, InstanceDefinition<'a>> {
        let head = by_fields(Self::NAME, order, |instance: &mut InstanceDefinition<'a>, f| {
            instance.fields(f, i.len())
        });
        let (rest, (instance, bytes)) = sized(head, |instance| instance.len as usize)(i)?;
        let (rest, counter_block) = CounterBlock::parse(rest, order)?;
        let start_name = instance.ofs_name as usize;
        let end_name = start_name.saturating_add(instance.len_name as usize);
        let name = bytes.get(start_name..end_name).unwrap_or_default();
        Ok((rest, InstanceDefinition { name, bytes, counter_block, ..instance }))
    }

    /// The fields in the order of the structure, in at most `have` bytes.
    #[inline]
    pub(super) fn fields<F: Fields>(&mut self, f: &mut F, have: usize) -> Result<(), F::Error> {
        f.bounded("ByteLength", &mut self.len, Self::LEN, have)?;
        f.field("ParentObjectTitleIndex", &mut self.parent_object_index)?;
        f.field("ParentObjectInstance", &mut self.parent_instance)?;
        f.field("UniqueID", &mut self.unique_id)?;
        let len = self.len as usize;
        f.bounded("NameOffset", &mut self.ofs_name, 0, len)?;
        let max_name = len.saturating_sub(self.ofs_name as usize);
        f.bounded("NameLength", &mut self.len_name, 0, max_name)
    }
}
