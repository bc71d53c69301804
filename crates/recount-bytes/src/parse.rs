//! Parser combinators whose errors know structure, field and byte offset.
//!
//! A [`Fault`] keeps the slice at which parsing failed. That costs nothing while parsing. The offset is
//! computed only when the fault is shown, from the position of the slice in the whole input.

use std::fmt::Display;

use nom::error::{ErrorKind, ParseError};
use nom::{IResult, Parser};
use recount_model::Place;

use crate::fields::{Fields, Scalar};
use crate::{ByteOrder, FormatError};

/// What a parser returns: the rest of the input and a value, or a [`Fault`].
pub type Parsed<'a, O> = IResult<&'a [u8], O, Fault<'a>>;

/// A failure to parse, still tied to the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<'a> {
    /// The input from the failing field on.
    pub at: &'a [u8],
    /// The field.
    pub field: Option<&'static str>,
    /// The innermost structure: its name, and the input from its start on.
    pub structure: Option<(&'static str, &'a [u8])>,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The input ends inside it.
    Ended,
    /// An invalid number.
    Number {
        /// What is allowed.
        expected: Expected,
        /// What was found.
        found: i64,
    },
    /// Invalid bytes.
    Bytes {
        /// What is allowed.
        expected: &'static str,
        /// How many bytes to show.
        len: usize,
    },
}

/// What a number was expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// At least this.
    AtLeast(u64),
    /// At most this, because of the enclosing structure.
    AtMost(u64),
    /// As described.
    Described(&'static str),
}

impl<'a> Fault<'a> {
    /// A fault in a number at the start of `at`.
    pub fn number(at: &'a [u8], expected: Expected, found: impl Into<i64>) -> Fault<'a> {
        let reason = Reason::Number { expected, found: found.into() };
        Fault { at, field: None, structure: None, reason }
    }

    /// A fault in the first `len` bytes of `at`.
    pub fn bytes(at: &'a [u8], expected: &'static str, len: usize) -> Fault<'a> {
        Fault { at, field: None, structure: None, reason: Reason::Bytes { expected, len } }
    }

    /// The fault's place, given the whole input that was being parsed and where that input starts in its file.
    pub fn place(&self, whole: &[u8], ofs_in_file: u64) -> Place {
        let at = |slice: &[u8]| ofs_in_file + ofs_within(whole, slice) as u64;
        Place {
            ofs: at(self.at),
            structure: self.structure.map(|(name, _)| name),
            ofs_structure: self.structure.map(|(_, start)| at(start)),
            field: self.field,
        }
    }

    /// The owned error.
    pub fn into_error(self, whole: &[u8], ofs_in_file: u64) -> FormatError {
        let place = self.place(whole, ofs_in_file);
        match self.reason {
            Reason::Ended => FormatError::Truncated { place, have: self.at.len() },
            Reason::Number { expected, found } => {
                let expected = match expected {
                    Expected::AtLeast(min) => format!("at least {min}"),
                    Expected::AtMost(max) => format!("at most {max}"),
                    Expected::Described(what) => what.to_owned(),
                };
                FormatError::Unexpected { place, expected, found: found.to_string() }
            }
            Reason::Bytes { expected, len } => {
                let shown = self.at.get(..len).unwrap_or(self.at);
                let found = shown.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
                FormatError::Unexpected { place, expected: expected.to_owned(), found }
            }
        }
    }
}

impl<'a> ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(at: &'a [u8], kind: ErrorKind) -> Self {
        let reason = match kind {
            ErrorKind::Eof | ErrorKind::Complete => Reason::Ended,
            _ => Reason::Bytes { expected: "bytes that fit the field", len: 8 },
        };
        Fault { at, field: None, structure: None, reason }
    }

    fn append(_: &'a [u8], _: ErrorKind, inner: Self) -> Self {
        inner
    }
}

/// Reads the fields of a structure one after the other.
pub struct Reader<'a> {
    structure: &'static str,
    start: &'a [u8],
    rest: &'a [u8],
    order: ByteOrder,
}

impl<'a> Reader<'a> {
    /// For the structure called `name` at the start of `bytes`.
    pub fn new(structure: &'static str, bytes: &'a [u8], order: ByteOrder) -> Reader<'a> {
        Reader { structure, start: bytes, rest: bytes, order }
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `len` bytes.
    #[inline]
    pub fn take(&mut self, field: &'static str, len: usize) -> Result<&'a [u8], Fault<'a>> {
        let Some((bytes, rest)) = self.rest.split_at_checked(len) else {
            return Err(self.fault(field, self.rest, Reason::Ended));
        };
        self.rest = rest;
        Ok(bytes)
    }

    /// A fault in a field of the structure. The field begins at `at`.
    pub fn fault(&self, field: &'static str, at: &'a [u8], reason: Reason) -> Fault<'a> {
        Fault { at, field: Some(field), structure: Some((self.structure, self.start)), reason }
    }
}

impl<'a> Fields for Reader<'a> {
    type Error = Fault<'a>;

