//! zstd, with lengths that are checked before they are believed.

use std::io::Read;

/// The level of what is written once per file.
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

/// Compresses what is written once.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    // Fails only for want of memory; readers then find a length that doesn't fit.
    zstd::bulk::compress(bytes, LEVEL_ONCE).unwrap_or_default()
}

/// Decompresses what has to be `len` bytes long; `None` if it isn't. Takes memory as it goes, so that a wrong length
/// costs none.
pub(crate) fn unpack(bytes: &[u8], len: usize) -> Option<Vec<u8>> {
    // What real columns compress to; more is taken when it has come.
    let mut out = Vec::with_capacity(len.min(bytes.len().saturating_mul(64)));
    let decoder = zstd::stream::read::Decoder::with_buffer(bytes).ok()?;
    decoder.take(len as u64 + 1).read_to_end(&mut out).ok()?;
    (out.len() == len).then_some(out)
}
