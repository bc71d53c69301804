//! The entries of the list, and the assignment of records to them.

use std::collections::HashMap;

use recount_model::{CounterType, Instance, Instances, NameTable, Run};

use super::index_names::IndexNames;
use crate::structure::counter_list::Entry;

/// Kind of an entry of one value, and of one for all instances.
const KIND_SINGLE: u32 = 0;
const KIND_WILDCARD: u32 = 1;
/// Of one for a whole object, which is its type word, too.
const KIND_OBJECT: u32 = 0x10;

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
    /// The names of what may be written as whole objects.
    pub(super) names: IndexNames,
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
    pub(super) whole: WholeLayout,
}

/// Whether an object is written as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct WholeLayout {
    /// Whether some sample would not read back as it was.
    pub(super) is_unfit: bool,
    instanced: bool,
    /// Whether two samples have different instances.
    comes_and_goes: bool,
    /// The instances of the last sample.
    last: Option<Instances>,
    /// The last sample that has the object.
    pub(super) last_sample: Option<u64>,
    /// Ticks per second of its performance counter.
    perf_freq: u64,
    /// Its entry, if it is written as a whole.
    pub(super) entry: Option<usize>,
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

    /// The same with single counters instead of whole objects; `None` if there are no whole objects.
    pub fn without_objects(&self) -> Option<ListLayout> {
        let mut layout = self.has_objects().then(|| self.clone())?;
        layout.objects.iter_mut().for_each(|object| object.whole.is_unfit = true);
        layout.number_entries();
        Some(layout)
    }

    /// The names of objects and counters by index, which a log with whole objects needs: per machine, without
    /// backslashes.
    pub fn name_tables(&self) -> impl Iterator<Item = (&str, &NameTable)> {
        self.names.tables().filter(|_| self.has_objects())
    }

    /// Ticks per second of the performance counter of the first whole object; `None` if there is none that has one.
    pub fn perf_freq(&self) -> Option<i64> {
        let whole = self.objects.iter().find(|object| object.whole.entry.is_some())?;
        i64::try_from(whole.whole.perf_freq).ok().filter(|freq| *freq > 0)
    }

    fn has_objects(&self) -> bool {
        self.objects.iter().any(|object| object.whole.entry.is_some())
    }

    fn entries(&self, sample: u64) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(self.num_entries);
        for object in &self.objects {
            if object.whole.entry.is_some() {
                entries.push(object.whole_entry());
                continue;
            }
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
        // Where one object is whole, all are that can be: a log of whole objects only is what Windows writes.
        let has_objects = self.objects.iter().any(|object| object.can_be_whole() && object.should_be_whole());
        for object in &mut self.objects {
            let num_instances = object.instances.len();
            object.whole.entry = (has_objects && object.can_be_whole()).then_some(next);
            if object.whole.entry.is_some() {
                next += 1;
                continue;
            }
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
        let listed = self.objects.iter().filter(|object| object.whole.entry.is_none());
        let rates = listed.flat_map(|object| &object.columns).flat_map(|column| &column.rates[1..]);
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
            whole: WholeLayout { instanced: run.object.instanced, ..WholeLayout::default() },
        }
    }

    /// Takes note of the instances of a run, which has samples with these numbers.
    pub(super) fn note_samples(&mut self, run: &Run, numbers: &[u64]) {
        let whole = &mut self.whole;
        whole.comes_and_goes |= whole.last.as_ref().is_some_and(|last| *last != run.instances);
        whole.last = Some(Instances::clone(&run.instances));
        // A block has room for one of two runs of the same sample.
        whole.is_unfit |= whole.last_sample.zip(numbers.first()).is_some_and(|(last, first)| *first <= last);
        whole.is_unfit |= whole.instanced != run.object.instanced;
        whole.last_sample = whole.last_sample.max(numbers.last().copied());
        whole.perf_freq = whole.perf_freq.max(run.clocks.perf_freq.first().copied().unwrap_or(0));
    }

    fn can_be_whole(&self) -> bool {
        !self.whole.is_unfit && !self.columns.is_empty()
    }

    /// Whether records of single counters would be many times larger.
    fn should_be_whole(&self) -> bool {
        let is_by_instance = self.columns.iter().any(|column| !column.is_wildcard);
        self.whole.instanced && (self.whole.comes_and_goes || is_by_instance)
    }

    fn whole_entry(&self) -> Entry {
        Entry {
            kind: KIND_OBJECT,
            counter_type: CounterType(KIND_OBJECT),
            time_base: 0,
            default_scale: 0,
            host: self.host.clone(),
            object: self.name.clone(),
            instance: self.whole.instanced.then(|| "*".to_owned()),
            parent: None,
            index: 0,
            counter: "*".to_owned(),
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
