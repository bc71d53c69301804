//! Which column of an object's table a counter has.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use recount_model::ObjectDef;

use super::time_field;
use crate::names::name_type;

/// Names that counters can't have as columns, because the table has columns of these names, or may have, or a
/// partition gives it one.
const FIXED: [&str; 6] = ["time", "interval_s", "host", "instance", "instance_id", "date"];

/// What counters of different definitions are matched by: name, whether it is a base, and the how-manieth such
/// counter it is in its definition. Type words may differ.
type Key = (Arc<str>, bool, usize);

/// The columns of one counter, as indices into the schema. A base has a first value only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slots {
    pub(crate) value: Option<usize>,
    pub(crate) first: Option<usize>,
    pub(crate) second: Option<usize>,
}

/// A counter that got its columns just now.
pub(crate) struct Added {
    /// Index of the counter in the definition.
    pub(crate) counter: usize,
    /// Name of the column of values.
    pub(crate) column: Option<String>,
}

/// The columns of an object's table. They only ever grow, at the end.
#[derive(Debug)]
pub(crate) struct Columns {
    raw: bool,
    fields: Vec<Field>,
    taken: HashSet<String>,
    slots: HashMap<Key, Slots>,
    pub(crate) instance: Option<usize>,
    pub(crate) instance_id: Option<usize>,
    /// The last definitions looked up, as looked up: most stretches share one.
    recent: Vec<Lookup>,
}

#[derive(Debug)]
struct Lookup {
    object: Arc<ObjectDef>,
    counters: Vec<usize>,
    slots: Vec<Slots>,
}

/// Look-ups kept.
const MAX_RECENT: usize = 8;

impl Columns {
    /// Time, interval and host.
    pub(crate) const INTERVAL: usize = 1;
    pub(crate) const HOST: usize = 2;

    pub(crate) fn new(raw: bool) -> Columns {
        Columns {
            raw,
            fields: vec![
                time_field(),
                Field::new("interval_s", DataType::Float64, true),
                Field::new("host", name_type(), true),
            ],
            taken: FIXED.iter().map(|&name| name.into()).collect(),
            slots: HashMap::new(),
            instance: None,
            instance_id: None,
            recent: Vec::new(),
        }
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(self.fields.clone()))
    }

    /// How many there are: a greater number means that they have grown.
    pub(crate) fn num(&self) -> usize {
        self.fields.len()
    }

    /// Makes sure of the columns of instances.
    pub(crate) fn add_instances(&mut self, instanced: bool, with_ids: bool) {
        if instanced && self.instance.is_none() {
            self.instance = Some(self.push(Field::new("instance", name_type(), true)));
        }
        if with_ids && self.instance_id.is_none() {
            self.instance_id = Some(self.push(Field::new("instance_id", DataType::UInt64, true)));
        }
    }

    /// The columns of some counters of a definition, made where there are none yet.
    pub(crate) fn add(&mut self, object: &Arc<ObjectDef>, counters: &[usize]) -> (Vec<Slots>, Vec<Added>) {
        let known = |lookup: &&Lookup| Arc::ptr_eq(&lookup.object, object) && lookup.counters == counters;
        if let Some(lookup) = self.recent.iter().find(known) {
            return (lookup.slots.clone(), Vec::new());
        }
        let mut added = Vec::new();
        let mut slots = Vec::with_capacity(counters.len());
        let keys = keys(object);
        for &counter in counters {
            let key = &keys[counter];
            if let Some(&known) = self.slots.get(key) {
                slots.push(known);
                continue;
            }
            let new = self.add_counter(key);
            added.push(Added { counter, column: new.value.map(|at| self.fields[at].name().clone()) });
            self.slots.insert(key.clone(), new);
            slots.push(new);
        }
        if self.recent.len() == MAX_RECENT {
            self.recent.remove(0);
        }
        self.recent.push(Lookup {
            object: Arc::clone(object),
            counters: counters.into(),
            slots: slots.clone(),
        });
        (slots, added)
    }

    fn add_counter(&mut self, (name, is_base, _): &Key) -> Slots {
        let value = (!is_base).then(|| self.push_named(name, DataType::Float64));
        if !self.raw {
            return Slots { value, ..Slots::default() };
        }
        let first = Some(self.push_named(&format!("{name} (first)"), DataType::UInt64));
        let second = (!is_base).then(|| self.push_named(&format!("{name} (second)"), DataType::UInt64));
        Slots { value, first, second }
    }

    /// Adds a column under a name that no other has, whatever the case: SQL doesn't tell `A` from `a`.
    fn push_named(&mut self, name: &str, data_type: DataType) -> usize {
        let mut candidate = name.to_owned();
        let mut number = 2_u64;
        while !self.taken.insert(candidate.to_lowercase()) {
            candidate = format!("{name} ({number})");
            number += 1;
        }
        self.push(Field::new(candidate, data_type, true))
    }

    fn push(&mut self, field: Field) -> usize {
        self.fields.push(field);
        self.fields.len() - 1
    }
}

fn keys(object: &ObjectDef) -> Vec<Key> {
    let mut seen: HashMap<(&str, bool), usize> = HashMap::new();
    let keys = object.counters.iter().map(|counter| {
        let occurrence = seen.entry((&counter.name, counter.is_base())).or_default();
        *occurrence += 1;
        (Arc::clone(&counter.name), counter.is_base(), *occurrence)
    });
    keys.collect()
}
