//! What a parser returns, and why it fails.
//!
//! A [`Fault`] keeps the slice at which parsing failed. That costs nothing while parsing. The offset is
//! computed only when the fault is shown, from the position of the slice in the whole input.

use std::fmt;

use nom::IResult;
use nom::error::{ErrorKind, ParseError};
use recount_model::Place;

use crate::FormatError;

/// What a parser returns: the rest of the input and a value, or a [`Fault`].
pub type Parsed<'a, O> = IResult<&'a [u8], O, Fault<'a>>;

/// A parser that is a plain function.
pub type ParserFn<'a, O> = fn(&'a [u8]) -> Parsed<'a, O>;

/// Why a parser failed.
pub type Failed<'a> = nom::Err<Fault<'a>>;

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

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::AtLeast(min) => write!(f, "at least {min}"),
            Expected::AtMost(max) => write!(f, "at most {max}"),
            Expected::Described(what) => f.write_str(what),
        }
    }
}

impl Expected {
    /// What was expected of a number that isn't within `min..=max`.
    #[inline]
    pub fn unless_within(min: usize, max: usize, found: u32) -> Option<Expected> {
        match found as usize {
            found if found < min => Some(Expected::AtLeast(min as u64)),
            found if found > max => Some(Expected::AtMost(max as u64)),
            _ => None,
        }
    }
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

    /// The fault in a field of a structure, which starts at `start`.
    #[must_use]
    pub fn of(self, field: &'static str, structure: &'static str, start: &'a [u8]) -> Fault<'a> {
        Fault { field: Some(field), structure: Some((structure, start)), ..self }
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
                FormatError::Unexpected { place, expected: expected.to_string(), found: found.to_string() }
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

/// Offset of `part` in `whole`. It follows from their addresses, since both are slices of the same input; for
/// any other slice the offset is clamped to the whole.
pub fn ofs_within(whole: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().saturating_sub(whole.as_ptr().addr()).min(whole.len())
}
