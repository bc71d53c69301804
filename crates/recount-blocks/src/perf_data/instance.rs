//! Instances of an object.

use nom::Parser;
use nom::number::complete::{i32, u32};

use super::{ByteOrder, CounterBlock, Whole};
use crate::BlockError;
use crate::parse::{Parsed, field, structure, within};

/// `PERF_INSTANCE_DEFINITION`, formats/perf-data-block.md#instance, as it stands, with its counter block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceDefinition<'a> {
    /// `ByteLength`: bytes to the counter block.
    pub len: u32,
    /// `ParentObjectTitleIndex`: name index of the parent's object; 0: no parent.
    pub parent_object_index: u32,
    /// `ParentObjectInstance`: the parent's number among that object's instances in the same block, from 0.
    pub parent_instance: u32,
    /// `UniqueID`; -1: the instance is known by name.
    pub unique_id: i32,
    /// `NameOffset` from the start of the definition.
    pub ofs_name: u32,
    /// `NameLength` in bytes, NUL included; 0: no name.
    pub len_name: u32,
    /// The name as it stands, `NameLength` bytes.
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
    /// `UniqueID` of an instance known by name.
    pub const NO_UNIQUE_ID: i32 = -1;

    fn parse(i: &'a [u8], order: ByteOrder) -> Parsed<'a, InstanceDefinition<'a>> {
        let (behind, mut instance) = structure(Self::NAME, |i| Self::fields(i, order)).parse(i)?;
        let (rest, counter_block) = counter_block(behind, order)?;
        instance.counter_block = counter_block;
        Ok((rest, instance))
    }

    fn fields(start: &'a [u8], order: ByteOrder) -> Parsed<'a, InstanceDefinition<'a>> {
        let u32 = || u32(order.endianness());
        let (i, len) = field("ByteLength", within(Self::LEN, start.len(), u32()))(start)?;
        let (i, parent_object_index) = field("ParentObjectTitleIndex", u32())(i)?;
        let (i, parent_instance) = field("ParentObjectInstance", u32())(i)?;
        let (i, unique_id) = field("UniqueID", i32(order.endianness()))(i)?;
        let (i, ofs_name) = field("NameOffset", within(0, len as usize, u32()))(i)?;
        let max_name = len as usize - ofs_name as usize;
        let (_, len_name) = field("NameLength", within(0, max_name, u32()))(i)?;
        let (bytes, rest) = start.split_at(len as usize);
        let start_name = ofs_name as usize;
        let name = bytes.get(start_name..start_name.saturating_add(len_name as usize)).unwrap_or_default();
        let counter_block = CounterBlock::new(&[], order);
        Ok((
            rest,
            InstanceDefinition {
                len,
                parent_object_index,
                parent_instance,
                unique_id,
                ofs_name,
                len_name,
                name,
                bytes,
                counter_block,
            },
        ))
    }
}

/// Reads a `PERF_COUNTER_BLOCK` that has to end within `i`.
pub(super) fn counter_block<'a>(i: &'a [u8], order: ByteOrder) -> Parsed<'a, CounterBlock<'a>> {
    structure(CounterBlock::NAME, |start: &'a [u8]| {
        let bounded = within(CounterBlock::LEN_HEADER, start.len(), u32(order.endianness()));
        let (_, len) = field("ByteLength", bounded)(start)?;
        let (bytes, rest) = start.split_at(len as usize);
        Ok((rest, CounterBlock::new(bytes, order)))
    })
    .parse(i)
}

/// The instances of an object, in its order. An error ends them.
#[derive(Clone, Debug)]
pub struct Instances<'a> {
    whole: Whole<'a>,
    rest: &'a [u8],
    num_left: u32,
}

impl<'a> Instances<'a> {
    pub(super) fn new(whole: Whole<'a>, bytes: &'a [u8], num_instances: u32) -> Instances<'a> {
        Instances { whole, rest: bytes, num_left: num_instances }
    }

    /// The bytes that no instance has taken yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Instances<'a> {
    type Item = Result<InstanceDefinition<'a>, BlockError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.num_left = self.num_left.checked_sub(1)?;
        match InstanceDefinition::parse(self.rest, self.whole.order) {
            Ok((rest, instance)) => {
                self.rest = rest;
                Some(Ok(instance))
            }
            Err(error) => {
                self.num_left = 0;
                Some(self.whole.settle(Err(error)))
            }
        }
    }
}
