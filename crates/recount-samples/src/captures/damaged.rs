//! `damaged.blg`: `objects.blg` as a bad disk and a power cut may leave it.

use std::io;

/// Bytes that the torn end lacks.
const LEN_TORN: usize = 2_000;
const SIGNATURE: &[u8] = b"P\0E\0R\0F\0";

/// Flips a bit in the signature of the first block after the middle, and cuts off the end.
pub(crate) fn damaged(objects: &[u8]) -> io::Result<Vec<u8>> {
    let middle = objects.len() / 2;
    let signature = objects.windows(SIGNATURE.len()).skip(middle).position(|window| window == SIGNATURE);
    let Some(at) = signature else { return Err(io::Error::other("no block behind the middle")) };
    let mut damaged = objects[..objects.len() - LEN_TORN].to_vec();
    damaged[middle + at] ^= 0x80;
    Ok(damaged)
}
