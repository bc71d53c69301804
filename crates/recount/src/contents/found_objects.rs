//! Which counters a capture holds, and how many instances.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use recount_compute::{AggregateCatalogue, CookOptions, PipelineOptions, survey};
use recount_model::{CounterDef, CounterPath, Health, Instance, Instances, ObjectDef, Selection};
use serde::Serialize;

use crate::{Capture, Timeline};

/// One counter of one instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CounterEntry {
    /// The path, as PDH writes it.
    pub path: String,
    /// Name of the counter type, or its word in hexadecimal if it has none; empty for values that another
    /// tool cooked.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Unit of the cooked value.
    pub unit: String,
    /// Power of ten by which charts scale the value.
    pub default_scale: i32,
}

/// Every selected counter of every instance in the captures, in order of appearance, and what could not be read. Bases
/// aren't included.
pub fn list(captures: &[Capture], selection: &Selection) -> (Vec<CounterEntry>, Health) {
    let (objects, health) = FoundObjects::read(captures, selection);
    let mut entries = Vec::new();
    for found in &objects.objects {
        for (place, instance) in found.instances.iter().enumerate() {
            for (index, counter) in found.object.counters.iter().enumerate() {
                let shown = found.shown(instance);
                let selected = selection.matches(&found.host, &found.object.name, shown, &counter.name);
                if selected && !counter.is_hidden() && found.has(place, index) {
                    entries.push(entry(&found.host, &found.object, shown, counter));
                }
            }
        }
    }
    (entries, health)
}

fn entry(host: &str, object: &ObjectDef, instance: Option<&Instance>, counter: &CounterDef) -> CounterEntry {
    CounterEntry {
        path: CounterPath::of(host, &object.name, instance, &counter.name).to_string(),
        type_name: counter.counter_type.map(|word| word.to_string()).unwrap_or_default(),
        unit: counter.unit().to_owned(),
        default_scale: counter.default_scale,
    }
}

/// Objects, their definitions and instances, over a whole capture.
#[derive(Default)]
pub(crate) struct FoundObjects {
    pub(crate) objects: Vec<FoundObject>,
    by_name: HashMap<(Arc<str>, Arc<str>), usize>,
}

/// Name, parent, occurrence number.
type ShownName = (Arc<str>, Option<Arc<str>>, u32);

/// Counters by their index, with the instances that have them; `None` if all do.
type Covers = Vec<(usize, Option<Arc<[bool]>>)>;

/// What a run had.
struct LastRun {
    instances: Instances,
    counters: Vec<CounterDef>,
    covers: Covers,
}

impl LastRun {
    fn is_repeated_by(&self, object: &ObjectDef, instances: &Instances, covers: &Covers) -> bool {
        let same = |(a, b): (&CounterDef, &CounterDef)| a.name == b.name && a.counter_type == b.counter_type;
        Arc::ptr_eq(&self.instances, instances)
            && self.counters.len() == object.counters.len()
            && self.counters.iter().zip(&object.counters).all(same)
            && self.covers == *covers
    }
}

/// An object of a host: the union over all samples.
pub(crate) struct FoundObject {
    pub(crate) host: Arc<str>,
    pub(crate) object: ObjectDef,
    /// By shown name, in order of appearance.
    pub(crate) instances: Vec<Instance>,
    index: HashMap<ShownName, usize>,
    /// Instances that lack counters, by their index in `instances`, with the counters that they have. Empty if
    /// none lacks any.
    partial: BTreeMap<usize, HashSet<usize>>,
    /// The last run: most runs repeat its instances and counters.
    last: Option<LastRun>,
    /// Whether some of its counters are of instances, and others aren't, as in archives of PCP.
    is_mixed: bool,
}

impl FoundObjects {
    /// Number of counters of instances, without bases.
    pub(crate) fn num_paths(&self) -> usize {
        self.objects.iter().map(FoundObject::num_paths).sum()
    }

    /// Reads all samples of the captures.
    pub(crate) fn read(captures: &[Capture], selection: &Selection) -> (FoundObjects, Health) {
        let mut found = FoundObjects::default();
        let mut options = PipelineOptions::default();
        options.cook = CookOptions { selection: selection.clone(), ..options.cook };
        // Times don't matter here, so that captures of unknown zones can be listed with others.
        let timeline = Timeline::without_times(captures);
        let inputs = timeline.inputs();
        let mut aggregates = AggregateCatalogue::new(inputs);
        let health = survey(inputs, &options, |decoded| {
            for run in decoded.runs {
                let covers = run.columns.iter().enumerate().map(|(index, c)| (index, c.covers.clone()));
                found.add(&run.host, &run.object, &run.instances, covers);
                for aggregate in aggregates.of(&run, false) {
                    let covers = aggregate.counters.iter().map(|index| (*index, Some(Arc::from([true]))));
                    let instance: Instances = [aggregate.instance.clone()].into();
                    found.add(&run.host, &run.object, &instance, covers);
                }
            }
            for cooked in decoded.cooked {
                let covers = cooked.columns.iter().map(|c| (c.counter, c.covers.clone()));
                found.add(&cooked.host, &cooked.object, &cooked.instances, covers);
            }
        });
        (found, health)
    }

