//! The entries of the list, and the assignment of records to them.

use std::collections::HashMap;

use recount_model::{CounterType, Instance, Run};

use crate::structure::counter_list::Entry;

/// Kind of an entry of one value, and of one for all instances.
const KIND_SINGLE: u32 = 0;
const KIND_WILDCARD: u32 = 1;

/// What the counter list of a log must contain, and where the records of each counter go. The result of a
/// [`ListScan`](super::ListScan).
#[derive(Clone, Debug, Default)]
pub struct ListLayout {
    pub(super) objects: Vec<ObjectLayout>,
    pub(super) by_name: HashMap<(String, String), usize>,
    /// Total number of entries.
    pub(super) num_entries: usize,
    /// Samples, by number from 0, at which a time base or scale changes.
    pub(super) changes: Vec<u64>,
}

/// An object of one machine.
#[derive(Clone, Debug)]
pub(super) struct ObjectLayout {
    pub(super) host: String,
    pub(super) name: String,
    pub(super) columns: Vec<ColumnLayout>,
    pub(super) by_counter: HashMap<(String, u32), usize>,
    /// Instances in order of appearance.
    pub(super) instances: Vec<InstanceKey>,
    by_instance: HashMap<InstanceKey, usize>,
}

/// A counter of an object.
#[derive(Clone, Debug)]
pub(super) struct ColumnLayout {
    pub(super) name: String,
    pub(super) counter_type: CounterType,
    /// First sample, time base and scale.
    pub(super) rates: Vec<(u64, u64, i32)>,
    /// Whether the instances of every sample fit into one record.
    pub(super) is_wildcard: bool,
    /// The last sample that has it.
    pub(super) last_sample: Option<u64>,
    /// Per instance of the object, whether any sample has the counter for it.
    pub(super) covered: Vec<bool>,
    /// Its first entry, once they are numbered.
    pub(super) first_entry: usize,
    /// Per instance of the object, its entry, once they are numbered.
    pub(super) entries: Vec<Option<usize>>,
}

/// An instance as identified by an entry; names are compared without case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct InstanceKey {
    pub(super) lower: (String, Option<String>),
    pub(super) name: Shown,
    pub(super) ordinal: u32,
}

/// An instance as written, which isn't its identity; `None` for an object without instances.
#[derive(Clone, Debug)]
pub(super) struct Shown(pub(super) Option<(String, Option<String>)>);

impl PartialEq for Shown {
    fn eq(&self, other: &Shown) -> bool {
        self.0.is_some() == other.0.is_some()
    }
}

impl Eq for Shown {}

impl std::hash::Hash for Shown {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.is_some().hash(state);
    }
}

impl InstanceKey {
    pub(super) fn of(instance: &Instance, instanced: bool) -> InstanceKey {
        let parent = instance.parent.as_deref();
        InstanceKey {
            lower: (instance.name.to_lowercase(), parent.map(str::to_lowercase)),
            name: Shown(instanced.then(|| (instance.name.to_string(), parent.map(ToOwned::to_owned)))),
            ordinal: instance.ordinal,
        }
    }
}

impl ListLayout {
    /// Whether no counter was selected.
    pub fn is_empty(&self) -> bool {
        self.num_entries == 0
    }

    /// The counter list to write before the sample with this number, counted from 0; `None` if the previous
    /// list is still valid.
    pub fn list_at(&self, sample: u64) -> Option<Vec<Entry>> {
        (sample == 0 || self.changes.contains(&sample)).then(|| self.entries(sample))
    }

    fn entries(&self, sample: u64) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(self.num_entries);
        for object in &self.objects {
            for column in &object.columns {
                let mut entry = column.entry(object, sample);
                if column.is_wildcard {
                    entry.kind = KIND_WILDCARD;
                    entry.instance = Some("*".to_owned());
                    entries.push(entry);
                    continue;
                }
                for (key, _) in object.instances.iter().zip(&column.entries).filter(|(_, at)| at.is_some()) {
                    let (instance, parent) = match &key.name.0 {
                        Some((name, parent)) => (Some(name.clone()), parent.clone()),
                        None => (None, None),
                    };
                    entries.push(Entry { instance, parent, index: key.ordinal, ..entry.clone() });
                }
            }
        }
        entries
    }

    /// The object of a run; `None` if none of it is written.
    pub(super) fn object_of(&self, run: &Run) -> Option<usize> {
        self.by_name.get(&object_key(run)).copied()
    }

    /// Numbers the entries, in the order of the list.
    pub(super) fn number_entries(&mut self) {
        let mut next = 0;
        for object in &mut self.objects {
            let num_instances = object.instances.len();
            for column in &mut object.columns {
                column.first_entry = next;
                column.entries = vec![None; num_instances];
                if column.is_wildcard {
                    next += 1;
                    continue;
                }
                for (entry, covered) in column.entries.iter_mut().zip(&column.covered) {
                    if *covered {
                        *entry = Some(next);
                        next += 1;
                    }
                }
            }
        }
        self.num_entries = next;
        let rates =
            self.objects.iter().flat_map(|object| &object.columns).flat_map(|column| &column.rates[1..]);
        self.changes = rates.map(|(sample, _, _)| *sample).collect();
        self.changes.sort_unstable();
        self.changes.dedup();
    }
}

impl ObjectLayout {
    pub(super) fn new(run: &Run) -> ObjectLayout {
        ObjectLayout {
            host: run.host.to_string(),
            name: run.object.name.to_string(),
            columns: Vec::new(),
            by_counter: HashMap::new(),
            instances: Vec::new(),
            by_instance: HashMap::new(),
        }
    }

    /// The number of an instance, which is added if new.
    pub(super) fn add_instance(&mut self, instance: &Instance, instanced: bool) -> usize {
        let key = InstanceKey::of(instance, instanced);
        if let Some(&at) = self.by_instance.get(&key) {
            return at;
        }
        self.instances.push(key.clone());
        self.by_instance.insert(key, self.instances.len() - 1);
        self.instances.len() - 1
    }

    pub(super) fn find_instance(&self, instance: &Instance, instanced: bool) -> Option<usize> {
        self.by_instance.get(&InstanceKey::of(instance, instanced)).copied()
    }

    pub(super) fn column_of(&self, name: &str, word: CounterType) -> Option<usize> {
        self.by_counter.get(&(name.to_lowercase(), word.0)).copied()
    }
}

impl ColumnLayout {
    fn entry(&self, object: &ObjectLayout, sample: u64) -> Entry {
        let at = self.rates.partition_point(|(from, _, _)| *from <= sample).saturating_sub(1);
        let (_, time_base, default_scale) = self.rates[at];
        Entry {
            kind: KIND_SINGLE,
            counter_type: self.counter_type,
            time_base,
            default_scale,
            host: object.host.clone(),
            object: object.name.clone(),
            instance: None,
            parent: None,
            index: 0,
            counter: self.name.clone(),
        }
    }
}

/// Objects with the same name and machine are one, ignoring case, as in the reader.
pub(super) fn object_key(run: &Run) -> (String, String) {
    (run.host.to_lowercase(), run.object.name.to_lowercase())
}
