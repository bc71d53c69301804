//! Values.

use nom::Parser;
use nom::number::complete::le_u32;
use recount_bytes::parse::{Expected, Failed, Fault, Parsed, field, structure, within};

use crate::structure::{ALIGNMENT, len_u32, pad, take_padded};

/// `_PERF_COUNTER_DATA` (MS-PCQ 2.2.4.9) and the value, as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterData<'a> {
    /// `dwSize`: bytes of the structure and the value, with or without the padding.
    pub size: u32,
    /// The value, `dwDataSize` bytes.
    pub value: &'a [u8],
    /// The bytes between the value and the next multiple of 8 bytes.
    pub padding: &'a [u8],
}

impl<'a> CounterData<'a> {
    /// Bytes before the value.
    pub const LEN: usize = 8;
    /// Name of the structure.
    pub const NAME: &'static str = "_PERF_COUNTER_DATA";

    /// Fails if the sizes exceed `i`, or if they don't agree: `dwSize` is "the size of the structure and
    /// performance counter data", which may include the padding.
    pub(super) fn read(i: &'a [u8]) -> Parsed<'a, CounterData<'a>> {
        structure(Self::NAME, |start: &'a [u8]| {
            let max_value = start.len().saturating_sub(Self::LEN);
            let (at_size, len_value) = field("dwDataSize", within(0, max_value, le_u32))(start)?;
            let len_value = len_value as usize;
            let (_, size) = field("dwSize", within(Self::LEN + len_value, start.len(), le_u32))(at_size)?;
            check_size(at_size, size, Self::LEN + len_value, "8 + dwDataSize, or that up to a multiple of 8")
                .map_err(|error| name_field(error, "dwSize"))?;
            let (bytes, padding, rest) = take_padded(start, Self::LEN + len_value);
            Ok((rest, CounterData { size, value: bytes.get(Self::LEN..).unwrap_or_default(), padding }))
        })
        .parse(i)
    }

    /// The value, if it is a number of 4 or 8 bytes.
    pub fn value(&self) -> Option<u64> {
        if let Ok(bytes) = self.value.try_into() {
            return Some(u64::from_le_bytes(bytes));
        }
        self.value.try_into().ok().map(|bytes| u64::from(u32::from_le_bytes(bytes)))
    }

    /// Length of structure, value and padding in bytes.
    pub(in crate::structure) fn len_padded(&self) -> usize {
        Self::LEN + self.value.len() + self.padding.len()
    }

    /// Appends structure, value and padding unchanged.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&len_u32(self.value.len()).to_le_bytes());
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(self.value);
        out.extend_from_slice(self.padding);
    }

    /// Appends a value and zeros up to a multiple of 8 bytes, which `dwSize` includes.
    pub(in crate::structure) fn write_new(value: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        let size = (Self::LEN + value.len()).next_multiple_of(ALIGNMENT);
        out.extend_from_slice(&len_u32(value.len()).to_le_bytes());
        out.extend_from_slice(&len_u32(size).to_le_bytes());
        out.extend_from_slice(value);
        pad(out, start);
    }
}

/// Whether a size is `len_content`, exactly or rounded up to a multiple of 8.
pub(super) fn check_size<'a>(
    at: &'a [u8],
    size: u32,
    len_content: usize,
    expected: &'static str,
) -> Result<(), Failed<'a>> {
    if [len_content, len_content.next_multiple_of(ALIGNMENT)].contains(&(size as usize)) {
        return Ok(());
    }
    Err(nom::Err::Error(Fault::number(at, Expected::Described(expected), size)))
}

/// Names the field of a fault.
pub(super) fn name_field<'a>(error: Failed<'a>, name: &'static str) -> Failed<'a> {
    error.map(|fault| Fault { field: Some(name), ..fault })
}

/// A sequence of values that were found to be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values<'a> {
    bytes: &'a [u8],
    num_values: usize,
}

impl<'a> Values<'a> {
    /// Reads `num_values` values from the start of `i`.
    pub(super) fn read(i: &'a [u8], num_values: usize) -> Parsed<'a, Values<'a>> {
        let mut rest = i;
        for _ in 0..num_values {
            (rest, _) = CounterData::read(rest)?;
        }
        let bytes = i.get(..i.len() - rest.len()).unwrap_or(i);
        Ok((rest, Values { bytes, num_values }))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.num_values
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.num_values == 0
    }

    /// All structures with their values and padding.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The values, in the order of the counters' ids.
    pub fn iter(&self) -> impl Iterator<Item = CounterData<'a>> + Clone + use<'a> {
        let mut rest = self.bytes;
        (0..self.num_values).map_while(move |_| {
            let (behind, value) = CounterData::read(rest).ok()?;
            rest = behind;
            Some(value)
        })
    }
}