    fn add(
        &mut self,
        host: &Arc<str>,
        object: &Arc<ObjectDef>,
        instances: &Instances,
        covers: impl Iterator<Item = (usize, Option<Arc<[bool]>>)>,
    ) {
        let key = (Arc::clone(host), Arc::clone(&object.name));
        let place = *self.by_name.entry(key).or_insert_with(|| {
            self.objects.push(FoundObject {
                host: Arc::clone(host),
                object: ObjectDef { counters: Vec::new(), ..(**object).clone() },
                instances: Vec::new(),
                index: HashMap::new(),
                partial: BTreeMap::new(),
                last: None,
                is_mixed: false,
            });
            self.objects.len() - 1
        });
        self.objects[place].add(object, instances, covers);
    }
}

impl FoundObject {
    /// Whether an instance, by its index in `instances`, has a counter.
    fn has(&self, place: usize, counter: usize) -> bool {
        self.partial.get(&place).is_none_or(|counters| counters.contains(&counter))
    }

    /// The instance as paths show it.
    fn shown<'i>(&self, instance: &'i Instance) -> Option<&'i Instance> {
        (self.object.instanced && !(self.is_mixed && instance.is_unnamed())).then_some(instance)
    }

    /// Number of counters of all its instances together, without bases.
    fn num_paths(&self) -> usize {
        let counters = self.object.counters.iter().enumerate().filter(|(_, counter)| !counter.is_hidden());
        let shown: Vec<usize> = counters.map(|(index, _)| index).collect();
        let has = |place: usize| shown.iter().filter(|counter| self.has(place, **counter)).count();
        (0..self.instances.len()).map(has).sum()
    }

    fn add(
        &mut self,
        object: &ObjectDef,
        instances: &Instances,
        covers: impl Iterator<Item = (usize, Option<Arc<[bool]>>)>,
    ) {
        self.is_mixed |= self.object.instanced != object.instanced;
        self.object.instanced |= object.instanced;
        let covers: Covers = covers.collect();
        if self.last.as_ref().is_some_and(|last| last.is_repeated_by(object, instances, &covers)) {
            return;
        }
        let num_before = self.object.counters.len();
        let counters: Vec<usize> = object.counters.iter().map(|counter| self.counter(counter)).collect();
        if num_before > 0 && self.object.counters.len() > num_before {
            // Another list of counters: instances that had all of the earlier ones may lack the new ones.
            for place in 0..self.instances.len() {
                self.partial.entry(place).or_insert_with(|| (0..num_before).collect());
            }
        }
        let places: Vec<usize> = instances.iter().map(|instance| self.instance(instance)).collect();
        for (at, place) in places.into_iter().enumerate() {
            let has = |covers: &Option<Arc<[bool]>>| covers.as_ref().is_none_or(|covers| covers[at]);
            let all =
                covers.len() == self.object.counters.len() && covers.iter().all(|(_, covers)| has(covers));
            let known = self.partial.entry(place);
            if !all || matches!(known, std::collections::btree_map::Entry::Occupied(_)) {
                let has =
                    covers.iter().filter(|(_, covers)| has(covers)).filter_map(|(c, _)| counters.get(*c));
                known.or_default().extend(has);
            }
        }
        let (instances, counters) = (Arc::clone(instances), object.counters.clone());
        self.last = Some(LastRun { instances, counters, covers });
    }

    fn counter(&mut self, counter: &CounterDef) -> usize {
        let counters = &mut self.object.counters;
        let same = |c: &CounterDef| c.name == counter.name && c.counter_type == counter.counter_type;
        counters.iter().position(same).unwrap_or_else(|| {
            counters.push(counter.clone());
            counters.len() - 1
        })
    }

    fn instance(&mut self, instance: &Instance) -> usize {
        let key = (Arc::clone(&instance.name), instance.parent.clone(), instance.ordinal);
        *self.index.entry(key).or_insert_with(|| {
            self.instances.push(instance.clone());
            self.instances.len() - 1
        })
    }
}

/// Whether the captures are known to have a counter with texts that may be selected.
pub(crate) fn has_texts(captures: &[Capture], selection: &Selection) -> bool {
    if captures.iter().any(|capture| capture.source.info().has_texts) {
        return true;
    }
    captures.iter().flat_map(|capture| capture.source.objects()).any(|(_, object)| {
        let is_wanted = |counter: &CounterDef| selection.may_match_counter(&object.name, &counter.name);
        object.counters.iter().any(|counter| counter.is_text() && !counter.is_hidden() && is_wanted(counter))
    })
}
