//! Raw values.

use recount_bytes::ByteOrder;
use recount_bytes::fields::Fields;
use recount_bytes::parse::{Parsed, by_fields, sized};

/// `PERF_COUNTER_BLOCK`, formats/perf-data-block.md#counter-block: its length, then raw values at the offsets
/// in the counter definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterBlock<'a> {
    bytes: &'a [u8],
    order: ByteOrder,
}

impl<'a> CounterBlock<'a> {
    /// Bytes of the length field.
    pub const LEN_HEADER: usize = 4;
    /// Name of the structure.
    pub const NAME: &'static str = "PERF_COUNTER_BLOCK";

    /// The block consisting of `bytes`, including the length field.
    pub fn new(bytes: &'a [u8], order: ByteOrder) -> CounterBlock<'a> {
        CounterBlock { bytes, order }
    }

    /// Parses a block, which must end within the bytes.
    #[inline]
    pub(super) fn parse(i: &'a [u8], order: ByteOrder) -> Parsed<'a, CounterBlock<'a>> {
        let head = by_fields(Self::NAME, order, |len: &mut u32, f| {
            f.bounded("ByteLength", len, Self::LEN_HEADER, i.len())
        });
        let (rest, (_, bytes)) = sized(head, |len| *len as usize)(i)?;
        Ok((rest, CounterBlock::new(bytes, order)))
    }

    /// The block's bytes, `ByteLength` of them, including the length field.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The 4-byte value at an offset from the block's start, zero-extended; `None` beyond the block.
    #[inline]
    pub fn u32_at(&self, ofs: usize) -> Option<u64> {
        let bytes = *self.bytes.get(ofs..)?.first_chunk()?;
        Some(u64::from(match self.order {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        }))
    }

    /// The 8-byte value at an offset from the block's start; `None` beyond the block.
    #[inline]
    pub fn u64_at(&self, ofs: usize) -> Option<u64> {
        let bytes = *self.bytes.get(ofs..)?.first_chunk()?;
        Some(match self.order {
            ByteOrder::Little => u64::from_le_bytes(bytes),
            ByteOrder::Big => u64::from_be_bytes(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_in_both_orders_and_not_beyond() {
        let bytes = [12, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0xF8];
        let block = |order| CounterBlock::new(&bytes, order);
        assert_eq!(block(ByteOrder::Little).u32_at(8), Some(0xF807_0605));
        assert_eq!(block(ByteOrder::Big).u32_at(8), Some(0x0506_07F8));
        assert_eq!(block(ByteOrder::Little).u64_at(4), Some(0xF807_0605_0403_0201));
        assert_eq!(block(ByteOrder::Big).u64_at(4), Some(0x0102_0304_0506_07F8));
        assert_eq!((block(ByteOrder::Little).u32_at(9), block(ByteOrder::Little).u64_at(5)), (None, None));
        assert_eq!(block(ByteOrder::Big).u64_at(usize::MAX), None);
    }
}
