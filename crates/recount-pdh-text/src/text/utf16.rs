//! UTF-16, transcoded to UTF-8.

use recount_model::{FindingKind, Health, Place};

/// Distance, in bytes of text, between the marks that map offsets in transcoded text to offsets in the file.
const LEN_MARK: usize = 4096;

/// The order of the bytes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

/// UTF-16 as UTF-8.
pub(crate) struct Utf16Text {
    text: Vec<u8>,
    /// Offset of the first unit in the file.
    ofs_first: u64,
    /// For every [`LEN_MARK`] bytes of text, the offset in the text and in the file of the first character
    /// that begins there or later.
    marks: Vec<(usize, u64)>,
}

impl Utf16Text {
    /// Transcodes a file, without its byte order mark.
    pub(crate) fn of(file: &[u8], len_mark: usize, order: ByteOrder, health: &mut Health) -> Utf16Text {
        let (pairs, odd) = file.get(len_mark..).unwrap_or_default().as_chunks::<2>();
        if !odd.is_empty() {
            let place = Place::at(file.len() as u64 - 1);
            health.note(FindingKind::Truncated, place, "half a UTF-16 unit at the end is left out");
        }
        let units = pairs.iter().map(|&pair| match order {
            ByteOrder::Little => u16::from_le_bytes(pair),
            ByteOrder::Big => u16::from_be_bytes(pair),
        });
        let ofs_first = len_mark as u64;
        // Such text is nearly all ASCII: one byte per unit, plus room for a few longer ones.
        let mut text = Vec::with_capacity(pairs.len() + pairs.len() / 16);
        let mut marks = Vec::new();
        let (mut ofs_file, mut next_mark) = (ofs_first, 0);
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
        Utf16Text { text, ofs_first, marks }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// The offset in the file of an offset in the text.
    pub(crate) fn ofs_in_file(&self, ofs: usize) -> u64 {
        let after = self.marks.partition_point(|&(ofs_text, _)| ofs_text <= ofs);
        let (from, ofs_file) = after.checked_sub(1).map_or((0, self.ofs_first), |at| self.marks[at]);
        let between = self.text.get(from..ofs).unwrap_or_default();
        ofs_file + between.iter().map(|&byte| len_utf16(byte)).sum::<u64>()
    }
}

/// Length in UTF-16, in bytes, of a character whose UTF-8 begins with this byte; 0 for continuation bytes.
const fn len_utf16(byte: u8) -> u64 {
    match byte {
        0x80..=0xBF => 0,
        0xF0.. => 4,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_to_the_file() {
        let source: String = "aé€😀\r\n".repeat(3000);
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend(source.encode_utf16().flat_map(u16::to_le_bytes));
        let mut health = Health::default();
        let text = Utf16Text::of(&bytes, 2, ByteOrder::Little, &mut health);
        assert_eq!(text.bytes(), source.as_bytes());
        let mut ofs_file = 2;
        for (ofs, character) in source.char_indices() {
            assert_eq!(text.ofs_in_file(ofs), ofs_file);
            ofs_file += character.len_utf16() as u64 * 2;
        }
        assert!(health.is_sound());
    }

    #[test]
    fn damage_is_noted_where_it_is() {
        let mut health = Health::default();
        let file = [0xFE, 0xFF, 0, b'a', 0xD8, 0, 0, b'b', 7];
        let text = Utf16Text::of(&file, 2, ByteOrder::Big, &mut health);
        assert_eq!(text.bytes(), "a\u{FFFD}b".as_bytes());
        let places: Vec<_> = health.findings().iter().map(|f| f.place.clone().map(|p| p.ofs)).collect();
        assert_eq!(places, [Some(8), Some(4)]);
    }
}
