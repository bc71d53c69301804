//! Instances with their values.

use nom::Parser;
use nom::number::complete::le_u32;
use recount_bytes::parse::{Expected, Fault, Parsed, field, structure, within};

use super::value::name_field;
use super::{CounterData, Values};
use crate::InstanceHeader;
use crate::structure::{len_u32, take_padded};

/// An instance and its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceRow<'a> {
    /// The instance.
    pub instance: InstanceHeader<'a>,
    /// Its values: one in `PERF_MULTI_INSTANCES`, one per counter id in `PERF_COUNTERSET`.
    pub values: Values<'a>,
}

impl<'a> InstanceRow<'a> {
    fn read(i: &'a [u8], num_values: usize) -> Parsed<'a, InstanceRow<'a>> {
        let (i, instance) = InstanceHeader::read_in_block(i)?;
        let (i, values) = Values::read(i, num_values)?;
        Ok((i, InstanceRow { instance, values }))
    }

    /// The first value: the only one in `PERF_MULTI_INSTANCES`.
    pub fn value(&self) -> Option<CounterData<'a>> {
        self.values.iter().next()
    }
}

/// `_PERF_MULTI_INSTANCES` (MS-PCQ 2.2.4.10) and the instances, which were found to be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceRows<'a> {
    /// `dwTotalSize`: bytes of the structure and of all instances with their values.
    pub size: u32,
    num_instances: usize,
    num_values: usize,
    rows: &'a [u8],
    /// The bytes between the last value and the next multiple of 8 bytes, if the sizes don't include them.
    pub padding: &'a [u8],
}

impl<'a> InstanceRows<'a> {
    /// Bytes before the first instance.
    pub const LEN: usize = 8;
    /// Name of the structure.
    pub const NAME: &'static str = "_PERF_MULTI_INSTANCES";

    /// Reads instances of `num_values` values each.
    ///
    /// Fails if the size exceeds `i`, or if it isn't exactly filled by `dwInstances` instances: their number
    /// "MUST be equal" (MS-PCQ 3.1.4.1.6).
    pub(super) fn read(i: &'a [u8], num_values: usize) -> Parsed<'a, InstanceRows<'a>> {
        let start = i;
        let (_, (size, num_instances)) = structure(Self::NAME, |i: &'a [u8]| {
            let max_size = i.len().max(Self::LEN);
            let (i, size) = field("dwTotalSize", within(Self::LEN, max_size, le_u32))(i)?;
            let (i, num_instances) = field("dwInstances", le_u32)(i)?;
            Ok((i, (size, num_instances)))
        })
        .parse(start)?;
        let (bytes, padding, rest) = take_padded(start, size as usize);
        let rows = bytes.get(Self::LEN..).unwrap_or_default();
        let mut behind = rows;
        for _ in 0..num_instances {
            (behind, _) = InstanceRow::read(behind, num_values)?;
        }
        if !behind.is_empty() {
            let taken = (bytes.len() - behind.len()) as u64;
            let fault = nom::Err::Error(Fault::number(start, Expected::AtMost(taken), size));
            return structure(Self::NAME, |_| Err(name_field(fault.clone(), "dwTotalSize"))).parse(start);
        }
        let num_instances = num_instances as usize;
        Ok((rest, InstanceRows { size, num_instances, num_values, rows, padding }))
    }

    /// `dwInstances`.
    pub fn len(&self) -> usize {
        self.num_instances
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.num_instances == 0
    }

    /// How many values each instance has.
    pub fn num_values(&self) -> usize {
        self.num_values
    }

    /// All instances with their values and padding.
    pub fn bytes(&self) -> &'a [u8] {
        self.rows
    }

    /// The instances.
    pub fn iter(&self) -> impl Iterator<Item = InstanceRow<'a>> + Clone + use<'a> {
        let (mut rest, num_values) = (self.rows, self.num_values);
        (0..self.num_instances).map_while(move |_| {
            let (behind, row) = InstanceRow::read(rest, num_values).ok()?;
            rest = behind;
            Some(row)
        })
    }

    /// Appends structure and instances unchanged.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&len_u32(self.num_instances).to_le_bytes());
        for row in self.iter() {
            row.instance.write(out);
            row.values.iter().for_each(|value| value.write(out));
        }
        out.extend_from_slice(self.padding);
    }
}
