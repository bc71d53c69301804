//! The columns of a PDH text.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use recount_model::{Cooked, CounterPath, Instance, ObjectDef};

/// One column of a PDH text: one counter of one instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CounterColumn {
    /// Machine, without leading backslashes; empty if unknown.
    pub host: Arc<str>,
    /// Performance object.
    pub object: Arc<str>,
    /// Instance; `None` for an object without instances. Only the parts shown in a path count, not id and
    /// start.
    pub instance: Option<Instance>,
    /// Counter.
    pub counter: Arc<str>,
}

impl CounterColumn {
    /// The column of a counter of an instance.
    pub fn of(host: &Arc<str>, object: &ObjectDef, instance: &Instance, counter: &Arc<str>) -> CounterColumn {
        CounterColumn {
            host: host.clone(),
            object: object.name.clone(),
            instance: shown_instance(object, instance),
            counter: counter.clone(),
        }
    }

    /// The column without the parts that aren't shown in its path.
    pub(crate) fn as_shown(&self) -> CounterColumn {
        let instance = self.instance.as_ref().map(without_identity);
        CounterColumn { instance, ..self.clone() }
    }
}

/// The counter path: `\\host\object(parent/instance#n)\counter`.
impl fmt::Display for CounterColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = CounterPath::of(&self.host, &self.object, self.instance.as_ref(), &self.counter);
        write!(f, "{path}")
    }
}

/// The instance that distinguishes columns: `None` for an object without instances. Columns go by name, not
/// identity, so `svchost#3` is whatever has that name at the time, as in relog's output.
fn shown_instance(object: &ObjectDef, instance: &Instance) -> Option<Instance> {
    (object.instanced || !instance.is_unnamed()).then(|| without_identity(instance))
}

fn without_identity(instance: &Instance) -> Instance {
    Instance { id: None, ..instance.without_history() }
}

/// Collects the columns of a whole capture, whose runs change with their instances.
///
/// Objects are in order of first appearance, each with all of its columns together: per instance, in order of
/// first appearance, the counters in the order in which they first appeared in the object.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    objects: Vec<ObjectColumns>,
    object_at: HashMap<(Arc<str>, Arc<str>), usize>,
}

/// The columns of one object on one host. Maps and sets are for look-up only.
#[derive(Clone, Debug)]
struct ObjectColumns {
    host: Arc<str>,
    object: Arc<str>,
    instances: Vec<Option<Instance>>,
    instance_at: HashMap<Option<Instance>, usize>,
    counters: Vec<Arc<str>>,
    counter_at: HashMap<Arc<str>, usize>,
    /// Existing (instance, counter) pairs.
    pairs: HashSet<(usize, usize)>,
}

impl Columns {
    /// No columns yet.
    pub fn new() -> Columns {
        Columns::default()
    }

    /// Adds the columns of cooked values.
    pub fn add(&mut self, cooked: &Cooked) {
        let counters = cooked.columns.iter().map(|column| (column.counter, column.covers.as_deref()));
        self.add_counters(&cooked.host, &cooked.object, &cooked.instances, counters);
    }

    /// Adds counters of an object, each given as its index in `object.counters` and which of `instances` have
    /// it (`None` for all).
    pub fn add_counters<'a>(
        &mut self,
        host: &Arc<str>,
        object: &ObjectDef,
        instances: &[Instance],
        counters: impl IntoIterator<Item = (usize, Option<&'a [bool]>)>,
    ) {
        let num_objects = self.objects.len();
        let at = *self.object_at.entry((host.clone(), object.name.clone())).or_insert(num_objects);
        if at == num_objects {
            self.objects.push(ObjectColumns::new(host.clone(), object.name.clone()));
        }
        self.objects[at].add(object, instances, counters);
    }

    /// The columns, in order.
    pub fn into_vec(self) -> Vec<CounterColumn> {
        let mut columns = Vec::with_capacity(self.objects.iter().map(|object| object.pairs.len()).sum());
        for all in self.objects {
            for (at_instance, instance) in all.instances.iter().enumerate() {
                for (at_counter, counter) in all.counters.iter().enumerate() {
                    if all.pairs.contains(&(at_instance, at_counter)) {
                        columns.push(CounterColumn {
                            host: all.host.clone(),
                            object: all.object.clone(),
                            instance: instance.clone(),
                            counter: counter.clone(),
                        });
                    }
                }
            }
        }
        columns
    }
}

impl ObjectColumns {
    fn new(host: Arc<str>, object: Arc<str>) -> ObjectColumns {
        ObjectColumns {
            host,
            object,
            instances: Vec::new(),
            instance_at: HashMap::new(),
            counters: Vec::new(),
            counter_at: HashMap::new(),
            pairs: HashSet::new(),
        }
    }

    fn add<'a>(
        &mut self,
        object: &ObjectDef,
        instances: &[Instance],
        counters: impl IntoIterator<Item = (usize, Option<&'a [bool]>)>,
    ) {
        let rows: Vec<usize> =
            instances.iter().map(|instance| self.instance(shown_instance(object, instance))).collect();
        for (counter, covers) in counters {
            let Some(def) = object.counters.get(counter) else { continue };
            let at_counter = self.counter(&def.name);
            for (instance, &at_instance) in rows.iter().enumerate() {
                if covers.is_none_or(|covers| covers.get(instance) == Some(&true)) {
                    self.pairs.insert((at_instance, at_counter));
                }
            }
        }
    }

    fn instance(&mut self, instance: Option<Instance>) -> usize {
        if let Some(&at) = self.instance_at.get(&instance) {
            return at;
        }
        self.instance_at.insert(instance.clone(), self.instances.len());
        self.instances.push(instance);
        self.instances.len() - 1
    }

    fn counter(&mut self, name: &Arc<str>) -> usize {
        if let Some(&at) = self.counter_at.get(name) {
            return at;
        }
        self.counter_at.insert(name.clone(), self.counters.len());
        self.counters.push(name.clone());
        self.counters.len() - 1
    }
}
