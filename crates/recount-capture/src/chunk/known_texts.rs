//! Texts that are frequent in logs of Windows, by number (`formats/rcap.md#known-texts`).

use std::collections::HashMap;
use std::sync::LazyLock;

/// A text a line, in the order of their numbers. It never changes: packed files refer to it.
const LINES: &str = include_str!("../../data/known-texts.txt");

/// UTF-16 with a NUL, little endian.
static TEXTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let bytes = |line: &str| line.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    LINES.lines().map(bytes).collect()
});

static NUMBERS: LazyLock<HashMap<&[u8], u64>> =
    LazyLock::new(|| TEXTS.iter().map(Vec::as_slice).zip(0..).collect());

/// The bytes of a text.
pub(super) fn text(number: u64) -> Option<&'static [u8]> {
    TEXTS.get(usize::try_from(number).ok()?).map(Vec::as_slice)
}

/// The number of the text that is made of these bytes.
pub(super) fn number(bytes: &[u8]) -> Option<u64> {
    NUMBERS.get(bytes).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packed files contain indices into this table: adding, removing or moving a text would change them.
    #[test]
    fn the_table_is_what_it_was() {
        assert_eq!((LINES.lines().count(), LINES.len()), (1_892, 48_674));
        assert_eq!(crc32c::crc32c(LINES.as_bytes()), 0xB8D9_68D0);
    }

    #[test]
    fn every_text_has_one_number() {
        for (at, text) in TEXTS.iter().enumerate() {
            assert_eq!(number(text), Some(at as u64));
            assert!(text.len() > 2);
        }
        assert_eq!(text(0), Some(&b"R\0A\0S\0\0\0"[..]));
        assert_eq!((number(b"R\0A\0S\0"), number(b"RAS\0"), text(u64::MAX)), (None, None, None));
    }
}
