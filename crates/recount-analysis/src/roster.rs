//! The series of a capture, numbered in order of appearance.

use std::collections::HashMap;
use std::sync::Arc;

use recount_compute::Cooked;
use recount_model::{CounterPath, CounterType, Instance, Instances, NumberStyle, Timestamp};

use crate::shown::is_of_tasks;

/// What distinguishes series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouping {
    /// Whether machines are distinguished.
    pub by_host: bool,
    /// How instances are distinguished.
    pub instances: InstanceGrouping,
}

/// How instances are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceGrouping {
    /// Not at all: all instances of an object form one series.
    Together,
    /// By the name that Windows shows, `svchost#3`: as in the tables. The name may move to another process
    /// over time.
    Shown,
    /// Processes and threads by identity where the capture has ids, everything else by the name that Windows shows.
    Tasks,
    /// By identity: name, id, and start if known. A series never contains two processes.
    Identity,
}

impl Default for Grouping {
    fn default() -> Self {
        Grouping { by_host: true, instances: InstanceGrouping::Shown }
    }
}

/// All objects seen so far.
#[derive(Debug, Default)]
pub struct Roster {
    grouping: Grouping,
    objects: Vec<ObjectEntry>,
    by_name: HashMap<(Arc<str>, Arc<str>), usize>,
}

/// A performance object of one machine (of all, if machines aren't distinguished).
#[derive(Debug)]
pub struct ObjectEntry {
    /// Machine; empty if unknown, or if machines aren't distinguished.
    pub host: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
    /// Its counters.
    pub counters: Vec<CounterEntry>,
    /// Its instances.
    pub instances: Vec<InstanceEntry>,
    by_counter: HashMap<Arc<str>, usize>,
    by_instance: HashMap<InstanceKey, usize>,
    /// The process or thread that last had a name.
    by_shown: HashMap<Arc<str>, usize>,
    /// The last instance table, and its numbers.
    last: Option<(Instances, Arc<[u32]>)>,
}

/// A counter.
#[derive(Clone, Debug)]
pub struct CounterEntry {
    /// Its name.
    pub name: Arc<str>,
    /// Unit of its cooked values; may be empty.
    pub unit: &'static str,
    /// How its values are shown.
    pub style: NumberStyle,
    /// Its type word; `None` for values that were cooked in the source.
    pub counter_type: Option<CounterType>,
    /// Explanation.
    pub help: Option<Arc<str>>,
}

/// An instance, or a group counted as one.
#[derive(Clone, Debug)]
pub struct InstanceEntry {
    /// The instance as first seen; `None` for objects without instances, and for all instances together.
    pub instance: Option<Instance>,
    /// The last name it was shown under.
    pub shown: Option<Arc<str>>,
    /// Whether several instances had the name by which they are grouped, in succession: mostly processes.
    pub is_shared: bool,
    /// How many instances with the same id began before it, where they are grouped by identity.
    pub occurrence: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum InstanceKey {
    All,
    Shown(Arc<str>),
    Identity { name: Arc<str>, parent: Option<Arc<str>>, id: Option<u64>, ordinal: u32 },
}

/// A cooked stretch and its place in the roster.
#[derive(Debug)]
pub struct Placed<'a> {
    /// The values.
    pub cooked: &'a Cooked,
    /// Number of its object.
    pub object: usize,
    /// Per instance of the stretch: its number in the object.
    pub slots: Arc<[u32]>,
    /// Per column of the stretch: the number of its counter in the object.
    pub counters: Vec<u32>,
}

impl Placed<'_> {
    /// Per counter of the object, its column in the stretch.
    pub(crate) fn columns(&self, num_counters: usize) -> Vec<Option<usize>> {
        let mut columns = vec![None; num_counters];
        for (column, counter) in self.counters.iter().enumerate() {
            columns[*counter as usize] = Some(column);
        }
        columns
    }
}

/// The stretches of each object, in order.
pub(crate) fn by_object<'b, 'a>(batch: &'b [Placed<'a>], num_objects: usize) -> Vec<Vec<&'b Placed<'a>>> {
    let mut of_object: Vec<Vec<&Placed<'_>>> = vec![Vec::new(); num_objects];
    for placed in batch {
        of_object[placed.object].push(placed);
    }
    of_object
}

/// Whether two samples say of one process when it started.
fn is_one_start(one: Timestamp, other: Timestamp) -> bool {
    /// They differ by at most this (100 ns).
    const TOLERANCE: u64 = 2 * Timestamp::TICKS_PER_SECOND as u64;
    one.0.abs_diff(other.0) <= TOLERANCE
}

/// Whether these are one process. Instances without an id are identified by their name alone.
pub fn is_one(one: &Instance, other: &Instance) -> bool {
    one.id.zip(other.id).is_none_or(|(one, other)| one == other)
        && one.start.zip(other.start).is_none_or(|(one, other)| is_one_start(one, other))
}

impl Roster {
    /// An empty roster.
    pub fn new(grouping: Grouping) -> Roster {
        Roster { grouping, ..Roster::default() }
    }

    /// All objects, in order of appearance.
    pub fn objects(&self) -> &[ObjectEntry] {
        &self.objects
    }

    /// Finds the stretches of a batch in the roster, adding what is new.
    pub fn place<'a>(&mut self, batch: &'a [Cooked]) -> Vec<Placed<'a>> {
        batch.iter().map(|cooked| self.place_one(cooked)).collect()
    }

    fn place_one<'a>(&mut self, cooked: &'a Cooked) -> Placed<'a> {
        let host = if self.grouping.by_host { Arc::clone(&cooked.host) } else { Arc::from("") };
        let key = (host, Arc::clone(&cooked.object.name));
        let object = if let Some(&object) = self.by_name.get(&key) {
            object
        } else {
            self.objects.push(ObjectEntry::new(&key));
            self.by_name.insert(key, self.objects.len() - 1);
            self.objects.len() - 1
        };
        let entry = &mut self.objects[object];
        let slots = entry.slots(cooked, self.grouping.instances);
        let counters = cooked.columns.iter().map(|column| entry.counter(cooked, column.counter)).collect();
        Placed { cooked, object, slots, counters }
    }
}

