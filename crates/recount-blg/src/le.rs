//! Little-endian integers at an offset; `None` where the bytes end before.
//!
//! For walking over millions of events, of which two or three fields matter. Structures that are read whole go
//! through the parsers, which say what is wrong with them.

fn array<const N: usize>(bytes: &[u8], ofs: usize) -> Option<[u8; N]> {
    bytes.get(ofs..)?.first_chunk().copied()
}

pub(crate) fn u16_at(bytes: &[u8], ofs: usize) -> Option<u16> {
    array(bytes, ofs).map(u16::from_le_bytes)
}

pub(crate) fn u32_at(bytes: &[u8], ofs: usize) -> Option<u32> {
    array(bytes, ofs).map(u32::from_le_bytes)
}

pub(crate) fn u64_at(bytes: &[u8], ofs: usize) -> Option<u64> {
    array(bytes, ofs).map(u64::from_le_bytes)
}

pub(crate) fn i64_at(bytes: &[u8], ofs: usize) -> Option<i64> {
    array(bytes, ofs).map(i64::from_le_bytes)
}
