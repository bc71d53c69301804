//! Unpacks the parts of a sample: never more than the header says, and only if the checksum is right.

use std::io::{self, Read};

use flate2::bufread::ZlibDecoder;

/// Maximum compression ratio of zlib.
const MAX_RATIO: u64 = 1032;

/// Memory is allocated for this many bytes; for more as they arrive.
const LEN_AT_ONCE: usize = 2 << 20;

/// Bytes of a number in the pid part.
pub(crate) const LEN_PID: usize = 4;

/// Structures that are unpacked together.
const NUM_AT_ONCE: usize = 32;

/// Whether `len` bytes can come out of a stream of `len_packed` bytes.
fn can_hold(len_packed: usize, len: u64) -> bool {
    len <= (len_packed as u64).saturating_mul(MAX_RATIO)
}

/// Unpacks a part of exactly `len` bytes into memory that is reused: for a system structure of 1 MB, allocating takes
/// as long as unpacking. Returns what is wrong if it isn't such a part.
pub(crate) fn unpack(packed: &[u8], len: usize, bytes: &mut Vec<u8>) -> Result<(), String> {
    if !can_hold(packed.len(), len as u64) {
        return Err(too_small(packed.len(), len as u64));
    }
    let mut stream = ZlibDecoder::new(packed);
    // The memory is overwritten, so it isn't cleared.
    bytes.truncate(len);
    let mut num = 0;
    while num < len {
        let end = len.min(num + LEN_AT_ONCE);
        bytes.resize(bytes.len().max(end), 0);
        let (more, result) = fill(&mut stream, &mut bytes[num..end]);
        num += more;
        result.map_err(|error| damaged(&error))?;
        if num < end {
            return Err(format!("expected {len} bytes unpacked, found {num}"));
        }
    }
    end(stream, len as u64)
}

/// Unpacks a part of exactly `num` structures of `len` bytes, some at a time into the same memory. The structures
/// passed to `each` are only valid if the whole part is.
pub(crate) fn unpack_each(
    packed: &[u8],
    len: usize,
    num: usize,
    mut each: impl FnMut(&[u8]),
) -> Result<(), String> {
    let len_all = (len as u64).saturating_mul(num as u64);
    if !can_hold(packed.len(), len_all) {
        return Err(too_small(packed.len(), len_all));
    }
    let mut stream = ZlibDecoder::new(packed);
    let mut structures = vec![0; len * num.min(NUM_AT_ONCE)];
    let mut number = 0;
    while number < num {
        let structures = &mut structures[..len * (num - number).min(NUM_AT_ONCE)];
        let (len_read, result) = fill(&mut stream, structures);
        for structure in structures[..len_read].chunks_exact(len.max(1)) {
            each(structure);
            number += 1;
        }
        result.map_err(|error| format!("structure {number} of {num}: {error}"))?;
        if len_read < structures.len() {
            return Err(format!("structure {number} of {num}: the packed bytes end before"));
        }
    }
    end(stream, len_all)
}

/// Reads until the memory is full or the stream ends; returns the number of bytes, and the error if any. Calls of a
/// decoder are expensive, so there should be few.
fn fill(stream: &mut impl Read, bytes: &mut [u8]) -> (usize, io::Result<()>) {
    let mut num = 0;
    while let Some(rest) = bytes.get_mut(num..).filter(|rest| !rest.is_empty()) {
        match stream.read(rest) {
            Ok(0) => break,
            Ok(more) => num += more,
            Err(error) => return (num, Err(error)),
        }
    }
    (num, Ok(()))
}

/// Checks that the stream ends here, including its checksum.
fn end(mut stream: ZlibDecoder<&[u8]>, len: u64) -> Result<(), String> {
    match stream.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err(format!("expected {len} bytes unpacked, found more")),
        Err(error) => Err(damaged(&error)),
    }
}

fn too_small(len_packed: usize, len: u64) -> String {
    format!("{len_packed} packed bytes can't hold the {len} that the header states")
}

fn damaged(error: &io::Error) -> String {
    format!("the packed bytes are damaged: {error}")
}
