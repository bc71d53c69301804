//! Integers to bytes in a byte order, with lengths that are filled in afterwards.

use crate::BlockError;
use crate::perf_data::ByteOrder;

/// Appends in one byte order.
pub(super) struct Writer {
    bytes: Vec<u8>,
    order: ByteOrder,
}

impl Writer {
    pub(super) fn new(order: ByteOrder) -> Writer {
        Writer { bytes: Vec::new(), order }
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.either(value.to_le_bytes(), value.to_be_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.either(value.to_le_bytes(), value.to_be_bytes());
    }

    pub(super) fn i32(&mut self, value: i32) {
        self.either(value.to_le_bytes(), value.to_be_bytes());
    }

    pub(super) fn i64(&mut self, value: i64) {
        self.either(value.to_le_bytes(), value.to_be_bytes());
    }

    fn either<const N: usize>(&mut self, little: [u8; N], big: [u8; N]) {
        self.bytes.extend_from_slice(match self.order {
            ByteOrder::Little => &little,
            ByteOrder::Big => &big,
        });
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends a length or count.
    pub(super) fn len_u32(
        &mut self,
        value: usize,
        structure: &'static str,
        field: &'static str,
    ) -> Result<(), BlockError> {
        self.u32(checked(value, structure, field)?);
        Ok(())
    }

    /// Fills in a length at an offset where four bytes were left for it.
    pub(super) fn patch_u32(
        &mut self,
        ofs: usize,
        value: usize,
        structure: &'static str,
        field: &'static str,
    ) -> Result<(), BlockError> {
        let value = checked(value, structure, field)?;
        let bytes = match self.order {
            ByteOrder::Little => value.to_le_bytes(),
            ByteOrder::Big => value.to_be_bytes(),
        };
        self.bytes[ofs..ofs + 4].copy_from_slice(&bytes);
        Ok(())
    }
}

fn checked(value: usize, structure: &'static str, field: &'static str) -> Result<u32, BlockError> {
    u32::try_from(value).map_err(|_| BlockError::Unwritable { structure, field, value: value as u64 })
}

/// Appends zeros until `len_before` and the bytes together are a multiple of 8: every structure of a block
/// starts on such an offset.
pub(super) fn pad(bytes: &mut Vec<u8>, len_before: usize) {
    let len = (len_before + bytes.len()).next_multiple_of(8) - len_before;
    bytes.resize(len, 0);
}
