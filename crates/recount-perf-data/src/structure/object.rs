//! Objects of a block.

use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Parsed, Sequence, by_fields, sized};
use recount_bytes::{ByteOrder, Encoding, FormatError};
use recount_model::Place;

use super::{CounterBlock, CounterDefinition, InstanceDefinition, Whole};

/// `PERF_OBJECT_TYPE`, formats/perf-data-block.md#object, as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectHeader {
    /// `TotalByteLength`: bytes to the next object.
    pub len_total: u32,
    /// `DefinitionLength`: bytes to the first instance, or to the only counter block.
    pub len_definition: u32,
    /// `HeaderLength`: bytes to the first counter definition.
    pub len_header: u32,
    /// `ObjectNameTitleIndex`.
    pub name_index: u32,
    /// `ObjectNameTitle`, unused.
    pub name_title: u32,
    /// `ObjectHelpTitleIndex`.
    pub help_index: u32,
    /// `ObjectHelpTitle`, unused.
    pub help_title: u32,
    /// `DetailLevel`: 100 novice, 200 advanced, 300 expert, 400 wizard.
    pub detail_level: u32,
    /// `NumCounters`, including bases.
    pub num_counters: u32,
    /// `DefaultCounter`.
    pub default_counter: i32,
    /// `NumInstances`; -1 for an object without instances.
    pub num_instances: i32,
    /// `CodePage` of the instance names; 0 for UTF-16.
    pub code_page: u32,
    /// `PerfTime` of the object, ticks.
    pub perf_time: i64,
    /// `PerfFreq` of the object, ticks per second; 0 if it has no clock of its own.
    pub perf_freq: i64,
}

impl ObjectHeader {
    /// Bytes of the documented fields.
    pub const LEN: usize = 64;
    /// Name of the structure.
    pub const NAME: &'static str = "PERF_OBJECT_TYPE";

    /// The header of an object without counters, instances or clock of its own. `instanced` says whether it can have
    /// instances. Lengths are 0: the writer of the object fills them in.
    pub fn new(name_index: u32, instanced: bool) -> ObjectHeader {
        ObjectHeader {
            name_index,
            detail_level: 100,
            default_counter: -1,
            num_instances: if instanced { 0 } else { -1 },
            ..ObjectHeader::default()
        }
    }

    /// Writes the documented fields over the first bytes of an object, once its lengths are known.
    ///
    /// # Panics
    ///
    /// If there are fewer than [`ObjectHeader::LEN`].
    pub fn write_over(mut self, order: ByteOrder, object: &mut [u8]) {
        let mut bytes = Vec::with_capacity(Self::LEN);
        let Ok(()) = self.fields(&mut Writer::new(order, &mut bytes), 0);
        object[..Self::LEN].copy_from_slice(&bytes);
    }

    /// The fields in the order of the structure, for an object of at most `have` bytes.
    pub(super) fn fields<F: Fields>(&mut self, f: &mut F, have: usize) -> Result<(), F::Error> {
        f.bounded("TotalByteLength", &mut self.len_total, Self::LEN, have)?;
        f.bounded("DefinitionLength", &mut self.len_definition, Self::LEN, self.len_total as usize)?;
        f.bounded("HeaderLength", &mut self.len_header, Self::LEN, self.len_definition as usize)?;
        f.field("ObjectNameTitleIndex", &mut self.name_index)?;
        f.field("ObjectNameTitle", &mut self.name_title)?;
        f.field("ObjectHelpTitleIndex", &mut self.help_index)?;
        f.field("ObjectHelpTitle", &mut self.help_title)?;
        f.field("DetailLevel", &mut self.detail_level)?;
        f.field("NumCounters", &mut self.num_counters)?;
        f.field("DefaultCounter", &mut self.default_counter)?;
        f.checked("NumInstances", &mut self.num_instances, "-1 (no instances) or more", |num| num >= -1)?;
        f.field("CodePage", &mut self.code_page)?;
        f.field("PerfTime", &mut self.perf_time)?;
        f.field("PerfFreq", &mut self.perf_freq)
    }
}

/// An object whose header is valid. Its parts are checked when they are visited.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    header: ObjectHeader,
    bytes: &'a [u8],
    whole: Whole<'a>,
}

