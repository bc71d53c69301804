//! The parts of a sample, unpacked: never more than the header says, and none of it before its checksum was right.

use std::io::Read;

use flate2::bufread::ZlibDecoder;

/// zlib packs at most so many bytes into one.
const MAX_RATIO: u64 = 1032;

/// Memory is reserved for so many bytes; for more as they arrive.
const LEN_RESERVED: usize = 2 << 20;

/// Whether so many bytes can come out of a stream of `len_packed`.
fn can_hold(len_packed: usize, len: u64) -> bool {
    len <= (len_packed as u64).saturating_mul(MAX_RATIO)
}

/// Unpacks a part of exactly `len` bytes into memory that is used again and again: for a system structure of 1 MB, getting it
/// from the system takes as long as unpacking. Says what is wrong if it isn't such a part.
pub(crate) fn unpack(packed: &[u8], len: usize, bytes: &mut Vec<u8>) -> Result<(), String> {
    if !can_hold(packed.len(), len as u64) {
        return Err(too_small(packed.len(), len as u64));
    }
    bytes.clear();
    bytes.reserve(len.min(LEN_RESERVED));
    let mut stream = ZlibDecoder::new(packed).take(len as u64 + 1);
    stream.read_to_end(bytes).map_err(|error| damaged(&error))?;
    if bytes.len() > len {
        return Err(format!("expected {len} bytes unpacked, found more"));
    }
    if bytes.len() < len {
        return Err(format!("expected {len} bytes unpacked, found {}", bytes.len()));
    }
    Ok(())
}

/// Unpacks a part of exactly `num` structures of `len` bytes, one after the other into the same memory. What `each` has
/// seen counts only if all of it was right.
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
    let mut structure = vec![0; len];
    for number in 0..num {
        stream.read_exact(&mut structure).map_err(|error| format!("structure {number} of {num}: {error}"))?;
        each(&structure);
    }
    match stream.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err(format!("expected {len_all} bytes unpacked, found more")),
        Err(error) => Err(damaged(&error)),
    }
}

fn too_small(len_packed: usize, len: u64) -> String {
    format!("{len_packed} packed bytes can't hold the {len} that the header states")
}

fn damaged(error: &std::io::Error) -> String {
    format!("the packed bytes are damaged: {error}")
}
