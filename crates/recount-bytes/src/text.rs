//! Text in the encodings of a block.

use super::ByteOrder;

/// How the names of an object's instances are encoded, formats/perf-data-block.md#text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-16 in the block's byte order.
    Utf16(ByteOrder),
    /// Bytes in a Windows code page.
    CodePage(u32),
}

/// Characters of code page 1252 from 0x80 to 0x9F; the rest of it agrees with Unicode. The five bytes that
/// the page leaves undefined become U+FFFD.
const CP1252_C1: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž', '\u{fffd}',
    '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
];

impl Encoding {
    /// The text, up to its NUL or to the end if it has none. Invalid input becomes U+FFFD. So does any byte
    /// above 0x7F in a code page other than 65001 (UTF-8) and 1252, because a guess might give a wrong name.
    pub fn decode(self, bytes: &[u8]) -> String {
        match self {
            Encoding::Utf16(order) => decode_utf16(bytes, order),
            Encoding::CodePage(65001) => String::from_utf8_lossy(until_nul(bytes)).into_owned(),
            Encoding::CodePage(page) => {
                until_nul(bytes).iter().map(|&byte| decode_byte(byte, page)).collect()
            }
        }
    }
}

/// The bytes of a text whose first DWORD may be its length, without the DWORD itself. If that can't be, all of it is text:
/// as a length, two characters are a number that is far too large.
pub fn sized_text(data: &[u8], order: ByteOrder) -> &[u8] {
    let Some((len, rest)) = data.split_first_chunk() else { return data };
    let len = match order {
        ByteOrder::Little => u32::from_le_bytes(*len),
        ByteOrder::Big => u32::from_be_bytes(*len),
    };
    rest.get(..len as usize).unwrap_or(data)
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}

fn decode_byte(byte: u8, page: u32) -> char {
    match (byte, page) {
        (0..=0x7F, _) | (0xA0..=0xFF, 1252) => char::from(byte),
        (0x80..=0x9F, 1252) => CP1252_C1[usize::from(byte - 0x80)],
        _ => char::REPLACEMENT_CHARACTER,
    }
}

fn decode_utf16(bytes: &[u8], order: ByteOrder) -> String {
    let (units, odd) = bytes.as_chunks::<2>();
    let units = units.iter().map(|&unit| match order {
        ByteOrder::Little => u16::from_le_bytes(unit),
        ByteOrder::Big => u16::from_be_bytes(unit),
    });
    let mut ended = false;
    let text = char::decode_utf16(units.take_while(|&unit| {
        ended = unit == 0;
        !ended
    }))
    .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
    .collect::<String>();
    match odd {
        [byte] if !ended && *byte != 0 => text + "\u{fffd}",
        _ => text,
    }
}

/// UTF-16 in the given byte order, with a trailing NUL.
pub fn encode_utf16(text: &str, order: ByteOrder) -> Vec<u8> {
    let units = text.encode_utf16().chain([0]);
    match order {
        ByteOrder::Little => units.flat_map(u16::to_le_bytes).collect(),
        ByteOrder::Big => units.flat_map(u16::to_be_bytes).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_every_encoding() {
        let utf16 = Encoding::Utf16(ByteOrder::Little);
        assert_eq!(utf16.decode(b"a\0b\0\0\0c\0"), "ab");
        assert_eq!(utf16.decode(b"a\0b\0"), "ab", "without its NUL");
        assert_eq!(utf16.decode(b"a\0b"), "a\u{fffd}", "half a unit");
        assert_eq!(utf16.decode(&[0x3d, 0xd8, 0, 0]), "\u{fffd}", "half a pair");
        assert_eq!(Encoding::Utf16(ByteOrder::Big).decode(b"\0a\x20\xac"), "a€");
        assert_eq!(Encoding::CodePage(65001).decode("é€\0x".as_bytes()), "é€");
        assert_eq!(Encoding::CodePage(1252).decode(b"\x80\x81\x9f\xe9"), "€\u{fffd}Ÿé");
        assert_eq!(Encoding::CodePage(932).decode(b"C:\x83\x5c\0"), "C:\u{fffd}\\");
        assert_eq!(Encoding::CodePage(20127).decode(b""), "");
    }

    #[test]
    fn encodes_what_it_decodes() {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            assert_eq!(Encoding::Utf16(order).decode(&encode_utf16("Größe 💾", order)), "Größe 💾");
        }
    }
}