impl<'a> Object<'a> {
    /// Parses an object of a block.
    pub(super) fn parse(i: &'a [u8], whole: Whole<'a>) -> Parsed<'a, Object<'a>> {
        let head = by_fields(ObjectHeader::NAME, whole.order, |header: &mut ObjectHeader, f| {
            header.fields(f, i.len())
        });
        let (rest, (header, bytes)) = sized(head, |header| header.len_total as usize)(i)?;
        Ok((rest, Object { header, bytes, whole }))
    }

    /// The header.
    pub fn header(&self) -> &ObjectHeader {
        &self.header
    }

    /// The object's bytes, `TotalByteLength` of them.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Bytes of the counter definitions: equal bytes are equal definitions.
    pub fn definition_bytes(&self) -> &'a [u8] {
        self.part(self.header.len_header, self.header.len_definition)
    }

    /// Where the object starts in its file.
    pub fn place(&self) -> Place {
        Place::structure(ObjectHeader::NAME, self.whole.ofs_of(self.bytes))
    }

    /// Rejects an object that describes more values than it has bytes.
    ///
    /// Except for shared bases, every raw value has its own bytes, so a real object never does. A hostile one
    /// could, with definitions and counter blocks that share bytes, and a small input would become a large
    /// run.
    pub fn check_amplification(&self) -> Result<(), FormatError> {
        let num_counters = self.header().num_counters as usize;
        let num_instances = usize::try_from(self.header().num_instances).unwrap_or(1);
        let len_object = self.bytes().len();
        if num_counters.saturating_mul(num_instances) > len_object {
            return Err(FormatError::Amplified {
                place: self.place(),
                num_counters,
                num_instances,
                len_object,
            });
        }
        Ok(())
    }

    /// What is wrong with the first of its parts that can't be read, if there is one.
    pub fn fault(&self) -> Option<FormatError> {
        let definitions = || self.counters().find_map(Result::err);
        self.check_amplification().err().or_else(definitions).or_else(|| match self.counter_block() {
            Some(values) => values.err(),
            None => self.instances().find_map(Result::err),
        })
    }

    /// Where a part of the object starts in its file.
    pub(super) fn ofs_of(&self, part: &[u8]) -> u64 {
        self.whole.ofs_of(part)
    }

    /// Byte order of the block.
    pub fn order(&self) -> ByteOrder {
        self.whole.order
    }

    /// Whether the object can have instances; there may currently be none.
    pub fn is_instanced(&self) -> bool {
        self.header.num_instances >= 0
    }

    /// Encoding of the instance names.
    pub fn encoding(&self) -> Encoding {
        match self.header.code_page {
            0 => Encoding::Utf16(self.whole.order),
            page => Encoding::CodePage(page),
        }
    }

    /// The counter definitions, in order. An error is the last item.
    pub fn counters(
        &self,
    ) -> Sequence<'a, impl FnMut(&'a [u8]) -> Parsed<'a, CounterDefinition<'a>> + Clone + use<'a>> {
        let order = self.whole.order;
        let parser = move |i| CounterDefinition::parse(i, order);
        Sequence::counted(self.header.num_counters, parser, self.definition_bytes(), self.whole.origin())
    }

    /// The instances with their counter blocks, in order; empty for an object without instances. An error is the last item.
    pub fn instances(
        &self,
    ) -> Sequence<'a, impl FnMut(&'a [u8]) -> Parsed<'a, InstanceDefinition<'a>> + Clone + use<'a>> {
        let num_instances = u32::try_from(self.header.num_instances).unwrap_or(0);
        let order = self.whole.order;
        let parser = move |i| InstanceDefinition::parse(i, order);
        Sequence::counted(num_instances, parser, self.data_bytes(), self.whole.origin())
    }

    /// The only counter block of an object without instances; `None` for an object with instances.
    pub fn counter_block(&self) -> Option<Result<CounterBlock<'a>, FormatError>> {
        if self.is_instanced() {
            return None;
        }
        Some(self.whole.settle(CounterBlock::parse(self.data_bytes(), self.whole.order)))
    }

    /// Bytes after the definitions.
    pub(super) fn data_bytes(&self) -> &'a [u8] {
        self.part(self.header.len_definition, self.header.len_total)
    }

    // The header was checked: its lengths are consistent and within the object.
    fn part(&self, start: u32, end: u32) -> &'a [u8] {
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }
}
