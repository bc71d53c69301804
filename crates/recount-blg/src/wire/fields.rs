//! Reading structures field by field.

use recount_model::Place;

use super::WireError;
use crate::text;

/// Why a structure can't be read; offsets count from the start of the bytes it stands in.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) structure: &'static str,
    pub(super) ofs_structure: usize,
    pub(super) field: &'static str,
    pub(super) ofs: usize,
    pub(super) what: String,
}

impl Fault {
    /// As an error, with offsets in the file.
    pub(super) fn placed(self, ofs_in_file: impl Fn(u64) -> u64) -> WireError {
        let place = Place::field(self.structure, self.ofs_structure as u64, self.field, self.ofs as u64);
        WireError::Damaged { place: place.map_ofs(ofs_in_file), what: self.what }
    }
}

pub(super) type Found<T> = Result<T, Fault>;

/// A structure, and how far it has been read.
pub(super) struct Fields<'a> {
    structure: &'static str,
    bytes: &'a [u8],
    /// Where the structure starts in what encloses it.
    ofs: usize,
    at: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(structure: &'static str, bytes: &'a [u8], ofs: usize) -> Fields<'a> {
        Fields { structure, bytes, ofs, at: 0 }
    }

    pub(super) fn fault(&self, field: &'static str, what: impl Into<String>) -> Fault {
        let (structure, ofs_structure) = (self.structure, self.ofs);
        Fault { structure, ofs_structure, field, ofs: self.ofs + self.at, what: what.into() }
    }

    /// Offset from the start of the structure.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What hasn't been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(super) fn take(&mut self, field: &'static str, len: usize) -> Found<&'a [u8]> {
        let Some(bytes) = self.rest().get(..len) else {
            let what = format!("{} bytes left where {len} were expected", self.rest().len());
            return Err(self.fault(field, what));
        };
        self.at += len;
        Ok(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self, field: &'static str) -> Found<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self, field: &'static str) -> Found<u8> {
        self.array(field).map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self, field: &'static str) -> Found<u16> {
        self.array(field).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, field: &'static str) -> Found<u32> {
        self.array(field).map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self, field: &'static str) -> Found<i32> {
        self.array(field).map(i32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, field: &'static str) -> Found<u64> {
        self.array(field).map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self, field: &'static str) -> Found<i64> {
        self.array(field).map(i64::from_le_bytes)
    }

    /// The text at an offset from the start of the structure, and where the bytes behind its NUL start.
    pub(super) fn text_at(&self, field: &'static str, ofs: usize) -> Found<(String, usize)> {
        let Some(bytes) = self.bytes.get(ofs..) else {
            let what = format!("offset {ofs} where the structure has {} bytes", self.bytes.len());
            return Err(self.fault(field, what));
        };
        let (found, behind) = text::string(bytes);
        Ok((found.to_text(), self.bytes.len() - behind.len()))
    }
}
