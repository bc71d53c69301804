//! The indexes by which whole objects name themselves and their counters (formats/blg.md#name-table).

use std::collections::{BTreeMap, HashMap};

use recount_model::NameTable;

/// The first index of names that come without one. Windows counts from 2, and takes some ten thousand.
const FIRST_OF_OURS: u32 = 1_000_000;

/// The names of every machine, by its name in lower case: a reader ignores case in it.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexNames {
    by_host: BTreeMap<String, HostNames>,
}

/// The names of one machine.
#[derive(Clone, Debug, Default)]
pub(super) struct HostNames {
    /// Its first spelling.
    host: String,
    table: NameTable,
    /// Names whose index is ours.
    ours: HashMap<String, u32>,
}

impl IndexNames {
    pub(super) fn of_mut(&mut self, host: &str) -> &mut HostNames {
        let new = || HostNames { host: host.to_owned(), ..HostNames::default() };
        self.by_host.entry(host.to_lowercase()).or_insert_with(new)
    }

    pub(super) fn of(&self, host: &str) -> Option<&HostNames> {
        self.by_host.get(&host.to_lowercase())
    }

    /// The names of each machine, which comes without backslashes.
    pub(super) fn tables(&self) -> impl Iterator<Item = (&str, &NameTable)> {
        self.by_host.values().map(|names| (&*names.host, &names.table))
    }
}

impl HostNames {
    pub(super) fn table(&self) -> &NameTable {
        &self.table
    }

    /// The index of a name that was added with the same wish.
    pub(super) fn find(&self, wanted: Option<u32>, name: &str) -> Option<u32> {
        let is_its = |index: &u32| self.table.get(*index) == Some(name);
        wanted.filter(is_its).or_else(|| self.ours.get(name).copied())
    }

    /// Adds a name, under the index it has in the source unless that belongs to another. `None` if a table can't hold
    /// the name.
    pub(super) fn add(&mut self, wanted: Option<u32>, name: &str) -> Option<u32> {
        if let Some(known) = self.find(wanted, name) {
            return Some(known);
        }
        let is_free =
            |index: &u32| *index < FIRST_OF_OURS && is_of_a_name(*index) && self.table.get(*index).is_none();
        let index = wanted.filter(is_free);
        let index = index.unwrap_or_else(|| FIRST_OF_OURS + 2 * self.ours.len() as u32);
        self.table.insert(index, name);
        self.table.get(index)?;
        if index >= FIRST_OF_OURS {
            self.ours.insert(name.to_owned(), index);
        }
        Some(index)
    }
}

/// Names have even indexes, help texts odd ones.
fn is_of_a_name(index: u32) -> bool {
    index > 0 && index.is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_index_unless_another_has_it() {
        let mut names = IndexNames::default();
        let web = names.of_mut("WEB1");
        assert_eq!(web.add(Some(230), "Process"), Some(230));
        assert_eq!(web.add(Some(230), "Process"), Some(230));
        assert_eq!(web.add(Some(230), "Prozess"), Some(FIRST_OF_OURS));
        assert_eq!(web.add(Some(231), "odd"), Some(FIRST_OF_OURS + 2));
        assert_eq!(web.add(None, "without"), Some(FIRST_OF_OURS + 4));
        assert_eq!(web.add(None, "without"), Some(FIRST_OF_OURS + 4));
        assert_eq!((web.add(None, ""), web.add(Some(4), "two\nlines")), (None, None));
        assert_eq!(names.of_mut("WEB2").add(Some(230), "Prozess"), Some(230));
        let web = names.of("web1").expect("its names");
        assert_eq!(web.find(Some(230), "Process"), Some(230));
        assert_eq!(web.find(Some(230), "Prozess"), Some(FIRST_OF_OURS));
        assert_eq!(web.find(None, "Process"), None);
        let tables = names.tables().map(|(host, table)| (host, table.len()));
        assert_eq!(tables.collect::<Vec<_>>(), [("WEB1", 4), ("WEB2", 1)]);
    }
}
