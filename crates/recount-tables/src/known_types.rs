//! The types that a tidy table states in its metadata, `formats/tables.md#metadata`.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{Cooked, CounterDef, CounterType};

/// Object and counter.
type Name = (Arc<str>, Arc<str>);

/// The types found while a tidy table is written. Only those for which null means more than that there is no value: an
/// average, because none over no operations is 0 in PDH text, and a text.
#[derive(Debug, Default)]
pub(crate) struct KnownTypes {
    /// `None` if several definitions differ.
    types: BTreeMap<Name, Option<CounterType>>,
}

impl KnownTypes {
    /// Adds the counters of cooked values.
    pub(crate) fn add(&mut self, cooked: &Cooked) {
        let object = &cooked.object;
        for def in cooked.columns.iter().filter_map(|column| object.counters.get(column.counter)) {
            let name = (Arc::clone(&object.name), Arc::clone(&def.name));
            let stated = def.counter_type.filter(|_| is_stated(def));
            if let Some(known) = self.types.get_mut(&name) {
                *known = known.filter(|known| Some(*known) == stated);
            } else if stated.is_some() {
                self.types.insert(name, stated);
            }
        }
    }

    /// One type a line: object, counter and the word in hexadecimal, with tabs between them. Empty if there are none.
    pub(crate) fn text(&self) -> String {
        let is_plain = |name: &str| !name.contains(['\t', '\n']);
        let line = |((object, counter), word): (&Name, &Option<CounterType>)| {
            let word = word.filter(|_| is_plain(object) && is_plain(counter))?;
            Some(format!("{object}\t{counter}\t{:#010x}\n", word.0))
        };
        self.types.iter().filter_map(line).collect()
    }
}

fn is_stated(def: &CounterDef) -> bool {
    def.is_text() || def.formula().is_average()
}

/// The types in such a text. Lines that don't state one are ignored, as other metadata is.
pub(crate) fn types_in(text: &str) -> impl Iterator<Item = (Name, CounterType)> {
    text.lines().filter_map(|line| {
        let mut parts = line.split('\t');
        let (object, counter, word) = (parts.next()?, parts.next()?, parts.next()?);
        let word = CounterType(u32::from_str_radix(word.strip_prefix("0x")?, 16).ok()?);
        let def = CounterDef { counter_type: Some(word), ..CounterDef::default() };
        is_stated(&def).then(|| ((object.into(), counter.into()), word))
    })
}
