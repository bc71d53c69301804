//! Reads fields from bytes in sequence; errors say where.

use std::fmt::Display;

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Scalar};

/// Bytes that are being read.
#[derive(Clone, Debug)]
pub(crate) struct Bytes<'a> {
    whole: &'a [u8],
    ofs: usize,
}

/// A field that can't be read: the bytes are too short for it, or its value is impossible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    /// The field.
    pub(crate) field: &'static str,
    /// Where it starts in the bytes that were being read.
    pub(crate) ofs: usize,
    /// What was expected, what was found.
    pub(crate) what: String,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(whole: &'a [u8]) -> Bytes<'a> {
        Bytes { whole, ofs: 0 }
    }

    /// Where the next field starts.
    pub(crate) fn ofs(&self) -> usize {
        self.ofs
    }

    pub(crate) fn len_left(&self) -> usize {
        self.whole.len() - self.ofs
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len_left() == 0
    }

    pub(crate) fn take(&mut self, field: &'static str, len: usize) -> Result<&'a [u8], Short> {
        let end = self.ofs.checked_add(len).filter(|end| *end <= self.whole.len());
        let Some(end) = end else {
            let what = format!("expected {len} bytes, {} are left", self.len_left());
            return Err(Short { field, ofs: self.ofs, what });
        };
        let taken = &self.whole[self.ofs..end];
        self.ofs = end;
        Ok(taken)
    }

    /// The bytes from here to the end.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        let rest = &self.whole[self.ofs..];
        self.ofs = self.whole.len();
        rest
    }

    fn scalar<T: Scalar + Default>(&mut self, field: &'static str) -> Result<T, Short> {
        let mut value = T::default();
        self.hidden(field, &mut value)?;
        Ok(value)
    }

    pub(crate) fn u8(&mut self, field: &'static str) -> Result<u8, Short> {
        self.scalar(field)
    }

    pub(crate) fn u16(&mut self, field: &'static str) -> Result<u16, Short> {
        self.scalar(field)
    }

    pub(crate) fn u32(&mut self, field: &'static str) -> Result<u32, Short> {
        self.scalar(field)
    }

    pub(crate) fn u64(&mut self, field: &'static str) -> Result<u64, Short> {
        self.scalar(field)
    }

    pub(crate) fn i64(&mut self, field: &'static str) -> Result<i64, Short> {
        self.scalar(field)
    }

    /// A length of up to `max`.
    pub(crate) fn len(&mut self, field: &'static str, max: usize) -> Result<usize, Short> {
        let mut len = 0;
        self.bounded(field, &mut len, 0, max)?;
        Ok(len as usize)
    }

    /// UTF-8 text with its length before it.
    pub(crate) fn text(&mut self, field: &'static str) -> Result<&'a str, Short> {
        let len = self.len(field, self.len_left().saturating_sub(4))?;
        let ofs = self.ofs;
        std::str::from_utf8(self.take(field, len)?).map_err(|error| Short {
            field,
            ofs,
            what: format!("expected UTF-8: {error}"),
        })
    }

    /// The fault of a field that was just read.
    pub(crate) fn bad(&self, field: &'static str, expected: &str, found: u64) -> Short {
        Short { field, ofs: self.ofs, what: format!("expected {expected}, found {found}") }
    }
}

impl Fields for Bytes<'_> {
    type Error = Short;

    fn shown<T: Scalar, D: Display>(
        &mut self,
        name: &'static str,
        value: &mut T,
        _: impl FnOnce(T) -> D,
    ) -> Result<(), Short> {
        self.hidden(name, value)
    }

    fn hidden<T: Scalar>(&mut self, name: &'static str, value: &mut T) -> Result<(), Short> {
        // The slice has exactly the value's length, so this always succeeds.
        if let Some(found) = T::read(self.take(name, T::LEN)?, ByteOrder::Little) {
            *value = found;
        }
        Ok(())
    }

    fn bounded(&mut self, name: &'static str, value: &mut u32, min: usize, max: usize) -> Result<(), Short> {
        let ofs = self.ofs;
        self.hidden(name, value)?;
        match *value as usize {
            len if len < min => {
                Err(Short { field: name, ofs, what: format!("expected at least {min}, found {len}") })
            }
            len if len > max => {
                Err(Short { field: name, ofs, what: format!("expected at most {max}, found {len}") })
            }
            _ => Ok(()),
        }
    }
}

/// Appends text with its length before it.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}
