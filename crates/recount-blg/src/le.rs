//! Little-endian integers at an offset; `None` if the bytes end before.
//!
//! For walking over millions of events, only two or three fields of which are needed. Structures that are
//! read completely use the parsers, which report errors.

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
