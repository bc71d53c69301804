//! The tables of names and help texts.

use recount_model::NameTable;
use recount_perf_data::DataBlock;

use super::read::ValueReader;
use super::registry::{Key, Machine, Registry, ValueKind};

/// Windows' number of English as a primary language.
const ENGLISH: u16 = 9;

/// The tables of this machine, by language: English, as `009`, and the system's language if different.
pub(super) fn read_tables(system: &mut impl Machine) -> Vec<(String, NameTable)> {
    let mut tables = Vec::new();
    let english = read_table(system, ENGLISH, Key::PerformanceText);
    let language = system.language();
    if language != ENGLISH {
        let local = read_table(system, language, Key::PerformanceNlsText);
        // A system without tables in its language returns the English ones instead.
        if !local.is_empty() && local != english {
            tables.push((language_name(language), local));
        }
    }
    if !english.is_empty() {
        tables.insert(0, (language_name(ENGLISH), english));
    }
    tables
}

/// As in the names of the registry values: `Counter 009`.
fn language_name(language: u16) -> String {
    format!("{language:03X}")
}

/// Names and help texts of a language in one table, since their indexes differ. At an index in both, the name
/// wins.
fn read_table(registry: &mut impl Registry, language: u16, key: Key) -> NameTable {
    // Queries call the help texts `Explain` since Windows Vista; the registry says `Help`.
    let mut table = read_first(registry, language, key, &["Explain", "Help"]);
    table.merge(&read_first(registry, language, key, &["Counter"]));
    table
}

/// The first table that isn't empty. `key` has the tables of one language, under names without a language. A
/// query by language is tried first, since `HKEY_PERFORMANCE_NLSTEXT` uses the language of the current user.
fn read_first(registry: &mut impl Registry, language: u16, key: Key, names: &[&str]) -> NameTable {
    let language = language_name(language);
    let by_language = names.iter().map(|name| (Key::PerformanceData, format!("{name} {language}")));
    let by_key = names.iter().map(|name| (key, (*name).to_owned()));
    let mut reader = ValueReader::new();
    by_language
        .chain(by_key)
        .filter_map(|(key, value)| {
            let mut bytes = Vec::new();
            let kind = reader.read(registry, key, &value, &mut bytes).ok()?;
            // Samba's tables are binary values. Something else with that type, such as a block, isn't a table.
            let is_table =
                kind == ValueKind::TEXTS || (kind == ValueKind::BINARY && !DataBlock::recognise(&bytes));
            is_table.then_some(bytes)
        })
        .map(|bytes| NameTable::from_multi_sz(&bytes))
        .find(|table| !table.is_empty())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::windows::tests::FakeSystem;

    fn set(system: &mut FakeSystem, key: Key, value: &str, lines: &str) {
        system.set(key, value, ValueKind::TEXTS, NameTable::from_text(lines).to_multi_sz());
    }

    #[test]
    fn english_and_the_systems_language() {
        let mut system = FakeSystem { language: 7, ..FakeSystem::default() };
        set(&mut system, Key::PerformanceData, "Counter 009", "2\nSystem\n4\nMemory");
        set(&mut system, Key::PerformanceText, "Help", "3\nThe System object");
        set(&mut system, Key::PerformanceNlsText, "Counter", "2\nSystem\n4\nSpeicher");
        set(&mut system, Key::PerformanceData, "Explain 007", "3\nDas Systemobjekt");
        let tables = read_tables(&mut system);
        let expected = [
            ("009".to_owned(), NameTable::from_text("2\nSystem\n3\nThe System object\n4\nMemory")),
            ("007".to_owned(), NameTable::from_text("2\nSystem\n3\nDas Systemobjekt\n4\nSpeicher")),
        ];
        assert_eq!(tables, expected);
    }

    #[test]
    fn a_language_without_tables_of_its_own() {
        let mut system = FakeSystem { language: 0x19, ..FakeSystem::default() };
        for value in ["Counter 009", "Counter 019"] {
            set(&mut system, Key::PerformanceData, value, "2\nSystem");
        }
        let tables = read_tables(&mut system);
        assert_eq!(tables, [("009".to_owned(), NameTable::from_text("2\nSystem"))]);
        assert!(read_tables(&mut FakeSystem::default()).is_empty());
    }

    /// Systems without queries by language take it for a query of objects and answer with a block.
    #[test]
    fn a_block_is_no_table() {
        let mut system = FakeSystem::default();
        system.set(Key::PerformanceData, "Counter 009", ValueKind::BINARY, b"P\0E\0R\0F\0".to_vec());
        set(&mut system, Key::PerformanceText, "Counter", "2\nSystem");
        assert_eq!(read_tables(&mut system), [("009".to_owned(), NameTable::from_text("2\nSystem"))]);
    }

    /// Samba's names.
    #[test]
    fn a_table_may_be_a_binary_value() {
        let mut system = FakeSystem::default();
        let table = NameTable::from_text("2\nSystem");
        system.set(Key::PerformanceData, "Counter 009", ValueKind::BINARY, table.to_multi_sz());
        assert_eq!(read_tables(&mut system), [("009".to_owned(), table)]);
    }

    #[test]
    fn names_win_over_help_texts_of_the_same_index() {
        let mut system = FakeSystem::default();
        set(&mut system, Key::PerformanceData, "Counter 009", "2\nSystem");
        set(&mut system, Key::PerformanceData, "Help 009", "2\nWrong\n3\nRight");
        let [(_, table)] = &read_tables(&mut system)[..] else { panic!("one table") };
        assert_eq!((table.get(2), table.get(3)), (Some("System"), Some("Right")));
    }
}
