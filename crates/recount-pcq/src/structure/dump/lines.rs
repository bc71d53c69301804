//! Lines of a dump.

use std::fmt::{self, Display, Write};

use recount_bytes::FormatError;

use crate::Text;

/// Writes lines, and counts the bytes that they show.
pub(super) struct Lines<'w, W> {
    pub(super) out: &'w mut W,
    /// Where the next field is in the file.
    pub(super) ofs: u64,
    pub(super) depth: usize,
}

impl<W: Write> Lines<'_, W> {
    /// The start of a structure, with its number among structures of that name. Fields that follow are indented deeper.
    pub(super) fn structure(&mut self, name: &str, number: impl Display) -> fmt::Result {
        writeln!(self.out, "{:#010x} {:indent$}{name}{number}", self.ofs, "", indent = 2 * self.depth)
    }

    /// A field of `len` bytes.
    pub(super) fn field(&mut self, name: &str, len: usize, value: impl Display) -> fmt::Result {
        writeln!(self.out, "{:#010x} {:indent$}{name} = {value}", self.ofs, "", indent = 2 * self.depth + 2)?;
        self.ofs += len as u64;
        Ok(())
    }

    /// A field of 4 bytes.
    pub(super) fn word(&mut self, name: &str, value: impl Display) -> fmt::Result {
        self.field(name, 4, value)
    }

    /// A field of 8 bytes.
    pub(super) fn long(&mut self, name: &str, value: impl Display) -> fmt::Result {
        self.field(name, 8, value)
    }

    /// Bytes without a meaning, if there are any.
    pub(super) fn bytes(&mut self, name: &str, bytes: &[u8]) -> fmt::Result {
        if bytes.is_empty() { Ok(()) } else { self.field(name, bytes.len(), Hex(bytes)) }
    }

    /// Text, its null, and its padding.
    pub(super) fn text(&mut self, name: &str, text: &Text<'_>) -> fmt::Result {
        let len = text.len_padded() - text.padding.len();
        if len > 0 {
            self.field(name, len, format_args!("{:?}", text.to_string_lossy()))?;
        }
        self.bytes("padding", text.padding)
    }

    pub(super) fn error(&mut self, error: &FormatError) -> fmt::Result {
        writeln!(self.out, "! {error}")
    }

    /// Lines of what is inside.
    pub(super) fn nested(&mut self, inside: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.depth += 1;
        let written = inside(self);
        self.depth -= 1;
        written
    }
}

/// The first bytes in hexadecimal.
pub(super) struct Hex<'a>(pub(super) &'a [u8]);

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
