//! UTF-16LE text: NUL-terminated strings, borrowed from the file.

/// UTF-16LE code units, without their terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utf16<'a>(pub &'a [u8]);

impl Utf16<'_> {
    /// As text; unpaired surrogates become U+FFFD.
    pub fn to_text(self) -> String {
        char::decode_utf16(self.units()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }

    /// The code units.
    pub fn units(self) -> impl Iterator<Item = u16> {
        self.0.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
    }
}

/// The string at the start of `bytes`, up to its NUL or otherwise to the end, and the remaining bytes.
pub fn string(bytes: &[u8]) -> (Utf16<'_>, &[u8]) {
    match bytes.chunks_exact(2).position(|unit| unit == [0, 0]) {
        Some(at) => (Utf16(&bytes[..2 * at]), &bytes[2 * at + 2..]),
        None => (Utf16(&bytes[..bytes.len() & !1]), &[]),
    }
}

/// Consecutive strings.
pub fn strings(bytes: &[u8]) -> impl Iterator<Item = Utf16<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.len() < 2 {
            return None;
        }
        let (text, following) = string(rest);
        rest = following;
        Some(text)
    })
}

/// Text as NUL-terminated UTF-16LE.
pub fn encode(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_nul_or_at_the_end() {
        let mut bytes = encode("a\u{1F600}");
        bytes.extend(encode(""));
        bytes.extend([b'z', 0, 7]);
        let all: Vec<String> = strings(&bytes).map(Utf16::to_text).collect();
        assert_eq!(all, ["a\u{1F600}", "", "z"]);
        assert_eq!(Utf16(&[0x00, 0xD8]).to_text(), "\u{FFFD}");
    }
}
