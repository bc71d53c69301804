//! Integers and padding for writing.

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Writer};

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