    #[inline]
    fn shown<T: Scalar, D: Display>(
        &mut self,
        name: &'static str,
        value: &mut T,
        _: impl FnOnce(T) -> D,
    ) -> Result<(), Fault<'a>> {
        self.hidden(name, value)
    }

    #[inline]
    fn hidden<T: Scalar>(&mut self, name: &'static str, value: &mut T) -> Result<(), Fault<'a>> {
        // The slice has exactly the value's length, so this always succeeds.
        if let Some(found) = T::read(self.take(name, T::LEN)?, self.order) {
            *value = found;
        }
        Ok(())
    }

    #[inline]
    fn checked<T: Scalar + Display + Into<i64>>(
        &mut self,
        name: &'static str,
        value: &mut T,
        expected: &'static str,
        is_valid: impl FnOnce(T) -> bool,
    ) -> Result<(), Fault<'a>> {
        let at = self.rest;
        self.hidden(name, value)?;
        if is_valid(*value) {
            return Ok(());
        }
        let reason = Reason::Number { expected: Expected::Described(expected), found: (*value).into() };
        Err(self.fault(name, at, reason))
    }

    #[inline]
    fn bounded(
        &mut self,
        name: &'static str,
        value: &mut u32,
        min: usize,
        max: usize,
    ) -> Result<(), Fault<'a>> {
        let at = self.rest;
        self.hidden(name, value)?;
        let expected = match *value as usize {
            value if value < min => Expected::AtLeast(min as u64),
            value if value > max => Expected::AtMost(max as u64),
            _ => return Ok(()),
        };
        Err(self.fault(name, at, Reason::Number { expected, found: i64::from(*value) }))
    }
}

/// Offset of `part` in `whole`. It follows from their addresses, since both are slices of the same input; for
/// any other slice the offset is clamped to the whole.
pub fn ofs_within(whole: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().saturating_sub(whole.as_ptr().addr()).min(whole.len())
}

/// Names the field that `parser` reads.
pub fn field<'a, O>(
    name: &'static str,
    mut parser: impl Parser<&'a [u8], Output = O, Error = Fault<'a>>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, O> {
    move |i| {
        parser.parse(i).map_err(|error| {
            error.map(|mut fault| {
                // A structure inside this field has named its own field.
                if fault.structure.is_none() {
                    fault.field.get_or_insert(name);
                }
                fault
            })
        })
    }
}

/// Names the structure that `parser` reads, and remembers where it starts.
pub fn structure<'a, O>(
    name: &'static str,
    mut parser: impl Parser<&'a [u8], Output = O, Error = Fault<'a>>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, O> {
    move |i| {
        parser.parse(i).map_err(|error| {
            error.map(|mut fault| {
                fault.structure.get_or_insert((name, i));
                fault
            })
        })
    }
}

/// Accepts only `min..=max`: a length or offset that has to stay inside its structure.
pub fn within<'a>(
    min: usize,
    max: usize,
    mut parser: impl Parser<&'a [u8], Output = u32, Error = Fault<'a>>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, u32> {
    move |i| {
        let (rest, value) = parser.parse(i)?;
        let expected = match value as usize {
            value if value < min => Expected::AtLeast(min as u64),
            value if value > max => Expected::AtMost(max as u64),
            _ => return Ok((rest, value)),
        };
        Err(nom::Err::Error(Fault::number(i, expected, value)))
    }
}

/// Ends a parse: the value, or the owned error.
pub fn settle<O>(result: Parsed<'_, O>, whole: &[u8], ofs_in_file: u64) -> Result<O, FormatError> {
    result.map(|(_, value)| value).map_err(|error| owned(error, whole, ofs_in_file))
}

/// The result of a [`Reader`], or the owned error.
pub fn placed<O>(result: Result<O, Fault<'_>>, whole: &[u8], ofs_in_file: u64) -> Result<O, FormatError> {
    result.map_err(|fault| fault.into_error(whole, ofs_in_file))
}

/// A failure as the owned error.
pub fn owned(error: nom::Err<Fault<'_>>, whole: &[u8], ofs_in_file: u64) -> FormatError {
    match error {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => fault.into_error(whole, ofs_in_file),
        // Only streaming parsers return this; here the whole input is in memory.
        nom::Err::Incomplete(_) => {
            FormatError::Truncated { place: Place::at(ofs_in_file), have: whole.len() }
        }
    }
}

#[cfg(test)]
mod tests {
    use nom::number::complete::{le_u16, le_u32};

    use super::*;

    fn pair(i: &[u8]) -> Parsed<'_, (u16, u32)> {
        structure("PAIR", |i| {
            let (i, first) = field("First", le_u16)(i)?;
            let (i, second) = field("Second", within(2, 8, le_u32))(i)?;
            Ok((i, (first, second)))
        })
        .parse(i)
    }

    fn error(bytes: &[u8], skip: usize) -> String {
        settle(pair(&bytes[skip..]), bytes, 0x1000).expect_err("damaged").to_string()
    }

    #[test]
    fn faults_know_structure_field_and_offset() {
        let bytes = [9, 9, 1, 0, 1, 0, 0, 0];
        assert_eq!(
            error(&bytes, 2),
            "PAIR.Second at byte 0x1004 (structure starts at 0x1002): expected at least 2, found 1"
        );
        assert_eq!(
            error(&bytes[..7], 2),
            "PAIR.Second at byte 0x1004 (structure starts at 0x1002): the bytes end inside this field, 3 left"
        );
        assert_eq!(error(&[1], 0), "PAIR.First at byte 0x1000: the bytes end inside this field, 1 left");
    }

    #[test]
    fn an_inner_structure_keeps_its_names() {
        let bytes = [1, 0, 9, 0, 0, 0];
        let mut outer = structure("OUTER", field("Pair", pair));
        let place = match outer(&bytes) {
            Err(nom::Err::Error(fault)) => fault.place(&bytes, 0),
            other => panic!("{other:?}"),
        };
        assert_eq!(place, Place::field("PAIR", 0, "Second", 2));
    }
}
