//! Name tables: from the indexes in a block to names.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The contents of the registry values `Counter 009` and `Help 009` (or those of another language), merged or
/// separate: formats/perf-data-block.md#names. Names have even indexes and help texts odd ones on Windows, so
/// both fit one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameTable {
    texts: BTreeMap<u32, Arc<str>>,
    num_skipped: usize,
}

/// What a file of names has: UTF-16, recognised by its byte order mark or (LE) by its zero bytes, or UTF-8. What isn't text has U+FFFD in its
/// place.
pub fn text_of_names(bytes: &[u8]) -> String {
    if bytes.starts_with(&[0xFE, 0xFF]) {
        let swapped: Vec<u8> = bytes.as_chunks::<2>().0.iter().flat_map(|&[high, low]| [low, high]).collect();
        utf16_text(&swapped)
    } else if bytes.starts_with(&[0xFF, 0xFE]) || bytes.get(1) == Some(&0) {
        utf16_text(bytes)
    } else {
        String::from_utf8_lossy(bytes).trim_start_matches('\u{feff}').to_owned()
    }
}

fn utf16_text(bytes: &[u8]) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|&unit| u16::from_le_bytes(unit));
    let text: String =
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.trim_start_matches('\u{feff}').to_owned()
}

impl NameTable {
    /// A table without names.
    pub fn new() -> NameTable {
        NameTable::default()
    }

    /// Reads a table file: `REG_MULTI_SZ` in UTF-16LE (recognised by its zero bytes or its byte order mark),
    /// or the same strings as lines of UTF-8 text. Never fails: strings that should be an index but aren't
    /// are skipped and counted.
    pub fn parse(bytes: &[u8]) -> NameTable {
        NameTable::of(&text_of_names(bytes))
    }

    /// Reads a `REG_MULTI_SZ` in UTF-16LE. If there is no NUL at all, the strings are taken to be lines.
    pub fn from_multi_sz(bytes: &[u8]) -> NameTable {
        NameTable::of(&utf16_text(bytes))
    }

    fn of(text: &str) -> NameTable {
        if text.contains('\0') {
            NameTable::from_strings(text.split('\0'))
        } else {
            NameTable::from_text(text)
        }
    }

    /// Reads alternating lines of index and text.
    pub fn from_text(text: &str) -> NameTable {
        NameTable::from_strings(text.trim_start_matches('\u{feff}').lines())
    }

    fn from_strings<'a>(strings: impl Iterator<Item = &'a str>) -> NameTable {
        let mut table = NameTable::default();
        let mut strings = strings.peekable();
        while let Some(string) = strings.next() {
            match parse_index(string) {
                // The list may end with an index that has no text.
                Some(index) => match strings.next() {
                    Some(text) => table.insert(index, text),
                    None => table.num_skipped += 1,
                },
                None if string.is_empty() => {}
                None => table.num_skipped += 1,
            }
        }
        table
    }

    /// Adds or replaces a text. An empty text, or one of several lines, can't be stored in a table and is
    /// ignored.
    pub fn insert(&mut self, index: u32, text: &str) {
        if !text.is_empty() && !text.contains(['\0', '\n', '\r']) {
            self.texts.insert(index, text.into());
        }
    }

    /// Adds everything in `other`, whose texts take precedence.
    pub fn merge(&mut self, other: &NameTable) {
        self.texts.extend(other.texts.iter().map(|(&index, text)| (index, Arc::clone(text))));
        self.num_skipped += other.num_skipped;
    }

    /// The text of an index.
    pub fn get(&self, index: u32) -> Option<&str> {
        self.texts.get(&index).map(|text| &**text)
    }

    /// The text of an index, shared.
    pub fn get_shared(&self, index: u32) -> Option<Arc<str>> {
        self.texts.get(&index).cloned()
    }

    /// The name of an index: the index itself in decimal if the table has no name for it.
    pub fn name(&self, index: u32) -> Arc<str> {
        self.get_shared(index).unwrap_or_else(|| index.to_string().into())
    }

    /// All texts, in ascending order of index.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        self.texts.iter().map(|(&index, text)| (index, &**text))
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// How many strings were skipped on reading because an index was expected in their place.
    pub fn num_skipped(&self) -> usize {
        self.num_skipped
    }

    /// The table as `REG_MULTI_SZ` in UTF-16LE.
    pub fn to_multi_sz(&self) -> Vec<u8> {
        let text = self.joined('\0') + "\0";
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    /// The table as lines of text.
    pub fn to_text(&self) -> String {
        self.joined('\n')
    }

    fn joined(&self, end: char) -> String {
        self.iter()
            .flat_map(|(index, text)| [index.to_string(), end.into(), text.into(), end.into()])
            .collect()
    }
}

fn parse_index(text: &str) -> Option<u32> {
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn strings_that_are_no_index_are_skipped_one_by_one() {
        let table =
            NameTable::from_text("1\n1847\n2\nSystem\nstray\n4\nMemory\n99999999999\n6\n% Processor Time");
        assert_eq!(table.get(2), Some("System"));
        assert_eq!((table.get(4), table.get(6)), (Some("Memory"), Some("% Processor Time")));
        assert_eq!((table.len(), table.num_skipped()), (4, 2));
        assert_eq!((&*table.name(4), &*table.name(5)), ("Memory", "5"));
    }

    #[test]
    fn every_encoding_is_recognised() {
        let table = NameTable::from_text("2\nSystème\n4\nMémoire\n");
        let mut with_mark = vec![0xFF, 0xFE];
        with_mark.extend("2\r\nSystème\r\n4\r\nMémoire".encode_utf16().flat_map(u16::to_le_bytes));
        for bytes in [table.to_multi_sz(), table.to_text().into_bytes(), with_mark] {
            assert_eq!(NameTable::parse(&bytes), table);
        }
        assert!(NameTable::parse(&[]).is_empty());
    }

    #[test]
    fn merging_prefers_the_newcomer() {
        let mut table = NameTable::from_text("2\nold\n4\nkept");
        table.merge(&NameTable::from_text("2\nnew\n3\nhelp"));
        assert_eq!(table.iter().collect::<Vec<_>>(), [(2, "new"), (3, "help"), (4, "kept")]);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(entries in proptest::collection::btree_map(any::<u32>(), ".{0,12}", 0..20)) {
            let mut table = NameTable::new();
            for (index, text) in &entries {
                table.insert(*index, text);
            }
            prop_assert_eq!(&NameTable::from_multi_sz(&table.to_multi_sz()), &table);
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let table = NameTable::parse(&bytes);
            prop_assert_eq!(NameTable::from_multi_sz(&table.to_multi_sz()).len(), table.len());
        }
    }
}
