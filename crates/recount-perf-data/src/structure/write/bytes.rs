//! Lengths and padding for writing.

use recount_bytes::fields::{Fields, Writer};
use recount_bytes::{ByteOrder, FormatError};

/// Converts a length or count to the type of its field.
pub(super) fn len_u32(
    value: usize,
    structure: &'static str,
    field: &'static str,
) -> Result<u32, FormatError> {
    u32::try_from(value).map_err(|_| FormatError::Unwritable { structure, field, value: value as u64 })
}

/// Appends one integer.
pub(super) fn put_u32(mut value: u32, order: ByteOrder, out: &mut Vec<u8>) {
    let Ok(()) = Writer::new(order, out).hidden("", &mut value);
}

/// Appends zeros until `len_before` and the bytes together are a multiple of 8: every structure of a block
/// starts on such an offset.
pub(super) fn pad(bytes: &mut Vec<u8>, len_before: usize) {
    let len = (len_before + bytes.len()).next_multiple_of(8) - len_before;
    bytes.resize(len, 0);
}
