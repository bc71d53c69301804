//! Text in buffers.

use nom::Parser;
use recount_bytes::parse::{Fault, Parsed, Reason, field, settle, structure};
use recount_bytes::{ByteOrder, Encoding, FormatError};

/// UTF-16 text, little endian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text<'a> {
    /// The text, two bytes per unit, without its terminator.
    pub units: &'a [u8],
    /// Whether a null follows. It does, except after the name of a single instance (MS-PCQ 3.1.4.1.7), and if
    /// there is no name at all.
    pub is_terminated: bool,
    /// The bytes after it: "MUST be uninitialized and MUST be ignored" (MS-PCQ 3.1.4.1.3).
    pub padding: &'a [u8],
}

/// Bytes of the terminator.
const LEN_NULL: usize = 2;

impl<'a> Text<'a> {
    /// Reads the buffer of request codes 3, 4, 7 and 9, a null-terminated string (MS-PCQ 3.1.4.1.2). `ofs` is where `bytes`
    /// starts in its file.
    ///
    /// Fails if there is no null.
    pub fn parse(bytes: &'a [u8], ofs: u64) -> Result<Text<'a>, FormatError> {
        settle(structure("string", field("null", Text::terminated)).parse(bytes), bytes, ofs)
    }

    /// Takes all of `i`, which must contain a null.
    pub(super) fn terminated(i: &'a [u8]) -> Parsed<'a, Text<'a>> {
        let text = Text::until_null(i);
        if text.is_terminated {
            return Ok((&[], text));
        }
        let at = i.get(text.units.len()..).unwrap_or_default();
        let mut fault = Fault::bytes(at, "a null that ends the string", at.len());
        if at.is_empty() {
            fault.reason = Reason::Ended;
        }
        Err(nom::Err::Error(fault))
    }

    /// Takes all of `i`, with or without a null.
    pub(super) fn until_null(i: &'a [u8]) -> Text<'a> {
        let (units, _) = i.as_chunks::<2>();
        let num_units = units.iter().position(|unit| *unit == [0, 0]);
        let len = num_units.unwrap_or(units.len()) * 2;
        let (units, rest) = i.split_at(len);
        let (null, padding) = rest.split_at(if num_units.is_some() { LEN_NULL } else { 0 });
        Text { units, is_terminated: !null.is_empty(), padding }
    }

    /// The text; unpaired surrogates become U+FFFD.
    pub fn to_string_lossy(&self) -> String {
        Encoding::Utf16(ByteOrder::Little).decode(self.units)
    }

    /// Whether it equals the text.
    pub fn is(&self, text: &str) -> bool {
        let (units, _) = self.units.as_chunks::<2>();
        units.iter().map(|unit| u16::from_le_bytes(*unit)).eq(text.encode_utf16())
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Length of text, terminator and padding in bytes.
    pub(super) fn len_padded(&self) -> usize {
        self.units.len() + if self.is_terminated { LEN_NULL } else { 0 } + self.padding.len()
    }

    /// Appends text, terminator and padding as they were read.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.units);
        out.extend_from_slice(if self.is_terminated { &[0; LEN_NULL] } else { &[] });
        out.extend_from_slice(self.padding);
    }

    /// Text as UTF-16 with a null. A null in the text ends it.
    pub fn encode(text: &str) -> Vec<u8> {
        let units = text.encode_utf16().take_while(|unit| *unit != 0).chain([0]);
        units.flat_map(u16::to_le_bytes).collect()
    }
}
