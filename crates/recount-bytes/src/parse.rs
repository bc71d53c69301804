//! The parsers of structures: nom's, with errors that know structure, field and byte offset.
//!
//! [`by_fields`] makes the parser of a structure of its list of fields ([`Fields`]). Around structures, parsers are combined
//! by what nom has, and by what these formats have in common: [`sized`] for a structure that states its own length,
//! [`Sequence`] for structures one after the other, and [`within`], [`field`] and [`structure`].
//!
//! ```
//! use recount_bytes::fields::Fields;
//! use recount_bytes::parse::{Parsed, by_fields, settle, sized};
//! use recount_bytes::ByteOrder;
//!
//! #[derive(Clone, Copy, Default)]
//! struct Head {
//!     len: u16,
//!     flags: u16,
//! }
//!
//! impl Head {
//!     fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
//!         f.field("len", &mut self.len)?;
//!         f.field("flags", &mut self.flags)
//!     }
//! }
//!
//! fn head(i: &[u8]) -> Parsed<'_, Head> {
//!     by_fields("head", ByteOrder::Little, Head::fields)(i)
//! }
//!
//! let bytes = [6, 0, 0x20, 0, 7, 7, 8];
//! let (rest, (read, whole)) = sized(head, |head| head.len.into())(&bytes).expect("whole");
//! assert_eq!((read.flags, whole, rest), (0x20, &bytes[..6], &bytes[6..]));
//!
//! let error = settle(head(&bytes[..3]), &bytes, 0x1000).err().expect("too short");
//! assert_eq!(
//!     error.to_string(),
//!     "head.flags at byte 0x1002 (structure starts at 0x1000): the bytes end inside this field, 1 left"
//! );
//! ```

#![expect(
    clippy::inline_always,
    reason = "a structure's parser is many small ones; compiled as one, they cost nothing (benches/README.md)"
)]

use std::fmt::{self, Display};

use nom::bytes::complete::take;
use recount_model::Place;

pub use crate::fault::{Expected, Failed, Fault, Parsed, ParserFn, Reason, ofs_within};
use crate::fields::Fields;
use crate::scalar::Scalar;
use crate::{ByteOrder, FormatError};

/// The parser of a structure, made of its list of fields.
#[inline(always)]
pub fn by_fields<'a, T: Default>(
    name: &'static str,
    order: ByteOrder,
    mut fields: impl FnMut(&mut T, &mut Reader<'a>) -> Result<(), Failed<'a>>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, T> {
    move |i| {
        let mut reader = Reader::new(name, i, order);
        let mut read = T::default();
        fields(&mut read, &mut reader)?;
        Ok((reader.rest, read))
    }
}

/// A structure that is being parsed: its fields, one after the other.
pub struct Reader<'a> {
    structure: &'static str,
    start: &'a [u8],
    rest: &'a [u8],
    order: ByteOrder,
}

impl<'a> Reader<'a> {
    /// For the structure called `name` at the start of `i`; [`by_fields`] suffices for most.
    #[inline(always)]
    pub fn new(name: &'static str, i: &'a [u8], order: ByteOrder) -> Reader<'a> {
        Reader { structure: name, start: i, rest: i, order }
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next field, by its parser.
    #[inline(always)]
    pub fn parse<O>(
        &mut self,
        field: &'static str,
        mut parser: impl FnMut(&'a [u8]) -> Parsed<'a, O>,
    ) -> Result<O, Failed<'a>> {
        match parser(self.rest) {
            Ok((rest, value)) => {
                self.rest = rest;
                Ok(value)
            }
            Err(error) => Err(self.named(error, field)),
        }
    }

    /// The next `len` bytes.
    #[inline]
    pub fn take(&mut self, field: &'static str, len: usize) -> Result<&'a [u8], Failed<'a>> {
        self.parse(field, take(len))
    }

    /// A failure in a field of the structure. The field begins at `at`.
    #[cold]
    pub fn failed(&self, field: &'static str, at: &'a [u8], reason: Reason) -> Failed<'a> {
        nom::Err::Error(Fault {
            at,
            field: Some(field),
            structure: Some((self.structure, self.start)),
            reason,
        })
    }

    /// A structure inside the field has named itself and its own field.
    #[cold]
    fn named(&self, error: Failed<'a>, field: &'static str) -> Failed<'a> {
        named_structure(named_field(error, field), self.structure, self.start)
    }
}

/// A fault belongs to a structure and its field: the innermost that name it.
impl<'a> Fields for Reader<'a> {
    type Error = Failed<'a>;

    #[inline(always)]
    fn shown<T: Scalar, D: Display>(
        &mut self,
        name: &'static str,
        value: &mut T,
        _: impl FnOnce(T) -> D,
    ) -> Result<(), Failed<'a>> {
        self.hidden(name, value)
    }

    #[inline(always)]
    fn hidden<T: Scalar>(&mut self, name: &'static str, value: &mut T) -> Result<(), Failed<'a>> {
        match T::parse::<()>(self.rest, self.order) {
            Ok((rest, read)) => {
                (self.rest, *value) = (rest, read);
                Ok(())
            }
            Err(_) => Err(self.failed(name, self.rest, Reason::Ended)),
        }
    }

    #[inline(always)]
    fn checked<T: Scalar + Display + Into<i64>>(
        &mut self,
        name: &'static str,
        value: &mut T,
        expected: &'static str,
        is_valid: impl Fn(T) -> bool,
    ) -> Result<(), Failed<'a>> {
        let at = self.rest;
        self.hidden(name, value)?;
        if is_valid(*value) {
            return Ok(());
        }
        let reason = Reason::Number { expected: Expected::Described(expected), found: (*value).into() };
        Err(self.failed(name, at, reason))
    }

    #[inline(always)]
    fn bounded(
        &mut self,
        name: &'static str,
        value: &mut u32,
        min: usize,
        max: usize,
    ) -> Result<(), Failed<'a>> {
        let at = self.rest;
        self.hidden(name, value)?;
        match Expected::unless_within(min, max, *value) {
            None => Ok(()),
            Some(expected) => {
                Err(self.failed(name, at, Reason::Number { expected, found: i64::from(*value) }))
            }
        }
    }
}

