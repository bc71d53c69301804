//! Parses the fields of bytes in sequence; errors say where.

use std::fmt::Display;

use nom::IResult;
use nom::bytes::complete::take;
use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Scalar};
use recount_bytes::parse::Expected;

/// Bytes that are being read.
#[derive(Clone, Debug)]
pub(crate) struct Bytes<'a> {
    whole: &'a [u8],
    rest: &'a [u8],
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
        Bytes { whole, rest: whole }
    }

    /// Where the next field starts.
    pub(crate) fn ofs(&self) -> usize {
        self.whole.len() - self.rest.len()
    }

    pub(crate) fn len_left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    #[inline]
    pub(crate) fn take(&mut self, field: &'static str, len: usize) -> Result<&'a [u8], Short> {
        self.parse(field, len, take(len))
    }

    /// The next field, of `len` bytes, by its parser, which fails only if there are fewer.
    #[inline]
    fn parse<O>(
        &mut self,
        field: &'static str,
        len: usize,
        mut parser: impl FnMut(&'a [u8]) -> IResult<&'a [u8], O, ()>,
    ) -> Result<O, Short> {
        let Ok((rest, value)) = parser(self.rest) else { return Err(self.ended(field, len)) };
        self.rest = rest;
        Ok(value)
    }

    #[cold]
    fn ended(&self, field: &'static str, len: usize) -> Short {
        let what = format!("expected {len} bytes, {} are left", self.len_left());
        Short { field, ofs: self.ofs(), what }
    }

    /// The bytes from here to the end.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    fn scalar<T: Scalar + Default>(&mut self, field: &'static str) -> Result<T, Short> {
        let mut value = T::default();
        self.hidden(field, &mut value)?;
        Ok(value)
    }

    pub(crate) fn u8(&mut self, field: &'static str) -> Result<u8, Short> {
        self.scalar(field)
    }

    pub(crate) fn u32(&mut self, field: &'static str) -> Result<u32, Short> {
        self.scalar(field)
    }

    /// A length of up to `max`.
    pub(crate) fn len(&mut self, field: &'static str, max: usize) -> Result<usize, Short> {
        let mut len = 0;
        length(self, field, &mut len, max)?;
        Ok(len)
    }

    /// UTF-8 text with its length before it.
    pub(crate) fn text(&mut self, field: &'static str) -> Result<&'a str, Short> {
        let len = self.len(field, self.len_left().saturating_sub(4))?;
        let ofs = self.ofs();
        std::str::from_utf8(self.take(field, len)?).map_err(|error| Short {
            field,
            ofs,
            what: format!("expected UTF-8: {error}"),
        })
    }

    /// The fault of a field that was just read.
    pub(crate) fn bad(&self, field: &'static str, expected: &str, found: u64) -> Short {
        Short { field, ofs: self.ofs(), what: format!("expected {expected}, found {found}") }
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
        *value = self.parse(name, T::LEN, |i| T::parse(i, ByteOrder::Little))?;
        Ok(())
    }

    fn bounded(&mut self, name: &'static str, value: &mut u32, min: usize, max: usize) -> Result<(), Short> {
        let ofs = self.ofs();
        self.hidden(name, value)?;
        match Expected::unless_within(min, max, *value) {
            None => Ok(()),
            Some(expected) => {
                Err(Short { field: name, ofs, what: format!("expected {expected}, found {value}") })
            }
        }
    }
}

/// A length of up to `max`, four bytes long.
pub(crate) fn length<F: Fields>(
    f: &mut F,
    field: &'static str,
    len: &mut usize,
    max: usize,
) -> Result<(), F::Error> {
    let mut stored = *len as u32;
    f.bounded(field, &mut stored, 0, max)?;
    *len = stored as usize;
    Ok(())
}

/// Appends text with its length before it.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}
