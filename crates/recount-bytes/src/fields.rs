//! One list of fields per structure, for reading, writing and showing it.
//!
//! A structure names its fields once, in the order of the wire, in a function over [`Fields`]. [`by_fields`](crate::parse::by_fields)
//! makes a parser of it, a [`Writer`] appends them, and [`Lines`] prints them for a dump:
//!
//! ```
//! use recount_bytes::ByteOrder;
//! use recount_bytes::fields::{Fields, Lines, Writer};
//!
//! #[derive(Clone, Copy, Default)]
//! struct Head {
//!     version: u32,
//!     flags: u16,
//! }
//!
//! impl Head {
//!     fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
//!         f.field("version", &mut self.version)?;
//!         f.shown("flags", &mut self.flags, |flags| format!("{flags:#06x}"))
//!     }
//! }
//!
//! let mut head = Head { version: 7, flags: 0x20 };
//! let mut bytes = Vec::new();
//! head.fields(&mut Writer::new(ByteOrder::Little, &mut bytes))?;
//! assert_eq!(bytes, [7, 0, 0, 0, 0x20, 0]);
//!
//! let mut text = String::new();
//! let mut lines = Lines::new(&mut text);
//! lines.structure("head")?;
//! head.fields(&mut lines)?;
//! assert_eq!(text, "0x00000000 head\n0x00000000   version = 7\n0x00000004   flags = 0x0020\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::convert::Infallible;
use std::fmt::{self, Display};

use recount_model::Timestamp;

pub use crate::scalar::Scalar;
use crate::{ByteOrder, FormatError};

/// Converts a length, count or offset to the type of its field, for writing.
pub fn narrow<T: TryFrom<usize>>(
    value: usize,
    structure: &'static str,
    field: &'static str,
) -> Result<T, FormatError> {
    T::try_from(value).map_err(|_| FormatError::Unwritable { structure, field, value: value as u64 })
}

/// Visits the fields of a structure to read, write or show them.
pub trait Fields {
    /// Why it stops.
    type Error;

    /// A field that a dump shows in the form that `show` gives it.
    fn shown<T: Scalar, D: Display>(
        &mut self,
        name: &'static str,
        value: &mut T,
        show: impl FnOnce(T) -> D,
    ) -> Result<(), Self::Error>;

    /// A field that dumps leave out: padding, reserved words, left-over pointers.
    fn hidden<T: Scalar>(&mut self, name: &'static str, value: &mut T) -> Result<(), Self::Error>;

    /// A field that a dump shows as it is.
    #[inline]
    fn field<T: Scalar + Display>(&mut self, name: &'static str, value: &mut T) -> Result<(), Self::Error> {
        self.shown(name, value, |value| value)
    }

    /// A time, shown as its number and for people.
    fn time(&mut self, name: &'static str, value: &mut Timestamp) -> Result<(), Self::Error> {
        self.shown(name, value, |time| format!("{} ({time})", time.0))
    }

    /// A field that a reader accepts only if `is_valid`; otherwise the error says what was `expected`.
    #[inline]
    fn checked<T: Scalar + Display + Into<i64>>(
        &mut self,
        name: &'static str,
        value: &mut T,
        expected: &'static str,
        is_valid: impl Fn(T) -> bool,
    ) -> Result<(), Self::Error> {
        let _ = (expected, is_valid);
        self.field(name, value)
    }

    /// A length or offset. A reader accepts only `min..=max`.
    #[inline]
    fn bounded(
        &mut self,
        name: &'static str,
        value: &mut u32,
        min: usize,
        max: usize,
    ) -> Result<(), Self::Error> {
        let _ = (min, max);
        self.field(name, value)
    }
}

/// Appends fields.
pub struct Writer<'o> {
    order: ByteOrder,
    out: &'o mut Vec<u8>,
}

impl<'o> Writer<'o> {
    /// Appends to `out`.
    pub fn new(order: ByteOrder, out: &'o mut Vec<u8>) -> Writer<'o> {
        Writer { order, out }
    }
}

impl Fields for Writer<'_> {
    type Error = Infallible;

    fn shown<T: Scalar, D: Display>(
        &mut self,
        name: &'static str,
        value: &mut T,
        _: impl FnOnce(T) -> D,
    ) -> Result<(), Infallible> {
        self.hidden(name, value)
    }

    fn hidden<T: Scalar>(&mut self, _: &'static str, value: &mut T) -> Result<(), Infallible> {
        value.write(self.order, self.out);
        Ok(())
    }
}

/// The lines of a dump. Each begins with the file offset of what it shows, and is indented by structure.
pub struct Lines<'w> {
    out: &'w mut dyn fmt::Write,
    /// Where the next field is.
    ofs: u64,
    /// Maps offsets here to offsets in the file, if these differ.
    map: Option<&'w dyn Fn(u64) -> u64>,
    depth: usize,
    /// Whether what is shown takes no bytes of the file.
    is_compressed: bool,
}

impl<'w> Lines<'w> {
    /// For a structure at the beginning of its file.
    pub fn new(out: &'w mut dyn fmt::Write) -> Lines<'w> {
        Lines { out, ofs: 0, map: None, depth: 0, is_compressed: false }
    }

    /// For a structure scattered over the file: `map` returns the file offset of each offset in it.
    pub fn mapped(out: &'w mut dyn fmt::Write, map: &'w dyn Fn(u64) -> u64) -> Lines<'w> {
        Lines { map: Some(map), ..Lines::new(out) }
    }

