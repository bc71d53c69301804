//! English names that a user has for a capture's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{ObjectDef, fold_name, text_of_names};

/// Names of objects and counters as captures have them, and in English.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translations {
    /// By folded name: of an object or a counter, or the path of a counter.
    english: BTreeMap<String, Arc<str>>,
}

/// Why a file has no translations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranslationsError {
    /// A line is something else.
    #[error(
        "line {line}: expected two columns, a name and its English name, with a tab, a semicolon or a comma between"
    )]
    Columns {
        /// Its number, from 1.
        line: u64,
    },
    /// It isn't text.
    #[error("line {line}: expected text in UTF-8 or UTF-16")]
    Encoding {
        /// The number of the first line that isn't, from 1.
        line: u64,
    },
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// A name has two translations.
    #[error("line {line}: {name} already has another English name")]
    Twice {
        /// The number of the second line, from 1.
        line: u64,
        /// The name.
        name: String,
    },
}

impl Translations {
    /// Reads a file in UTF-8 or UTF-16: a line for each name, in two columns, quoted as in CSV if need be. The first
    /// column has the name of an object or of a counter as the capture has it, or `\object\counter` if the same counter has other
    /// names elsewhere; the second has the English name.
    pub fn parse(bytes: &[u8]) -> Result<Translations, TranslationsError> {
        let text = text_of_names(bytes);
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let delimiter = [b'\t', b';'].into_iter().find(|byte| first.as_bytes().contains(byte));
        let mut reader = csv::ReaderBuilder::new();
        reader.has_headers(false).delimiter(delimiter.unwrap_or(b',')).trim(csv::Trim::All);
        let mut english: BTreeMap<String, Arc<str>> = BTreeMap::new();
        for (text, line) in text.lines().zip(1..).filter(|(text, _)| !text.trim().is_empty()) {
            if text.contains(char::REPLACEMENT_CHARACTER) {
                return Err(TranslationsError::Encoding { line });
            }
            let row = reader.from_reader(text.as_bytes()).into_records().next();
            let Some(Ok(row)) = row else { return Err(TranslationsError::Columns { line }) };
            let columns: Vec<&str> = row.iter().collect();
            let [name, in_english] = columns[..] else {
                return Err(TranslationsError::Columns { line });
            };
            if name.is_empty() || in_english.is_empty() {
                return Err(TranslationsError::Columns { line });
            }
            let known = english.insert(fold_name(name), in_english.into());
            if known.is_some_and(|known| *known != *in_english) {
                return Err(TranslationsError::Twice { line, name: name.to_owned() });
            }
        }
        if english.is_empty() { Err(TranslationsError::Empty) } else { Ok(Translations { english }) }
    }

    /// Adds everything in `other`, whose names take precedence.
    pub fn merge(&mut self, other: Translations) {
        self.english.extend(other.english);
    }

    /// All of them in the order of the names, which are in lower case: a name, and the English one.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.english.iter().map(|(name, english)| (&**name, &**english))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.english.is_empty()
    }

    fn english(&self, name: &str) -> Option<&Arc<str>> {
        self.english.get(&fold_name(name))
    }

    /// The object with these names; `None` if it has none of them.
    pub(crate) fn object(&self, object: &ObjectDef) -> Option<ObjectDef> {
        let mut renamed = object.clone();
        let of_counter = |name: &str| {
            self.english(&format!(r"\{}\{name}", object.name)).or_else(|| self.english(name)).cloned()
        };
        if let Some(name) = self.english(&object.name) {
            renamed.name = Arc::clone(name);
        }
        for counter in &mut renamed.counters {
            if let Some(name) = of_counter(&counter.name) {
                counter.name = name;
            }
            if let Some(base) = &mut counter.base
                && let Some(name) = of_counter(base)
            {
                *base = name;
            }
        }
        (renamed != *object).then_some(renamed)
    }
}

#[cfg(test)]
mod tests {
    use recount_model::CounterDef;

    use super::*;

    fn names(text: &str, object: &str, counters: &[&str]) -> Vec<String> {
        let counter = |name: &&str| CounterDef { name: (*name).into(), ..CounterDef::default() };
        let counters = counters.iter().map(counter).collect();
        let object = ObjectDef { name: object.into(), counters, ..ObjectDef::default() };
        let translations = Translations::parse(text.as_bytes()).expect("sound");
        let renamed = translations.object(&object).unwrap_or(object);
        let counters = renamed.counters.iter().map(|counter| counter.name.to_string());
        std::iter::once(renamed.name.to_string()).chain(counters).collect()
    }

    #[test]
    fn names_are_those_of_the_file() {
        let own = ["% 处理器时间", "空闲, 全部", "其他"];
        let expected = ["Processor", "% Processor Time", "% Idle Time", "其他"];
        let tabs = "\n处理器\tProcessor\n% 处理器时间\t% Processor Time\n空闲, 全部\t% Idle Time\n";
        assert_eq!(names(tabs, "处理器", &own), expected);
        assert_eq!(names(&tabs.replace('\t', ";"), "处理器", &own), expected);
        let commas =
            "\u{feff}处理器,Processor\r\n% 处理器时间,% Processor Time\r\n\"空闲, 全部\",% Idle Time\r\n";
        assert_eq!(names(commas, "处理器", &own), expected);
        // Of one counter of this object.
        let path = "\\内存\\可用\tAvailable MBytes\n可用\tFree\n内存\tMemory\n";
        assert_eq!(names(path, "内存", &["可用"]), ["Memory", "Available MBytes"]);
        assert_eq!(names(path, "磁盘", &["可用"]), ["磁盘", "Free"]);
    }

    #[test]
    fn two_columns_are_expected() {
        let error = |text: &str| Translations::parse(text.as_bytes()).expect_err("unsound").to_string();
        for (text, line) in
            [("Dear reader", 1), ("a\tb\nc\td\te\n", 2), ("a;b\n\n;d", 3), ("\n\nDear reader", 3)]
        {
            assert!(
                error(text).starts_with(&format!("line {line}: expected two columns")),
                "{text} {}",
                error(text)
            );
        }
        assert_eq!(error("\n"), "the file is empty");
        let chinese = [b"a,b\n".as_slice(), &[0xC4, 0xDA], b",Memory\n"].concat();
        let error_of = |bytes: &[u8]| Translations::parse(bytes).expect_err("unsound").to_string();
        assert_eq!(error_of(&chinese), "line 2: expected text in UTF-8 or UTF-16");
        assert_eq!(error("a,b\nA,c\n"), "line 2: A already has another English name");
        assert!(Translations::parse(b"a,b\na,b\n").is_ok());
    }

    #[test]
    fn windows_saves_text_in_utf_16() {
        let bytes: Vec<u8> = "\u{feff}内存\tMemory\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(Translations::parse(&bytes), Translations::parse("内存\tMemory".as_bytes()));
    }
}
