//! Which metric a counter is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use recount_model::{Cooked, ObjectDef};

use crate::name::{unit_words, with_unit, words};

/// The prefix of all names.
const PREFIX: &str = "recount";

/// A metric.
#[derive(Debug)]
pub(crate) struct Family {
    /// `recount_processor`
    pub(crate) object: String,
    /// `processor_time_percent`
    pub(crate) counter: String,
    /// `percent`, if the name ends with it.
    pub(crate) unit: Option<String>,
    /// The own names of object and counter, and the counter's help.
    pub(crate) help: String,
}

impl Family {
    /// The whole name.
    pub(crate) fn name(&self) -> String {
        format!("{}_{}", self.object, self.counter)
    }
}

/// Object, counter, unit, and which of several counters of that name it is.
type Key = (Arc<str>, Arc<str>, &'static str, usize);

/// All metrics, in the order in which they appeared.
#[derive(Debug, Default)]
pub(crate) struct Families {
    all: Vec<Family>,
    places: HashMap<Key, usize>,
    taken: HashSet<String>,
}

impl Families {
    /// The metric of each column.
    pub(crate) fn of(&mut self, cooked: &Cooked) -> Vec<usize> {
        let columns = cooked.columns.iter();
        columns.map(|column| self.of_counter(&cooked.object, column.counter)).collect()
    }

    pub(crate) fn get(&self, family: usize) -> &Family {
        &self.all[family]
    }

    fn of_counter(&mut self, object: &ObjectDef, counter: usize) -> usize {
        let def = &object.counters[counter];
        let ordinal = object.counters[..counter].iter().filter(|other| other.name == def.name).count();
        let key = (Arc::clone(&object.name), Arc::clone(&def.name), def.unit(), ordinal);
        if let Some(&family) = self.places.get(&key) {
            return family;
        }
        let family = self.new_family(object, counter);
        self.all.push(family);
        self.places.insert(key, self.all.len() - 1);
        self.all.len() - 1
    }

    fn new_family(&mut self, object: &ObjectDef, counter: usize) -> Family {
        let def = &object.counters[counter];
        let unit = unit_words(def.unit());
        let base = with_unit(&def.name, &unit);
        let unit = unit.join("_");
        let mut family = Family {
            object: [vec![PREFIX.to_owned()], words(&object.name)].concat().join("_"),
            counter: base.clone(),
            unit: (!unit.is_empty()).then_some(unit),
            help: format!("{}\\{}", object.name, def.name),
        };
        if let Some(help) = def.help.as_deref().filter(|help| !help.is_empty()) {
            family.help.push_str(": ");
            family.help.push_str(help);
        }
        let mut number = 2_u64;
        while !self.taken.insert(family.name()) {
            family.counter = format!("{base}_{number}");
            family.unit = None;
            number += 1;
        }
        family
    }
}
