//! zstd, with lengths that are checked before they are trusted.

use std::cell::RefCell;
use std::io::Read;

/// The level for data written once per file.
const LEVEL_ONCE: i32 = 9;

/// Compresses many things at one level.
pub(crate) struct Packer {
    context: zstd::bulk::Compressor<'static>,
}

impl Packer {
    /// Fails only for want of memory.
    pub(crate) fn new(level: i32) -> Option<Packer> {
        Some(Packer { context: zstd::bulk::Compressor::new(level).ok()? })
    }

    pub(crate) fn pack(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.context.compress(bytes).ok()
    }
}

/// Compresses data that is written once per file.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    // Fails only if memory is exhausted; readers then find a wrong length.
    zstd::bulk::compress(bytes, LEVEL_ONCE).unwrap_or_default()
}

thread_local! {
    /// Made once per thread: chunks have many small parts.
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> =
        RefCell::new(zstd::bulk::Decompressor::new().ok());
}

/// Decompresses data that must be `len` bytes long; `None` if it isn't. A wrong length takes hardly any memory.
pub(crate) fn unpack(bytes: &[u8], len: usize) -> Option<Vec<u8>> {
    /// Length that is allocated without doubt.
    const LEN_TRUSTED: usize = 256 << 10;
    // The compression ratio of real columns. For larger claims, memory is allocated as data arrives.
    let len_plausible = bytes.len().saturating_mul(64).max(LEN_TRUSTED);
    let out = if len <= len_plausible {
        DECOMPRESSOR.with_borrow_mut(|context| context.as_mut()?.decompress(bytes, len).ok())?
    } else {
        let mut out = Vec::with_capacity(len_plausible);
        let decoder = zstd::stream::read::Decoder::with_buffer(bytes).ok()?;
        decoder.take(len as u64 + 1).read_to_end(&mut out).ok()?;
        out
    };
    (out.len() == len).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_stated_length_will_do() {
        let noise: Vec<u8> = (0..5_000_u32).map(|k| (k.wrapping_mul(0x9E37_79B9) >> 24) as u8).collect();
        for plain in [Vec::new(), noise, vec![7; 3 << 20]] {
            let packed = pack(&plain);
            assert_eq!(unpack(&packed, plain.len()).as_ref(), Some(&plain));
            assert_eq!(unpack(&packed, plain.len() + 1), None);
            assert_eq!(unpack(&packed, plain.len().saturating_sub(1)).filter(|_| !plain.is_empty()), None);
            assert_eq!(unpack(&packed[..packed.len() - 1], plain.len()), None);
            assert_eq!(unpack(&packed, 100 << 20), None);
        }
    }
}
