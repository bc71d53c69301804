//! Which objects exist, which are wanted, and how to query them.

use recount_bytes::FormatError;
use recount_model::NameTable;
use recount_perf_data::DataBlock;

/// Queries all objects except costly ones.
pub(super) const GLOBAL: &str = "Global";
/// Queries the costly objects.
pub(super) const COSTLY: &str = "Costly";

/// Name index of `Thread`. It has thousands of instances and is rarely needed, so it is off by default, as in
/// the Linux source.
const THREAD: u32 = 232;

/// The name indexes of a block's objects, in order, without duplicates, and the fault after the last of them,
/// if any.
pub(super) fn indexes_in(block: &DataBlock<'_>) -> (Vec<u32>, Option<FormatError>) {
    let mut indexes = Vec::new();
    for object in block.objects() {
        match object {
            Ok(object) => {
                let index = object.header().name_index;
                if !indexes.contains(&index) {
                    indexes.push(index);
                }
            }
            Err(error) => return (indexes, Some(error)),
        }
    }
    (indexes, None)
}

/// Decides whether an object is selected, given its name and whether it is on by default.
pub(super) type Wanted<'a> = &'a dyn Fn(&str, bool) -> bool;

/// The objects of a machine.
#[derive(Debug)]
pub(super) struct Objects<'a> {
    /// Those that `Global` returned.
    pub(super) global: Vec<u32>,
    /// Those that `Costly` returned; empty if they can't be wanted.
    pub(super) costly: Vec<u32>,
    /// Names by language.
    pub(super) tables: &'a [(String, NameTable)],
}

/// The query for every sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    /// The value of `HKEY_PERFORMANCE_DATA`.
    pub(super) value: String,
    /// The objects that it must return; empty if it is for all available objects.
    pub(super) named: Vec<u32>,
}

impl Objects<'_> {
    /// The query for the selected objects; `None` if there are none.
    pub(super) fn query(&self, wanted: Wanted<'_>) -> Option<Query> {
        let costly = self.costly.iter().filter(|index| !self.global.contains(index));
        let indexes = self.global.iter().chain(costly).copied();
        let named: Vec<u32> = indexes.filter(|&index| self.is_wanted(index, wanted)).collect();
        if named.is_empty() {
            return None;
        }
        if named == self.global {
            // This includes objects that appear later.
            return Some(Query { value: GLOBAL.into(), named: Vec::new() });
        }
        let value = named.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        Some(Query { value, named })
    }

    fn is_wanted(&self, index: u32, wanted: Wanted<'_>) -> bool {
        let default_on = self.global.contains(&index) && index != THREAD;
        let mut names = self.tables.iter().filter_map(|(_, table)| table.get(index)).peekable();
        if names.peek().is_none() {
            return wanted(&index.to_string(), default_on);
        }
        names.any(|name| wanted(name, default_on))
    }

    /// The names of all objects, for people.
    pub(super) fn names(&self) -> String {
        let name = |&index: &u32| match self.tables.first() {
            Some((_, table)) => table.name(index),
            None => index.to_string().into(),
        };
        self.global.iter().chain(&self.costly).map(name).collect::<Vec<_>>().join(", ")
    }
}

/// Whether an object that `Global` doesn't return may be wanted. If not, the costly objects needn't be
/// queried at all. The tables don't say which names belong to objects.
pub(super) fn may_want_costly(tables: &[(String, NameTable)], global: &[u32], wanted: Wanted<'_>) -> bool {
    let mut others =
        tables.iter().flat_map(|(_, table)| table.iter()).filter(|(index, _)| !global.contains(index));
    tables.is_empty() || others.any(|(_, name)| wanted(name, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> Vec<(String, NameTable)> {
        let english = "2\nSystem\n4\nMemory\n6\n% Processor Time\n232\nThread\n740\nImage";
        let german = "2\nSystem\n4\nSpeicher\n740\nAbbild";
        vec![("009".into(), NameTable::from_text(english)), ("007".into(), NameTable::from_text(german))]
    }

    fn value(wanted: Wanted<'_>) -> Option<String> {
        let tables = tables();
        let objects = Objects { global: vec![2, 4, 232, 9_000], costly: vec![740, 232], tables: &tables };
        objects.query(wanted).map(|query| query.value)
    }

    #[test]
    fn queries_name_what_is_wanted() {
        assert_eq!(value(&|_, default_on| default_on).as_deref(), Some("2 4 9000"));
        assert_eq!(value(&|_, _| true).as_deref(), Some("2 4 232 9000 740"));
        assert_eq!(value(&|name, _| name != "Image" && name != "Abbild").as_deref(), Some(GLOBAL));
        assert_eq!(value(&|name, _| name == "Memory").as_deref(), Some("4"));
        assert_eq!(value(&|name, _| name == "Speicher").as_deref(), Some("4"));
        assert_eq!(value(&|name, _| name == "9000").as_deref(), Some("9000"));
        assert_eq!(value(&|name, _| name == "Abbild").as_deref(), Some("740"));
        assert_eq!(value(&|name, _| name == "4"), None);
    }

    #[test]
    fn a_query_for_everything_expects_nothing_in_particular() {
        let objects = Objects { global: vec![2, 4], costly: Vec::new(), tables: &[] };
        let query = |wanted: Wanted<'_>| objects.query(wanted).expect("objects");
        assert_eq!(query(&|_, default_on| default_on), Query { value: GLOBAL.into(), named: Vec::new() });
        assert_eq!(query(&|name, _| name == "4"), Query { value: "4".into(), named: vec![4] });
        assert_eq!(objects.names(), "2, 4");
    }

    #[test]
    fn costly_objects_are_looked_for_only_if_they_may_be_wanted() {
        let tables = tables();
        let global = [2, 4, 232];
        assert!(!may_want_costly(&tables, &global, &|_, default_on| default_on));
        assert!(!may_want_costly(&tables, &global, &|name, _| name == "Speicher"));
        assert!(may_want_costly(&tables, &global, &|_, _| true));
        assert!(may_want_costly(&tables, &global, &|name, _| name == "Abbild"));
        assert!(may_want_costly(&[], &global, &|_, default_on| default_on));
    }
}
