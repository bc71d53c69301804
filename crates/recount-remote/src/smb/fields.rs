//! Fields of a received message, by their offsets in it. All numbers are little-endian.

use super::SmbError;

/// A structure in a message.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    structure: &'static str,
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(structure: &'static str, bytes: &'a [u8]) -> Fields<'a> {
        Fields { structure, bytes }
    }

    /// `len` bytes from `ofs` on.
    pub(super) fn slice(self, ofs: usize, len: usize) -> Result<&'a [u8], SmbError> {
        let taken = ofs.checked_add(len).and_then(|end| self.bytes.get(ofs..end));
        taken.ok_or_else(|| {
            let left = self.bytes.len().saturating_sub(ofs);
            SmbError::malformed(self.structure, ofs, format!("{len} bytes"), left)
        })
    }

    fn array<const N: usize>(self, ofs: usize) -> Result<[u8; N], SmbError> {
        let mut array = [0; N];
        array.copy_from_slice(self.slice(ofs, N)?);
        Ok(array)
    }

    pub(super) fn u8(self, ofs: usize) -> Result<u8, SmbError> {
        self.array(ofs).map(|[byte]: [u8; 1]| byte)
    }

    pub(super) fn u16(self, ofs: usize) -> Result<u16, SmbError> {
        self.array(ofs).map(u16::from_le_bytes)
    }

    pub(super) fn u32(self, ofs: usize) -> Result<u32, SmbError> {
        self.array(ofs).map(u32::from_le_bytes)
    }

    pub(super) fn u64(self, ofs: usize) -> Result<u64, SmbError> {
        self.array(ofs).map(u64::from_le_bytes)
    }

    pub(super) fn uuid(self, ofs: usize) -> Result<[u8; 16], SmbError> {
        self.array(ofs)
    }

    /// Checks `StructureSize`, which the document fixes for every structure.
    pub(super) fn has_size(self, ofs: usize, size: u16) -> Result<(), SmbError> {
        match self.u16(ofs)? {
            found if found == size => Ok(()),
            found => Err(self.fail(ofs, format!("a StructureSize of {size}"), found)),
        }
    }

    pub(super) fn fail(self, ofs: usize, expected: impl Into<String>, found: impl ToString) -> SmbError {
        SmbError::malformed(self.structure, ofs, expected, found)
    }
}
