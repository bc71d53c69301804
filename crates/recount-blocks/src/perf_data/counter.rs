//! Counter definitions of an object.

use nom::Parser;
use nom::number::complete::{i32, u32};
use recount_model::CounterType;

use super::{ByteOrder, Whole};
use crate::BlockError;
use crate::parse::{Parsed, field, structure, within};

/// `PERF_COUNTER_DEFINITION`, formats/perf-data-block.md#counter, as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterDefinition<'a> {
    /// `ByteLength`: bytes to the next definition.
    pub len: u32,
    /// `CounterNameTitleIndex`.
    pub name_index: u32,
    /// `CounterNameTitle`, unused.
    pub name_title: u32,
    /// `CounterHelpTitleIndex`.
    pub help_index: u32,
    /// `CounterHelpTitle`, unused.
    pub help_title: u32,
    /// `DefaultScale`: power of ten for charts.
    pub default_scale: i32,
    /// `DetailLevel`.
    pub detail_level: u32,
    /// `CounterType`.
    pub counter_type: CounterType,
    /// `CounterSize`: bytes of the raw value.
    pub len_value: u32,
    /// `CounterOffset` from the start of the counter block.
    pub ofs_value: u32,
    /// The definition's bytes, `ByteLength` of them.
    pub bytes: &'a [u8],
}

impl<'a> CounterDefinition<'a> {
    /// Bytes of the documented fields.
    pub const LEN: usize = 40;
    /// Name of the structure.
    pub const NAME: &'static str = "PERF_COUNTER_DEFINITION";

    fn parse(i: &'a [u8], order: ByteOrder) -> Parsed<'a, CounterDefinition<'a>> {
        structure(Self::NAME, move |start: &'a [u8]| {
            let u32 = || u32(order.endianness());
            let (i, len) = field("ByteLength", within(Self::LEN, start.len(), u32()))(start)?;
            let (i, name_index) = field("CounterNameTitleIndex", u32())(i)?;
            let (i, name_title) = field("CounterNameTitle", u32())(i)?;
            let (i, help_index) = field("CounterHelpTitleIndex", u32())(i)?;
            let (i, help_title) = field("CounterHelpTitle", u32())(i)?;
            let (i, default_scale) = field("DefaultScale", i32(order.endianness()))(i)?;
            let (i, detail_level) = field("DetailLevel", u32())(i)?;
            let (i, counter_type) = field("CounterType", u32())(i)?;
            let (i, len_value) = field("CounterSize", u32())(i)?;
            let (_, ofs_value) = field("CounterOffset", u32())(i)?;
            let (bytes, rest) = start.split_at(len as usize);
            let definition = CounterDefinition {
                len,
                name_index,
                name_title,
                help_index,
                help_title,
                default_scale,
                detail_level,
                counter_type: CounterType(counter_type),
                len_value,
                ofs_value,
                bytes,
            };
            Ok((rest, definition))
        })
        .parse(i)
    }
}

/// The counter definitions of an object, in its order. An error ends them.
#[derive(Clone, Debug)]
pub struct Counters<'a> {
    whole: Whole<'a>,
    rest: &'a [u8],
    num_left: u32,
}

impl<'a> Counters<'a> {
    pub(super) fn new(whole: Whole<'a>, bytes: &'a [u8], num_counters: u32) -> Counters<'a> {
        Counters { whole, rest: bytes, num_left: num_counters }
    }

    /// The bytes that no definition has taken yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Counters<'a> {
    type Item = Result<CounterDefinition<'a>, BlockError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.num_left = self.num_left.checked_sub(1)?;
        let definition = self.whole.settle(CounterDefinition::parse(self.rest, self.whole.order));
        match &definition {
            Ok(definition) => self.rest = self.rest.get(definition.bytes.len()..).unwrap_or_default(),
            Err(_) => self.num_left = 0,
        }
        Some(definition)
    }
}
