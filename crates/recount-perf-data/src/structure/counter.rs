//! Counter definitions of an object.

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Parsed, by_fields, sized};
use recount_model::{CounterType, Size};

/// `PERF_COUNTER_DEFINITION`, formats/perf-data-block.md#counter, as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

    /// A counter with the size from its type word (8 bytes if the word has none), at no place yet.
    pub fn new(name_index: u32, counter_type: CounterType) -> CounterDefinition<'a> {
        CounterDefinition {
            len: Self::LEN as u32,
            name_index,
            detail_level: 100,
            counter_type,
            len_value: if counter_type.size() == Size::Dword { 4 } else { 8 },
            ..CounterDefinition::default()
        }
    }

    /// The same with its value at the next suitably aligned offset, where the first `end` bytes of the counter block are
    /// taken.
    pub fn placed_after(self, end: u32) -> CounterDefinition<'a> {
        CounterDefinition { ofs_value: end.next_multiple_of(self.len_value.clamp(1, 8)), ..self }
    }

    /// Where the value ends in the counter block.
    pub fn end_of_value(&self) -> u32 {
        self.ofs_value.saturating_add(self.len_value)
    }

    /// Appends the documented fields.
    pub fn write(mut self, order: ByteOrder, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(&mut Writer::new(order, out), 0);
    }

    /// Parses a definition.
    #[inline]
    pub(super) fn parse(i: &'a [u8], order: ByteOrder) -> Parsed<'a, CounterDefinition<'a>> {
        let head = by_fields(Self::NAME, order, |definition: &mut CounterDefinition<'a>, f| {
            definition.fields(f, i.len())
        });
        let (rest, (definition, bytes)) = sized(head, |definition| definition.len as usize)(i)?;
        Ok((rest, CounterDefinition { bytes, ..definition }))
    }

    /// The fields in the order of the structure, in at most `have` bytes.
    #[inline]
    pub(super) fn fields<F: Fields>(&mut self, f: &mut F, have: usize) -> Result<(), F::Error> {
        f.bounded("ByteLength", &mut self.len, Self::LEN, have)?;
        f.field("CounterNameTitleIndex", &mut self.name_index)?;
        f.field("CounterNameTitle", &mut self.name_title)?;
        f.field("CounterHelpTitleIndex", &mut self.help_index)?;
        f.field("CounterHelpTitle", &mut self.help_title)?;
        f.field("DefaultScale", &mut self.default_scale)?;
        f.field("DetailLevel", &mut self.detail_level)?;
        f.shown("CounterType", &mut self.counter_type, |word| match word.name() {
            Some(name) => format!("{:#010X} {name}", word.0),
            None => format!("{:#010X}", word.0),
        })?;
        f.field("CounterSize", &mut self.len_value)?;
        f.field("CounterOffset", &mut self.ofs_value)
    }
}
