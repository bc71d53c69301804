//! Maps counters to columns of an object's table.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use recount_model::ObjectDef;

use crate::schema::{self, Column};

/// The key by which counters of different definitions are matched: name, whether it is a base, and its
/// ordinal among such counters of its definition. Type words may differ.
type Key = (Arc<str>, bool, usize);

/// The columns of one counter, as indices into the schema. A base only has a first value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slots {
    pub(crate) value: Option<usize>,
    pub(crate) first: Option<usize>,
    pub(crate) second: Option<usize>,
    /// Only of a counter with texts.
    pub(crate) text: Option<usize>,
}

impl Slots {
    /// The indices of the existing columns.
    pub(crate) fn all(self) -> impl Iterator<Item = usize> {
        [self.value, self.first, self.second, self.text].into_iter().flatten()
    }
}

/// A counter that has just received its columns.
pub(crate) struct Added {
    /// Index of the counter in the definition.
    pub(crate) counter: usize,
    /// Name of the column of values.
    pub(crate) column: Option<String>,
}

/// The columns of an object's table. Columns are only appended.
#[derive(Debug)]
pub(crate) struct Columns {
    raw: bool,
    fields: Vec<Field>,
    taken: HashSet<String>,
    slots: HashMap<Key, Slots>,
    pub(crate) local_time: Option<usize>,
    pub(crate) instance: Option<usize>,
    pub(crate) instance_id: Option<usize>,
    /// The last look-ups of definitions: most stretches share one.
    recent: Vec<Lookup>,
    /// The schema, until a column is added.
    schema: Option<SchemaRef>,
}

#[derive(Debug)]
struct Lookup {
    object: Arc<ObjectDef>,
    counters: Vec<usize>,
    slots: Vec<Slots>,
}

/// Whether a column with this name is kept.
pub(crate) type Keep = dyn Fn(&str) -> bool + Send + Sync;

/// Look-ups kept.
const MAX_RECENT: usize = 8;

impl Columns {
    /// Positions of the columns that every table has ([`schema::OBJECT_TABLE`]).
    pub(crate) const INTERVAL: usize = 1;
    pub(crate) const WEIGHT: usize = 2;
    pub(crate) const HOST: usize = 3;

    pub(crate) fn new(raw: bool) -> Columns {
        Columns {
            raw,
            fields: schema::OBJECT_TABLE.map(Column::field).into(),
            taken: schema::RESERVED.map(str::to_owned).into(),
            slots: HashMap::new(),
            local_time: None,
            instance: None,
            instance_id: None,
            recent: Vec::new(),
            schema: None,
        }
    }

    /// All columns, whether they are kept or not.
    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Which columns are kept.
    pub(crate) fn kept(&self, keep: Option<&Keep>) -> Vec<bool> {
        self.fields.iter().map(|field| keep.is_none_or(|keep| keep(field.name()))).collect()
    }

    /// The columns that are kept.
    pub(crate) fn schema(&mut self, keep: Option<&Keep>) -> SchemaRef {
        if let Some(known) = &self.schema {
            return Arc::clone(known);
        }
        let kept = self.kept(keep);
        let fields = self.fields.iter().zip(kept).filter(|(_, is_kept)| *is_kept);
        let schema = Arc::new(Schema::new(fields.map(|(field, _)| field.clone()).collect::<Vec<_>>()));
        self.schema = Some(Arc::clone(&schema));
        schema
    }

    /// Makes sure that the column of local times exists.
    pub(crate) fn add_local_time(&mut self) {
        if self.local_time.is_none() {
            self.local_time = Some(self.push(schema::LOCAL_TIME.field()));
        }
    }

    /// Makes sure that the columns of instances exist.
    pub(crate) fn add_instances(&mut self, instanced: bool, with_ids: bool) {
        if instanced && self.instance.is_none() {
            self.instance = Some(self.push(schema::INSTANCE.field()));
        }
        if with_ids && self.instance_id.is_none() {
            self.instance_id = Some(self.push(schema::INSTANCE_ID.field()));
        }
    }

    /// The columns of some counters of a definition; missing ones are created.
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
            let is_text = object.counters[counter].is_text();
            if let Some(&known) = self.slots.get(key).filter(|known| !is_text || known.text.is_some()) {
                slots.push(known);
                continue;
            }
            if let Some(&known) = self.slots.get(key) {
                // It had values in an earlier definition.
                let with_text = Slots { text: Some(self.add_texts(key)), ..known };
                self.slots.insert(key.clone(), with_text);
                slots.push(with_text);
                continue;
            }
            let mut new = self.add_counter(key);
            if is_text {
                new.text = Some(self.add_texts(key));
            }
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

    fn add_texts(&mut self, (name, ..): &Key) -> usize {
        self.push_named(&schema::texts_of(name), DataType::Utf8)
    }

    fn add_counter(&mut self, (name, is_base, _): &Key) -> Slots {
        let value = (!is_base).then(|| self.push_named(name, DataType::Float64));
        if !self.raw {
            return Slots { value, ..Slots::default() };
        }
        let first = Some(self.push_named(&format!("{name} (first)"), DataType::UInt64));
        let second = (!is_base).then(|| self.push_named(&format!("{name} (second)"), DataType::UInt64));
        Slots { value, first, second, text: None }
    }

    /// Adds a column with a name that is unique when case is ignored: SQL doesn't distinguish `A` and `a`.
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
        self.schema = None;
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
