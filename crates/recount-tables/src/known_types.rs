//! The types that a tidy table states in its metadata, `formats/tables.md#metadata`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recount_model::{Cooked, CounterDef, CounterType};

/// Object and counter.
type Name = (Arc<str>, Arc<str>);
/// Which of the counters of one name.
type Number = u32;

/// The types found while a tidy table is written. Only those for which null means more than that there is no value: an
/// average, because none over no operations is 0 in PDH text, and a text. Also those of counters that aren't shown, such as bases,
/// which have rows beside raw values only.
#[derive(Debug, Default)]
pub(crate) struct KnownTypes {
    /// `None` if several definitions differ.
    types: BTreeMap<Name, Option<CounterType>>,
    hidden: BTreeMap<(Name, Number), Option<CounterType>>,
}

/// A type that a table states.
pub(crate) enum StatedType {
    /// Of all counters of a name that are shown.
    Shown(CounterType),
    /// Of one that isn't, and which of the counters of its name it is.
    Hidden(CounterType, Number),
}

impl KnownTypes {
    /// Adds the counters of cooked values.
    pub(crate) fn add(&mut self, cooked: &Cooked) {
        let object = &cooked.object;
        let mut numbers: HashMap<&str, Number> = HashMap::new();
        for def in cooked.columns.iter().filter_map(|column| object.counters.get(column.counter)) {
            let name = (Arc::clone(&object.name), Arc::clone(&def.name));
            let number = numbers.entry(&def.name).or_default();
            let key = ((Arc::clone(&object.name), Arc::clone(&def.name)), *number);
            *number += 1;
            let is_hidden = def.is_hidden();
            if is_hidden || self.hidden.contains_key(&key) {
                let stated = def.counter_type.filter(|_| is_hidden);
                let known = self.hidden.entry(key).or_insert(stated);
                *known = known.filter(|known| Some(*known) == stated);
            }
            if is_hidden {
                continue;
            }
            let stated = def.counter_type.filter(|_| is_stated(def));
            if let Some(known) = self.types.get_mut(&name) {
                *known = known.filter(|known| Some(*known) == stated);
            } else if stated.is_some() {
                self.types.insert(name, stated);
            }
        }
    }

    /// One type a line: object, counter and the word in hexadecimal, with tabs between them, and of one that isn't shown its number. Empty if there
    /// are none.
    pub(crate) fn text(&self) -> String {
        let is_plain =
            |(object, counter): &Name| ![object, counter].iter().any(|name| name.contains(['\t', '\n']));
        let line = |name: &Name, word: CounterType| {
            is_plain(name).then(|| format!("{}\t{}\t{:#010x}", name.0, name.1, word.0))
        };
        let types = self.types.iter().filter_map(|(name, word)| Some(line(name, (*word)?)? + "\n"));
        let hidden = self
            .hidden
            .iter()
            .filter_map(|((name, number), word)| Some(format!("{}\t{number}\n", line(name, (*word)?)?)));
        types.chain(hidden).collect()
    }
}

fn is_stated(def: &CounterDef) -> bool {
    def.is_text() || def.formula().is_average()
}

/// The types in such a text. Lines that don't state one are ignored, as other metadata is.
pub(crate) fn types_in(text: &str) -> impl Iterator<Item = (Name, StatedType)> {
    text.lines().filter_map(|line| {
        let mut parts = line.split('\t');
        let (object, counter, word) = (parts.next()?, parts.next()?, parts.next()?);
        let word = CounterType(u32::from_str_radix(word.strip_prefix("0x")?, 16).ok()?);
        let def = CounterDef { counter_type: Some(word), ..CounterDef::default() };
        let stated = match parts.next() {
            Some(number) => StatedType::Hidden(word, number.parse().ok()?),
            None if is_stated(&def) => StatedType::Shown(word),
            None => return None,
        };
        Some(((object.into(), counter.into()), stated))
    })
}
