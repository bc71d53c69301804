//! GUIDs, and lists of them.

use std::fmt;
use std::str::FromStr;

use nom::error::ParseError;
use nom::{IResult, Parser};
use recount_bytes::fields::Scalar;
use recount_bytes::parse::{Parsed, Sequence, field, settle, structure};
use recount_bytes::{ByteOrder, FormatError};
use uuid::Uuid;

use super::end;

/// A GUID as stored in a buffer: three little-endian numbers and eight bytes (MS-PCQ 2.2.4, which has all
/// multibyte fields little-endian).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(pub [u8; 16]);

impl Guid {
    /// Length in bytes.
    pub const LEN: usize = 16;

    /// Reads the buffer of request code 8, the GUID of a provider (MS-PCQ 3.1.4.1.2). `ofs` is where `bytes` starts in its
    /// file.
    ///
    /// Fails unless there are 16 bytes.
    pub fn parse(bytes: &[u8], ofs: u64) -> Result<Guid, FormatError> {
        let alone = structure("provider GUID", |i| {
            let (i, guid) = field("GUID", Guid::read)(i)?;
            let (i, ()) = end(i)?;
            Ok((i, guid))
        })
        .parse(bytes);
        settle(alone, bytes, ofs)
    }

    /// Appends the 16 bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    pub(super) fn read(i: &[u8]) -> Parsed<'_, Guid> {
        Scalar::parse(i, ByteOrder::Little)
    }
}

/// Reads the buffer of `PerflibV2EnumerateCounterSet`: a plain sequence of GUIDs (MS-PCQ 3.1.4.1.1).
///
/// Fails if the last one is cut short.
pub fn parse_guids(bytes: &[u8], ofs: u64) -> Result<Vec<Guid>, FormatError> {
    Sequence::to_end(structure("counterset GUIDs", field("GUID", Guid::read)), bytes, ofs).collect()
}

impl Scalar for Guid {
    const LEN: usize = 16;

    fn parse<'a, E: ParseError<&'a [u8]>>(i: &'a [u8], order: ByteOrder) -> IResult<&'a [u8], Guid, E> {
        (|i| Scalar::parse(i, order)).map(Guid).parse_complete(i)
    }

    fn write(self, order: ByteOrder, out: &mut Vec<u8>) {
        Scalar::write(self.0, order, out);
    }
}

/// `f9fb0e1c-8b1f-4b1e-8d53-3f5d1c9e0a11`
impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Uuid::from_bytes_le(self.0), f)
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guid({self})")
    }
}

/// Text that isn't a GUID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a GUID such as f9fb0e1c-8b1f-4b1e-8d53-3f5d1c9e0a11, found {text:?}")]
pub struct GuidError {
    text: String,
}

/// From 32 hexadecimal digits, with or without hyphens and braces.
impl FromStr for Guid {
    type Err = GuidError;

    fn from_str(text: &str) -> Result<Guid, GuidError> {
        let uuid = Uuid::parse_str(text).map_err(|_| GuidError { text: text.chars().take(50).collect() })?;
        Ok(Guid(uuid.to_bytes_le()))
    }
}
