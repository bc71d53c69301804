//! Values of fixed length: how each is parsed and written.

#![expect(
    clippy::inline_always,
    reason = "a structure's parser is many small ones; compiled as one, they cost nothing (benches/README.md)"
)]

use nom::bytes::complete::take;
use nom::error::{ErrorKind, ParseError};
use nom::multi::fill;
use nom::number;
use nom::{IResult, Parser};
use recount_model::{CounterType, Timestamp};

use crate::{ByteOrder, SystemTime};

/// A value of fixed length.
pub trait Scalar: Copy {
    /// Length in bytes.
    const LEN: usize;

    /// Parses the value from the first [`LEN`](Self::LEN) bytes. It fails only if there are fewer.
    fn parse<'a, E: ParseError<&'a [u8]>>(i: &'a [u8], order: ByteOrder) -> IResult<&'a [u8], Self, E>;

    /// Appends the value.
    fn write(self, order: ByteOrder, out: &mut Vec<u8>);
}

macro_rules! integers {
    ($($type:ident $little:ident $big:ident),*) => {$(
        impl Scalar for $type {
            const LEN: usize = size_of::<$type>();

            #[inline(always)]
            fn parse<'a, E: ParseError<&'a [u8]>>(i: &'a [u8], order: ByteOrder) -> IResult<&'a [u8], $type, E> {
                match order {
                    ByteOrder::Little => number::$little().parse_complete(i),
                    ByteOrder::Big => number::$big().parse_complete(i),
                }
            }

            fn write(self, order: ByteOrder, out: &mut Vec<u8>) {
                match order {
                    ByteOrder::Little => out.extend(self.to_le_bytes()),
                    ByteOrder::Big => out.extend(self.to_be_bytes()),
                }
            }
        }
    )*};
}

integers!(
    u8 le_u8 be_u8,
    u16 le_u16 be_u16,
    u32 le_u32 be_u32,
    i32 le_i32 be_i32,
    u64 le_u64 be_u64,
    i64 le_i64 be_i64
);

/// Uninterpreted bytes.
impl<const N: usize> Scalar for [u8; N] {
    const LEN: usize = N;

    #[inline(always)]
    fn parse<'a, E: ParseError<&'a [u8]>>(i: &'a [u8], _: ByteOrder) -> IResult<&'a [u8], [u8; N], E> {
        let (rest, bytes) = take(N)(i)?;
        match bytes.try_into() {
            Ok(bytes) => Ok((rest, bytes)),
            Err(_) => Err(nom::Err::Error(E::from_error_kind(i, ErrorKind::Eof))),
        }
    }

    fn write(self, _: ByteOrder, out: &mut Vec<u8>) {
        out.extend(self);
    }
}

/// `FILETIME`.
impl Scalar for Timestamp {
    const LEN: usize = 8;

    #[inline(always)]
    fn parse<'a, E: ParseError<&'a [u8]>>(i: &'a [u8], order: ByteOrder) -> IResult<&'a [u8], Timestamp, E> {
        let (rest, ticks) = i64::parse(i, order)?;
        Ok((rest, Timestamp(ticks)))
    }

    fn write(self, order: ByteOrder, out: &mut Vec<u8>) {
        self.0.write(order, out);
    }
}

/// A type word.
impl Scalar for CounterType {
    const LEN: usize = 4;

    #[inline(always)]
    fn parse<'a, E: ParseError<&'a [u8]>>(
        i: &'a [u8],
        order: ByteOrder,
    ) -> IResult<&'a [u8], CounterType, E> {
        let (rest, word) = u32::parse(i, order)?;
        Ok((rest, CounterType(word)))
    }

    fn write(self, order: ByteOrder, out: &mut Vec<u8>) {
        self.0.write(order, out);
    }
}

impl Scalar for SystemTime {
    const LEN: usize = 16;

    #[inline]
    fn parse<'a, E: ParseError<&'a [u8]>>(i: &'a [u8], order: ByteOrder) -> IResult<&'a [u8], SystemTime, E> {
        let mut words = [0; 8];
        let (rest, ()) = fill(|i| u16::parse(i, order), &mut words).parse(i)?;
        Ok((rest, SystemTime::from_words(words)))
    }

    fn write(self, order: ByteOrder, out: &mut Vec<u8>) {
        self.words().into_iter().for_each(|word| word.write(order, out));
    }
}
