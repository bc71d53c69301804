//! One block of an answer: a value, or many.

mod ids;
mod rows;
mod value;

pub use ids::CounterIds;
pub use rows::{InstanceRow, InstanceRows};
pub use value::{CounterData, Values};

use nom::Parser;
use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Expected, Fault, Parsed, by_fields, structure};
use value::name_field;

use super::{ReturnCode, take_padded};

/// Values of `dwType` (MS-PCQ 2.2.4.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BlockType {
    /// `PERF_ERROR_RETURN`.
    Error = 0,
    /// `PERF_SINGLE_COUNTER`: one counter of one instance.
    Single = 1,
    /// `PERF_MULTI_COUNTERS`: several counters of one instance.
    MultiCounters = 2,
    /// `PERF_MULTI_INSTANCES`: one counter of several instances.
    MultiInstances = 4,
    /// `PERF_COUNTERSET`: several counters of several instances.
    CounterSet = 6,
}

impl BlockType {
    /// The type with this number.
    pub const fn from_number(number: u32) -> Option<BlockType> {
        Some(match number {
            0 => BlockType::Error,
            1 => BlockType::Single,
            2 => BlockType::MultiCounters,
            4 => BlockType::MultiInstances,
            6 => BlockType::CounterSet,
            _ => return None,
        })
    }

    /// Its name in the document.
    pub const fn name(self) -> &'static str {
        match self {
            BlockType::Error => "PERF_ERROR_RETURN",
            BlockType::Single => "PERF_SINGLE_COUNTER",
            BlockType::MultiCounters => "PERF_MULTI_COUNTERS",
            BlockType::MultiInstances => "PERF_MULTI_INSTANCES",
            BlockType::CounterSet => "PERF_COUNTERSET",
        }
    }
}

/// `_PERF_COUNTER_HEADER` (MS-PCQ 2.2.4.8), as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterHeader {
    /// `dwStatus`: a Win32 error code, which [`super::ReturnCode`] names.
    pub status: u32,
    /// `dwType`; see [`BlockType`].
    pub block_type: u32,
    /// `dwSize`: bytes of the structure and its data.
    pub len: u32,
    /// `Reserved`: "MUST be set to 0, and MUST be ignored on receipt".
    pub reserved: u32,
}

impl CounterHeader {
    /// Length in bytes.
    pub const LEN: usize = 16;
    /// Name of the structure.
    pub const NAME: &'static str = "_PERF_COUNTER_HEADER";

    /// Reads the header of the block at the start of `i`, which must contain the whole block.
    pub(super) fn read(i: &[u8]) -> Parsed<'_, CounterHeader> {
        let max_len = i.len().max(Self::LEN);
        by_fields(Self::NAME, ByteOrder::Little, |header: &mut CounterHeader, f| header.fields(max_len, f))(i)
    }

    /// Appends the 16 bytes.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(usize::MAX, &mut Writer::new(ByteOrder::Little, out));
    }

    /// The fields in the order of the structure.
    pub(in crate::structure) fn fields<F: Fields>(
        &mut self,
        max_len: usize,
        f: &mut F,
    ) -> Result<(), F::Error> {
        f.shown("dwStatus", &mut self.status, ReturnCode)?;
        f.shown("dwType", &mut self.block_type, |number| match BlockType::from_number(number) {
            Some(block_type) => block_type.name().to_owned(),
            None => format!("{number:#x}"),
        })?;
        f.bounded("dwSize", &mut self.len, Self::LEN, max_len)?;
        f.field("Reserved", &mut self.reserved)
    }
}

