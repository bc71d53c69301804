//! The names of an object and its counters.

use std::collections::BTreeSet;
use std::sync::Arc;

use recount_model::{CounterDef, ObjectDef};

use crate::base;
use crate::table::{ObjectNames, TranslationTable};

/// What is known about an object's names.
pub(crate) struct English {
    /// The object with English names; `None` if no name changes.
    pub(crate) renamed: Option<ObjectDef>,
    /// The unknown names, which stay as they are, as `object\counter` or `object`.
    pub(crate) left: BTreeSet<String>,
}

pub(crate) fn english(object: &ObjectDef) -> English {
    let counters = object.counters.iter().map(|counter| &*counter.name);
    let table = TranslationTable::get();
    let by_name = table.object(&object.name, &counters);
    let by_index = object.index.and_then(base::english).filter(|_| by_name.is_none());
    let names = by_name.or_else(|| table.object(by_index?, &counters));
    let mut left = BTreeSet::new();
    let mut renamed = object.clone();
    match (names, by_index) {
        (Some(names), _) => rename(&mut renamed.name, &names.english),
        (None, Some(name)) => rename(&mut renamed.name, &Arc::from(name)),
        (None, None) => {
            left.insert(object.name.to_string());
        }
    }
    let is_known = names.is_some() || by_index.is_some();
    for counter in &mut renamed.counters {
        match counter_in_english(counter, names, is_known) {
            Some(name) => rename(&mut counter.name, &name),
            None if is_known && !counter.is_hidden() => {
                left.insert(format!(r"{}\{}", object.name, counter.name));
            }
            _ => {}
        }
        if let (Some(base), Some(names)) = (&mut counter.base, names)
            && let Some(name) = names.english_counter(base)
        {
            rename(base, &name);
        }
    }
    English { renamed: (renamed != *object).then_some(renamed), left }
}

/// Names that differ only in case are kept.
fn rename(name: &mut Arc<str>, english: &Arc<str>) {
    if !name.eq_ignore_ascii_case(english) {
        *name = Arc::clone(english);
    }
}

/// The table's names for the object's counters come before the index, which only the system's own names have;
/// if the table has several names, the index decides.
fn counter_in_english(counter: &CounterDef, names: Option<&ObjectNames>, is_known: bool) -> Option<Arc<str>> {
    if let Some(name) = names.and_then(|names| names.english_counter(&counter.name)) {
        return Some(name);
    }
    let by_index = counter.index.filter(|_| is_known).and_then(base::english)?;
    let candidates = names.map(|names| names.counter(&counter.name)).unwrap_or_default();
    let agrees = candidates.is_empty() || candidates.iter().any(|name| **name == *by_index);
    agrees.then(|| by_index.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: &str, index: Option<u32>, counters: &[(&str, Option<u32>)]) -> ObjectDef {
        let counter = |(name, index): &(&str, Option<u32>)| CounterDef {
            name: (*name).into(),
            index: *index,
            ..CounterDef::default()
        };
        ObjectDef {
            name: name.into(),
            index,
            counters: counters.iter().map(counter).collect(),
            ..ObjectDef::default()
        }
    }

    fn names(object: &ObjectDef) -> Option<(String, Vec<String>, Vec<String>)> {
        let English { renamed, left } = english(object);
        let renamed = renamed?;
        let counters = renamed.counters.iter().map(|counter| counter.name.to_string()).collect();
        Some((renamed.name.to_string(), counters, left.into_iter().collect()))
    }

    #[test]
    fn names_become_english_by_the_table() {
        let of = |name: &str, counters: &[&str]| {
            let counters: Vec<_> = counters.iter().map(|name| (*name, None)).collect();
            names(&object(name, None, &counters)).map(|(name, counters, _)| (name, counters))
        };
        let expected = |name: &str, counters: &[&str]| {
            Some((name.to_owned(), counters.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()))
        };
        assert_eq!(
            of("Prozess", &["Prozessorzeit (%)", "Arbeitsseiten"]),
            expected("Process", &["% Processor Time", "Working Set"])
        );
        assert_eq!(
            of("Processus", &["% temps processeur", "Plage de travail"]),
            expected("Process", &["% Processor Time", "Working Set"])
        );
        // The name of the object is the same in both languages.
        assert_eq!(of("System", &["Kontextwechsel/s"]), expected("System", &["Context Switches/sec"]));
        assert_eq!(of("Process", &["% Processor Time", "Working Set"]), None);
        assert_eq!(of("Our Service", &["% Processor Time"]), None);
    }

    #[test]
    fn names_become_english_by_their_indexes() {
        let russian = object(
            "Процесс",
            Some(230),
            &[("% загруженности процессора", Some(6)), ("Наш счётчик", Some(4_000)), ("Private Bytes", None)],
        );
        let (name, counters, left) = names(&russian).expect("renamed");
        assert_eq!(name, "Process");
        assert_eq!(counters, ["% Processor Time", "Наш счётчик", "Private Bytes"]);
        assert_eq!(left, [r"Процесс\Наш счётчик"]);
        // Indexes of other software differ from machine to machine.
        let foreign = object("Служба", Some(2_300), &[("Счётчик", Some(6))]);
        assert_eq!(names(&foreign), None);
        assert_eq!(english(&foreign).left.into_iter().collect::<Vec<_>>(), ["Служба"]);
    }
}