    /// Indents by this many structures.
    pub fn indented(self, depth: usize) -> Lines<'w> {
        Lines { depth, ..self }
    }

    /// The same output for another structure, at offset 0 and without indent.
    pub fn anew(&mut self) -> Lines<'_> {
        Lines::new(self.out)
    }

    /// Goes to an offset.
    pub fn at(&mut self, ofs: u64) -> &mut Self {
        self.ofs = ofs;
        self
    }

    /// Where the next field is.
    pub fn ofs(&self) -> u64 {
        self.ofs
    }

    /// A heading for a structure that begins here. Its fields are indented deeper.
    pub fn structure(&mut self, what: impl Display) -> fmt::Result {
        let (ofs, indent) = (self.ofs_in_file(), 2 * self.depth);
        writeln!(self.out, "{ofs:#010x} {:indent$}{what}", "")
    }

    /// A field of `len` bytes.
    pub fn value(&mut self, name: impl Display, len: usize, value: impl Display) -> fmt::Result {
        let (ofs, indent) = (self.ofs_in_file(), 2 * self.depth + 2);
        writeln!(self.out, "{ofs:#010x} {:indent$}{name} = {value}", "")?;
        self.pass(len);
        Ok(())
    }

    /// Bytes without a meaning, if any.
    pub fn bytes(&mut self, name: impl Display, bytes: &[u8]) -> fmt::Result {
        if bytes.is_empty() { Ok(()) } else { self.value(name, bytes.len(), Hex(bytes)) }
    }

    /// What is wrong here.
    pub fn fault(&mut self, what: impl Display) -> fmt::Result {
        writeln!(self.out, "! {what}")
    }

    /// What is left out.
    pub fn note(&mut self, what: impl Display) -> fmt::Result {
        writeln!(self.out, "{what}")
    }

    /// Writes the lines of the contents of a structure, indented deeper.
    pub fn nested<E>(&mut self, inside: impl FnOnce(&mut Self) -> Result<(), E>) -> Result<(), E> {
        self.depth += 1;
        let written = inside(self);
        self.depth -= 1;
        written
    }

    /// Writes the lines of the data compressed here. It has no file offsets of its own, so all lines have this
    /// one.
    pub fn compressed<E>(&mut self, inside: impl FnOnce(&mut Self) -> Result<(), E>) -> Result<(), E> {
        self.is_compressed = true;
        let written = inside(self);
        self.is_compressed = false;
        written
    }

    fn pass(&mut self, len: usize) {
        self.ofs += if self.is_compressed { 0 } else { len as u64 };
    }

    fn ofs_in_file(&self) -> u64 {
        self.map.map_or(self.ofs, |map| map(self.ofs))
    }
}

impl Fields for Lines<'_> {
    type Error = fmt::Error;

    fn shown<T: Scalar, D: Display>(
        &mut self,
        name: &'static str,
        value: &mut T,
        show: impl FnOnce(T) -> D,
    ) -> fmt::Result {
        self.value(name, T::LEN, show(*value))
    }

    fn hidden<T: Scalar>(&mut self, _: &'static str, _: &mut T) -> fmt::Result {
        self.pass(T::LEN);
        Ok(())
    }
}

/// The first 64 bytes in hexadecimal.
pub struct Hex<'a>(pub &'a [u8]);

impl Hex<'_> {
    const MAX_SHOWN: usize = 64;
}

impl Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, byte) in self.0.iter().take(Self::MAX_SHOWN).enumerate() {
            write!(f, "{}{byte:02x}", if number > 0 { " " } else { "" })?;
        }
        if self.0.len() > Self::MAX_SHOWN { write!(f, " ... ({} bytes)", self.0.len()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;

    #[test]
    fn lines_follow_the_fields_and_their_map() {
        let mut text = String::new();
        let map = |ofs| if ofs < 4 { 0x100 + ofs } else { 0x200 + ofs };
        let mut lines = Lines::mapped(&mut text, &map).indented(1);
        lines.structure("pair").expect("text");
        lines.hidden("padding", &mut 0_u16).expect("text");
        lines.field("first", &mut 5_u16).expect("text");
        lines.nested(|lines| lines.field("second", &mut -1_i32)).expect("text");
        lines.bytes("rest", &[1; 65]).expect("text");
        lines.fault("cut off").expect("text");
        assert_eq!(lines.ofs(), 73);
        let expected = "0x00000100   pair\n0x00000102     first = 5\n0x00000204       second = -1\n0x00000208     rest = ";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with(" 01 ... (65 bytes)\n! cut off\n"), "{text}");
    }

    #[test]
    fn values_come_back_in_both_orders() {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let mut out = Vec::new();
            let mut writer = Writer::new(order, &mut out);
            let (mut word, mut time, mut raw) = (0x0102_0304_u32, Timestamp(-5), *b"abc");
            let written: Result<(), Infallible> = writer
                .hidden("word", &mut word)
                .and_then(|()| writer.hidden("time", &mut time))
                .and_then(|()| writer.bounded("len", &mut 3, 0, 0))
                .and_then(|()| writer.hidden("raw", &mut raw));
            assert_eq!(written, Ok(()));
            assert_eq!(u32::parse::<()>(&out, order), Ok((&out[4..], word)));
            assert_eq!(Timestamp::parse::<()>(&out[4..12], order), Ok((&[] as &[u8], time)));
            assert_eq!(<[u8; 3]>::parse::<()>(&out[16..], order), Ok((&[] as &[u8], raw)));
            assert!(u32::parse::<()>(&out[..3], order).is_err());
        }
    }
}