impl ObjectEntry {
    fn new((host, name): &(Arc<str>, Arc<str>)) -> ObjectEntry {
        ObjectEntry {
            host: Arc::clone(host),
            name: Arc::clone(name),
            counters: Vec::new(),
            instances: Vec::new(),
            by_counter: HashMap::new(),
            by_instance: HashMap::new(),
            by_shown: HashMap::new(),
            last: None,
        }
    }

    /// The path of a series, as PDH writes it.
    pub fn path(&self, instance: usize, counter: usize) -> CounterPath {
        let instance = self.instances.get(instance).and_then(|entry| entry.instance.as_ref());
        let counter = self.counters.get(counter).map_or("", |counter| &counter.name);
        CounterPath::of(&self.host, &self.name, instance, counter)
    }

    /// Counters with the same name in one definition (`Processor Time`, twice) are distinguished by the order
    /// of their columns, as in the tables.
    fn counter(&mut self, cooked: &Cooked, index: usize) -> u32 {
        let Some(def) = cooked.object.counters.get(index) else { return 0 };
        let before = cooked.object.counters[..index].iter().filter(|other| other.name == def.name).count();
        let name = match before {
            0 => Arc::clone(&def.name),
            before => format!("{} ({})", def.name, before + 1).into(),
        };
        if let Some(&known) = self.by_counter.get(&name) {
            return known as u32;
        }
        self.counters.push(CounterEntry {
            name: Arc::clone(&name),
            unit: def.unit(),
            style: def.style(),
            counter_type: def.counter_type,
            help: def.help.clone(),
        });
        self.by_counter.insert(name, self.counters.len() - 1);
        (self.counters.len() - 1) as u32
    }

    fn slots(&mut self, cooked: &Cooked, grouping: InstanceGrouping) -> Arc<[u32]> {
        if let Some((instances, slots)) = &self.last
            && Arc::ptr_eq(instances, &cooked.instances)
        {
            return Arc::clone(slots);
        }
        let instanced = cooked.object.instanced;
        let is_of_tasks = grouping == InstanceGrouping::Tasks && is_of_tasks(&self.name);
        let grouping = match grouping {
            InstanceGrouping::Tasks if is_of_tasks => InstanceGrouping::Identity,
            InstanceGrouping::Tasks => InstanceGrouping::Shown,
            other => other,
        };
        let slot = |instance: &Instance| {
            let known = if is_of_tasks && instanced { self.same_name(instance) } else { None };
            let slot = known.unwrap_or_else(|| self.slot(instance, instanced, grouping));
            if is_of_tasks {
                self.by_shown.extend(self.instances[slot].shown.clone().map(|shown| (shown, slot)));
            }
            slot as u32
        };
        let slots: Arc<[u32]> = cooked.instances.iter().map(slot).collect();
        self.last = Some((Arc::clone(&cooked.instances), Arc::clone(&slots)));
        slots
    }

    /// The process that last had this name, if one of the two has no id: captures of one machine may have ids or not.
    fn same_name(&mut self, instance: &Instance) -> Option<usize> {
        let shown = instance.shown();
        let slot = *self.by_shown.get(shown.as_str())?;
        let known = self.instances[slot].instance.as_mut()?;
        match (known.id, instance.id) {
            (None, Some(_)) => {
                known.clone_from(instance);
                self.by_instance.insert(identity(instance), slot);
                Some(slot)
            }
            (_, None) => Some(slot),
            _ => None,
        }
    }

    fn slot(&mut self, instance: &Instance, instanced: bool, grouping: InstanceGrouping) -> usize {
        let shown: Option<Arc<str>> = instanced.then(|| instance.shown().into());
        let key = match (grouping, &shown) {
            (InstanceGrouping::Together, _) | (_, None) => InstanceKey::All,
            (InstanceGrouping::Shown | InstanceGrouping::Tasks, Some(shown)) => {
                InstanceKey::Shown(Arc::clone(shown))
            }
            (InstanceGrouping::Identity, Some(_)) => identity(instance),
        };
        let mut occurrence = 0;
        if let Some(&slot) = self.by_instance.get(&key) {
            let entry = &mut self.instances[slot];
            let earlier = entry.instance.as_ref().and_then(|earlier| earlier.start);
            let began_later = match (grouping, earlier, instance.start) {
                (InstanceGrouping::Identity, Some(one), Some(other)) => !is_one_start(one, other),
                _ => false,
            };
            if !began_later {
                entry.is_shared |= entry.instance.as_ref().is_some_and(|first| !is_one(first, instance));
                if !matches!(key, InstanceKey::All) {
                    entry.shown = shown;
                }
                return slot;
            }
            occurrence = entry.occurrence + 1;
        }
        let is_group = matches!(key, InstanceKey::All);
        let entry = InstanceEntry {
            instance: (!is_group).then(|| instance.clone()),
            shown: shown.filter(|_| !is_group),
            is_shared: false,
            occurrence,
        };
        self.instances.push(entry);
        self.by_instance.insert(key, self.instances.len() - 1);
        self.instances.len() - 1
    }
}

fn identity(instance: &Instance) -> InstanceKey {
    let (_, _, id, ordinal) = instance.key();
    InstanceKey::Identity { name: Arc::clone(&instance.name), parent: instance.parent.clone(), id, ordinal }
}