/// Names the field that `parser` reads.
#[inline]
pub fn field<'a, O>(
    name: &'static str,
    mut parser: impl FnMut(&'a [u8]) -> Parsed<'a, O>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, O> {
    move |i| parser(i).map_err(|error| named_field(error, name))
}

/// Names the structure that `parser` reads, and remembers where it starts.
#[inline]
pub fn structure<'a, O>(
    name: &'static str,
    mut parser: impl FnMut(&'a [u8]) -> Parsed<'a, O>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, O> {
    move |i| parser(i).map_err(|error| named_structure(error, name, i))
}

#[cold]
fn named_field<'a>(error: Failed<'a>, name: &'static str) -> Failed<'a> {
    error.map(|mut fault| {
        // A structure inside this field has named its own field.
        if fault.structure.is_none() {
            fault.field.get_or_insert(name);
        }
        fault
    })
}

#[cold]
fn named_structure<'a>(error: Failed<'a>, name: &'static str, start: &'a [u8]) -> Failed<'a> {
    error.map(|mut fault| {
        fault.structure.get_or_insert((name, start));
        fault
    })
}

/// Accepts only `min..=max`: a length or offset that has to stay inside its structure.
#[inline(always)]
pub fn within<'a>(
    min: usize,
    max: usize,
    mut parser: impl FnMut(&'a [u8]) -> Parsed<'a, u32>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, u32> {
    move |i| {
        let (rest, value) = parser(i)?;
        match Expected::unless_within(min, max, value) {
            None => Ok((rest, value)),
            Some(expected) => Err(nom::Err::Error(Fault::number(i, expected, value))),
        }
    }
}

/// A structure that states its own length: what its `head` has, and all of its bytes, which the head found to be there.
#[inline(always)]
pub fn sized<'a, O>(
    mut head: impl FnMut(&'a [u8]) -> Parsed<'a, O>,
    len: impl Fn(&O) -> usize,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, (O, &'a [u8])> {
    move |i| {
        let (_, head) = head(i)?;
        let (rest, bytes) = take(len(&head))(i)?;
        Ok((rest, (head, bytes)))
    }
}

/// Structures one after the other. Each is parsed when it is asked for, so nothing is allocated. One that can't be parsed is
/// the last item: where the next would begin isn't known.
#[derive(Clone)]
pub struct Sequence<'a, P> {
    parser: P,
    whole: &'a [u8],
    ofs_in_file: u64,
    rest: &'a [u8],
    /// `None`: up to the end of the bytes.
    num_left: Option<u32>,
}

impl<'a, P> Sequence<'a, P> {
    /// A number of structures, which begin `i`, a part of `whole`, which starts at `ofs_in_file`.
    pub fn counted(
        num: u32,
        parser: P,
        i: &'a [u8],
        (whole, ofs_in_file): (&'a [u8], u64),
    ) -> Sequence<'a, P> {
        Sequence { parser, whole, ofs_in_file, rest: i, num_left: Some(num) }
    }

    /// As many as there are up to the end of `whole`, which starts at `ofs_in_file`.
    pub fn to_end(parser: P, whole: &'a [u8], ofs_in_file: u64) -> Sequence<'a, P> {
        Sequence { parser, whole, ofs_in_file, rest: whole, num_left: None }
    }

    /// The bytes after the structures parsed so far.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a, O, P: FnMut(&'a [u8]) -> Parsed<'a, O>> Iterator for Sequence<'a, P> {
    type Item = Result<O, FormatError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.num_left {
            Some(num_left) => *num_left = num_left.checked_sub(1)?,
            None if self.rest.is_empty() => return None,
            None => {}
        }
        match (self.parser)(self.rest) {
            Ok((rest, item)) => {
                self.rest = rest;
                Some(Ok(item))
            }
            Err(error) => {
                self.num_left = Some(0);
                Some(Err(owned(error, self.whole, self.ofs_in_file)))
            }
        }
    }
}

impl<P> fmt::Debug for Sequence<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sequence { rest, num_left, .. } = self;
        f.debug_struct("Sequence").field("rest", rest).field("num_left", num_left).finish_non_exhaustive()
    }
}

/// Ends a parse: the value, or the owned error.
pub fn settle<O>(result: Parsed<'_, O>, whole: &[u8], ofs_in_file: u64) -> Result<O, FormatError> {
    result.map(|(_, value)| value).map_err(|error| owned(error, whole, ofs_in_file))
}

/// A failure as the owned error.
#[cold]
pub fn owned(error: Failed<'_>, whole: &[u8], ofs_in_file: u64) -> FormatError {
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
        })(i)
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
