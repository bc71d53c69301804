//! Counter ids.

use nom::Parser;
use nom::number::complete::le_u32;
use recount_bytes::parse::{Parsed, field, structure, within};

use super::value::{check_size, name_field};
use crate::structure::{len_u32, pad, take_padded};

/// Bytes of an id.
const LEN_ID: usize = 4;

/// `_PERF_MULTI_COUNTERS` (MS-PCQ 2.2.4.11) and the array of counter ids, as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterIds<'a> {
    /// `dwSize`: bytes of the structure and the array, with or without the padding.
    pub size: u32,
    ids: &'a [[u8; LEN_ID]],
    /// The bytes between the array and the next multiple of 8 bytes.
    pub padding: &'a [u8],
}

impl<'a> CounterIds<'a> {
    /// Bytes before the array.
    pub const LEN: usize = 8;
    /// Name of the structure.
    pub const NAME: &'static str = "_PERF_MULTI_COUNTERS";

    /// Fails if the size exceeds `i`, or if it doesn't match `dwCounters`.
    pub(super) fn read(i: &'a [u8]) -> Parsed<'a, CounterIds<'a>> {
        structure(Self::NAME, |start: &'a [u8]| {
            let max_size = start.len().max(Self::LEN);
            let (i, size) = field("dwSize", within(Self::LEN, max_size, le_u32))(start)?;
            let max_counters = (size as usize - Self::LEN) / LEN_ID;
            let (_, num_counters) = field("dwCounters", within(0, max_counters, le_u32))(i)?;
            let len = Self::LEN + num_counters as usize * LEN_ID;
            check_size(start, size, len, "8 + 4 * dwCounters, or that up to a multiple of 8")
                .map_err(|error| name_field(error, "dwSize"))?;
            let (bytes, padding, rest) = take_padded(start, len);
            let (ids, _) = bytes.get(Self::LEN..).unwrap_or_default().as_chunks();
            Ok((rest, CounterIds { size, ids, padding }))
        })
        .parse(i)
    }

    /// `dwCounters`.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids: the values of each instance are in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + Clone + use<'a> {
        self.ids.iter().map(|id| u32::from_le_bytes(*id))
    }

    /// Length of structure, array and padding in bytes.
    pub(in crate::structure) fn len_padded(&self) -> usize {
        Self::LEN + self.ids.as_flattened().len() + self.padding.len()
    }

    /// Appends structure, array and padding unchanged.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.size.to_le_bytes());
        out.extend_from_slice(&len_u32(self.ids.len()).to_le_bytes());
        out.extend_from_slice(self.ids.as_flattened());
        out.extend_from_slice(self.padding);
    }

    /// Appends ids and zeros up to a multiple of 8 bytes, which `dwSize` includes.
    pub(in crate::structure) fn write_new(ids: impl ExactSizeIterator<Item = u32>, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&len_u32(ids.len()).to_le_bytes());
        out.extend(ids.flat_map(u32::to_le_bytes));
        pad(out, start);
        let size = len_u32(out.len() - start).to_le_bytes();
        out[start..start + 4].copy_from_slice(&size);
    }
}