/// A block by its type (MS-PCQ 3.1.4.1.6, figures 6 to 9). It was completely validated: reading from it can't
/// fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterBlock<'a> {
    /// `PERF_ERROR_RETURN`: `header.status` says why there is no value.
    Error {
        /// The header.
        header: CounterHeader,
    },
    /// `PERF_SINGLE_COUNTER`.
    Single {
        /// The header.
        header: CounterHeader,
        /// The value.
        value: CounterData<'a>,
    },
    /// `PERF_MULTI_COUNTERS`.
    MultiCounters {
        /// The header.
        header: CounterHeader,
        /// Which counters.
        ids: CounterIds<'a>,
        /// Their values, in the same order.
        values: Values<'a>,
    },
    /// `PERF_MULTI_INSTANCES`.
    MultiInstances {
        /// The header.
        header: CounterHeader,
        /// Instances with one value each.
        instances: InstanceRows<'a>,
    },
    /// `PERF_COUNTERSET`.
    CounterSet {
        /// The header.
        header: CounterHeader,
        /// Which counters.
        ids: CounterIds<'a>,
        /// Instances, each with one value per counter, in the same order.
        instances: InstanceRows<'a>,
    },
}

impl<'a> CounterBlock<'a> {
    /// Reads a block, `header.dwSize` bytes.
    ///
    /// Fails if its type isn't one of the document's (it "MUST be one of the following", MS-PCQ 2.2.4.8), or
    /// if a size or number disagrees with the data.
    pub(super) fn read(block: &'a [u8]) -> Parsed<'a, CounterBlock<'a>> {
        let (i, header) = CounterHeader::read(block)?;
        let fault = |ofs, expected, found: u32, name| {
            let at = block.get(ofs..).unwrap_or_default();
            let fault = nom::Err::Error(Fault::number(at, expected, found));
            structure(CounterHeader::NAME, |_| Err(name_field(fault.clone(), name))).parse(block)
        };
        let (rest, read) = match BlockType::from_number(header.block_type) {
            Some(BlockType::Error) => (i, CounterBlock::Error { header }),
            Some(BlockType::Single) => {
                let (i, value) = CounterData::read(i)?;
                (i, CounterBlock::Single { header, value })
            }
            Some(BlockType::MultiCounters) => {
                let (i, ids) = CounterIds::read(i)?;
                let (i, values) = Values::read(i, ids.len())?;
                (i, CounterBlock::MultiCounters { header, ids, values })
            }
            Some(BlockType::MultiInstances) => {
                let (i, instances) = InstanceRows::read(i, 1)?;
                (i, CounterBlock::MultiInstances { header, instances })
            }
            Some(BlockType::CounterSet) => {
                let (i, ids) = CounterIds::read(i)?;
                let (i, instances) = InstanceRows::read(i, ids.len())?;
                (i, CounterBlock::CounterSet { header, ids, instances })
            }
            None => return fault(4, Expected::Described("0, 1, 2, 4 or 6"), header.block_type, "dwType"),
        };
        if rest.is_empty() {
            return Ok((rest, read));
        }
        let taken = (block.len() - rest.len()) as u64;
        fault(8, Expected::AtMost(taken), header.len, "dwSize")
    }

    /// The header.
    pub fn header(&self) -> &CounterHeader {
        match self {
            CounterBlock::Error { header }
            | CounterBlock::Single { header, .. }
            | CounterBlock::MultiCounters { header, .. }
            | CounterBlock::MultiInstances { header, .. }
            | CounterBlock::CounterSet { header, .. } => header,
        }
    }

    /// Appends the block unchanged.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.header().write(out);
        match self {
            CounterBlock::Error { .. } => {}
            CounterBlock::Single { value, .. } => value.write(out),
            CounterBlock::MultiCounters { ids, values, .. } => {
                ids.write(out);
                values.iter().for_each(|value| value.write(out));
            }
            CounterBlock::MultiInstances { instances, .. } => instances.write(out),
            CounterBlock::CounterSet { ids, instances, .. } => {
                ids.write(out);
                instances.write(out);
            }
        }
    }
}

/// A block's bytes, `dwSize` of them, and the bytes up to the next block.
pub(super) fn take_block(i: &[u8]) -> Parsed<'_, (CounterHeader, &[u8])> {
    let (_, header) = CounterHeader::read(i)?;
    let (block, _, rest) = take_padded(i, header.len as usize);
    Ok((rest, (header, block)))
}
