//! The text as UTF-8, whatever it came as, and the way back to offsets in the file.

use std::ops::Range;
use std::sync::Arc;

use recount_model::{Content, FindingKind, Health, Place};

/// Distance of the marks that lead from offsets in transcoded text back to offsets in the file, bytes of text.
const LEN_MARK: usize = 4096;

/// How the file was encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8, or any code page that agrees with it in ASCII; `len_mark` bytes of byte order mark.
    Narrow { len_mark: usize },
    /// UTF-16 behind a byte order mark.
    Utf16 { big_endian: bool },
}

impl Encoding {
    /// By the byte order mark.
    pub(super) fn of(bytes: &[u8]) -> Encoding {
        match bytes {
            [0xEF, 0xBB, 0xBF, ..] => Encoding::Narrow { len_mark: 3 },
            [0xFF, 0xFE, ..] => Encoding::Utf16 { big_endian: false },
            [0xFE, 0xFF, ..] => Encoding::Utf16 { big_endian: true },
            _ => Encoding::Narrow { len_mark: 0 },
        }
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Encoding::Narrow { len_mark: 0 } => "UTF-8 or ANSI",
            Encoding::Narrow { .. } => "UTF-8",
            Encoding::Utf16 { big_endian: false } => "UTF-16LE",
            Encoding::Utf16 { big_endian: true } => "UTF-16BE",
        }
    }
}

/// The text of a file. All offsets elsewhere in the reader are offsets in [`Text::bytes`].
pub(super) struct Text {
    content: Arc<dyn Content>,
    pub(super) encoding: Encoding,
    /// The transcoded text of an UTF-16 file.
    transcoded: Vec<u8>,
    /// For every [`LEN_MARK`] bytes of transcoded text, the first character that begins there or after: its
    /// offset in the text and in the file.
    marks: Vec<(usize, u64)>,
}

impl Text {
    /// Takes a file as it is if its text is, and transcodes UTF-16.
    pub(super) fn of(content: Arc<dyn Content>, health: &mut Health) -> Text {
        let encoding = Encoding::of(content.bytes());
        let (mut transcoded, mut marks) = (Vec::new(), Vec::new());
        if let Encoding::Utf16 { big_endian } = encoding {
            (transcoded, marks) = transcode(content.bytes(), big_endian, health);
        }
        Text { content, encoding, transcoded, marks }
    }

    /// The text, without byte order mark.
    pub(super) fn bytes(&self) -> &[u8] {
        match self.encoding {
            Encoding::Narrow { len_mark } => self.content.bytes().get(len_mark..).unwrap_or_default(),
            Encoding::Utf16 { .. } => &self.transcoded,
        }
    }

    /// The offset in the file of an offset in the text.
    pub(super) fn ofs_in_file(&self, ofs: usize) -> u64 {
        let Encoding::Narrow { len_mark } = self.encoding else {
            let after = self.marks.partition_point(|&(ofs_text, _)| ofs_text <= ofs);
            let (from, ofs_file) = after.checked_sub(1).map_or((0, 2), |at| self.marks[at]);
            let between = self.transcoded.get(from..ofs).unwrap_or_default();
            return ofs_file + between.iter().map(|&byte| len_utf16(byte)).sum::<u64>();
        };
        (ofs + len_mark) as u64
    }

    /// Tells a mapped file that a range of the text was read.
    pub(super) fn release(&self, range: Range<usize>) {
        if let Encoding::Narrow { len_mark } = self.encoding {
            self.content.release(range.start + len_mark..range.end + len_mark);
        }
    }
}

/// Bytes of UTF-16 that the character takes whose UTF-8 begins with this byte; 0 for its other bytes.
const fn len_utf16(byte: u8) -> u64 {
    match byte {
        0x80..=0xBF => 0,
        0xF0.. => 4,
        _ => 2,
    }
}

fn transcode(bytes: &[u8], big_endian: bool, health: &mut Health) -> (Vec<u8>, Vec<(usize, u64)>) {
    let body = bytes.get(2..).unwrap_or_default();
    let (pairs, odd) = body.as_chunks::<2>();
    if !odd.is_empty() {
        let place = Place::at(bytes.len() as u64 - 1);
        health.note(FindingKind::Truncated, place, "half a UTF-16 unit at the end is left out");
    }
    let units = pairs
        .iter()
        .map(|&pair| if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) });
    // Text of this kind is nearly all ASCII: one byte per unit, with room for a few that take more.
    let mut text = Vec::with_capacity(pairs.len() + pairs.len() / 16);
    let mut marks = Vec::new();
    let (mut ofs_file, mut next_mark) = (2_u64, 0);
    for unit in char::decode_utf16(units) {
        if text.len() >= next_mark {
            marks.push((text.len(), ofs_file));
            next_mark = text.len() + LEN_MARK;
        }
        let character = unit.unwrap_or_else(|_| {
            health.note(FindingKind::Damaged, Place::at(ofs_file), "half a UTF-16 surrogate pair");
            char::REPLACEMENT_CHARACTER
        });
        ofs_file += character.len_utf16() as u64 * 2;
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    (text, marks)
}

/// A short piece of foreign bytes, fit to stand in a message.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const LEN_SHOWN: usize = 40;
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(LEN_SHOWN)]);
    format!("{shown}{}", if bytes.len() > LEN_SHOWN { "..." } else { "" })
}

/// Text in UTF-8 or, if it isn't that, in Windows' Western code page; and whether it was the latter.
///
/// Tools write the code page of their machine, which the file doesn't name. Windows-1252 is the likeliest, and
/// taking it keeps names apart that differ in those characters only.
pub(super) fn decode_narrow(bytes: &[u8]) -> (String, bool) {
    match str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (bytes.iter().map(|&byte| from_windows_1252(byte)).collect(), true),
    }
}

fn from_windows_1252(byte: u8) -> char {
    // 0x80 to 0x9F; the five bytes that are unassigned stand for the control characters of ISO 8859-1.
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9F => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_into_utf16() {
        let source: String = "aé€😀\r\n".repeat(3000);
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend(source.encode_utf16().flat_map(u16::to_le_bytes));
        let mut health = Health::default();
        let text = Text::of(Arc::new(bytes), &mut health);
        assert_eq!(text.bytes(), source.as_bytes());
        let mut ofs_file = 2;
        for (ofs, character) in source.char_indices() {
            assert_eq!(text.ofs_in_file(ofs), ofs_file);
            ofs_file += character.len_utf16() as u64 * 2;
        }
        assert!(health.is_sound());
    }

    #[test]
    fn broken_utf16_is_noted_where_it_is() {
        let mut health = Health::default();
        let text = Text::of(Arc::new(vec![0xFE, 0xFF, 0, b'a', 0xD8, 0, 0, b'b', 7]), &mut health);
        assert_eq!(text.bytes(), "a\u{FFFD}b".as_bytes());
        let places: Vec<_> = health.findings().iter().map(|f| f.place.clone().map(|p| p.ofs)).collect();
        assert_eq!(places, [Some(8), Some(4)]);
    }

    #[test]
    fn ansi_text_is_taken_as_western() {
        assert_eq!(decode_narrow(b"Verf\xFCgbare \x80"), ("Verfügbare €".to_owned(), true));
        assert_eq!(decode_narrow("ü".as_bytes()), ("ü".to_owned(), false));
    }
}
