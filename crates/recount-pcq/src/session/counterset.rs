//! A counterset: a registration and its texts as an object with counters.

use std::sync::Arc;

use recount_model::{AggregateFunction, Aggregation, CounterDef, Multi, ObjectDef, Second, Size};

use super::checks::is_scale;
use super::links::{self, CounterIds, Links};
use super::texts::Texts;
use crate::{CounterRegInfo, Guid, Registration};

/// A counterset, or those of its counters that a query requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterset {
    /// Its GUID.
    pub guid: Guid,
    /// Definition; counters in the order of the registration.
    pub object: Arc<ObjectDef>,
    /// Per counter of `object`, the inputs of its value. A counter with a required link that can't be
    /// followed has no second value and therefore no value.
    pub links: Vec<Links>,
    /// `CounterId` of each counter of `object`.
    pub counter_ids: Vec<u32>,
    /// The counters by id; `None` for an id shared by several.
    by_id: CounterIds,
}

impl Counterset {
    /// Combines a registration and its texts. `name` is the counterset's, unique in its capture.
    pub(super) fn new(registration: &Registration, texts: &Texts, name: Arc<str>) -> Counterset {
        let counters = &registration.counters;
        let by_id = links::counter_ids(counters);
        let links_of = |counter| links::resolve(counters, &by_id, counter).unwrap_or_default();
        let set = &registration.set;
        let links: Vec<Links> = counters.iter().map(links_of).collect();
        let mut defs: Vec<CounterDef> = counters.iter().map(|counter| counter_def(counter, texts)).collect();
        for (at, links) in links.iter().enumerate() {
            defs[at].base = base(links).map(|base| Arc::clone(&defs[base].name));
        }
        let object = ObjectDef {
            name,
            index: None,
            help: texts.description().cloned(),
            instanced: set.instance_type != 0,
            counters: defs,
            aggregation: aggregation(set.instance_type),
            ..ObjectDef::default()
        };
        Counterset {
            guid: set.guid,
            object: Arc::new(object),
            links,
            counter_ids: counters.iter().map(|counter| counter.counter_id).collect(),
            by_id,
        }
    }

    /// Index of the counter with an id; `None` if there are none or several.
    pub fn counter(&self, id: u32) -> Option<usize> {
        self.by_id.get(&id).copied().flatten()
    }

    /// Whether any counter has that id.
    pub fn has_id(&self, id: u32) -> bool {
        self.by_id.contains_key(&id)
    }

    /// Only the counters with wanted ids. Links to others are removed: such a counter has no second value.
    #[must_use]
    pub(super) fn restricted_to(&self, is_wanted: impl Fn(u32) -> bool) -> Counterset {
        let ids = self.counter_ids.iter().enumerate();
        let wanted: Vec<usize> = ids.filter(|(_, id)| is_wanted(**id)).map(|(index, _)| index).collect();
        if wanted.len() == self.links.len() {
            return self.clone();
        }
        let moved = |index: usize| wanted.binary_search(&index).ok();
        let pick = |index: &usize| self.object.counters.get(*index).cloned();
        let object = ObjectDef {
            counters: wanted.iter().filter_map(pick).collect(),
            help: self.object.help.clone(),
            name: Arc::clone(&self.object.name),
            renewal: None,
            ..*self.object
        };
        Counterset {
            guid: self.guid,
            object: Arc::new(object),
            links: wanted.iter().filter_map(|index| Some(self.links.get(*index)?.moved(moved))).collect(),
            counter_ids: wanted.iter().filter_map(|index| self.counter_ids.get(*index).copied()).collect(),
            by_id: self.by_id.iter().filter_map(|(id, index)| Some((*id, Some(moved((*index)?)?)))).collect(),
        }
    }
}

impl Links {
    /// The same links with other counter indexes. If any of the counters is missing, all links are removed: a
    /// counter needs all of its inputs.
    fn moved(&self, moved: impl Fn(usize) -> Option<usize>) -> Links {
        let second = match &self.second {
            Second::Base(base) => moved(*base).map(Second::Base),
            other => Some(other.clone()),
        };
        let multi = match &self.multi {
            Multi::Base(base) => moved(*base).map(Multi::Base),
            other => Some(other.clone()),
        };
        let frequency = self.frequency.map_or(Some(None), |frequency| moved(frequency).map(Some));
        match (second, multi, frequency) {
            (Some(second), Some(multi), Some(frequency)) => Links { second, multi, frequency },
            _ => Links::default(),
        }
    }
}

/// `InstanceType` of 2.2.4.1. Global aggregates and similar types have instances, over which the client
/// aggregates.
fn aggregation(instance_type: u32) -> Aggregation {
    match instance_type {
        0x4 => Aggregation::Global,
        0x6 => Aggregation::Multiple,
        0xC => Aggregation::GlobalHistory,
        _ => Aggregation::None,
    }
}

/// `AggregateFunc` of 2.2.4.2.
fn aggregate_function(number: u32) -> AggregateFunction {
    match number {
        1 => AggregateFunction::Total,
        2 => AggregateFunction::Average,
        3 => AggregateFunction::Minimum,
        4 => AggregateFunction::Maximum,
        _ => AggregateFunction::Undefined,
    }
}

/// The counter that is the base of a counter, or its number of instances. A clock is neither.
fn base(links: &Links) -> Option<usize> {
    match (&links.second, &links.multi) {
        (Second::Base(base), _) if links.frequency.is_none() => Some(*base),
        (_, Multi::Base(count)) => Some(*count),
        _ => None,
    }
}

fn counter_def(counter: &CounterRegInfo, texts: &Texts) -> CounterDef {
    let id = counter.counter_id;
    CounterDef {
        name: texts.counter_name(id).cloned().unwrap_or_else(|| id.to_string().into()),
        index: None,
        help: texts.counter_description(id).cloned(),
        counter_type: Some(counter.counter_type),
        default_scale: if is_scale(counter.default_scale) { counter.default_scale } else { 0 },
        detail_level: Some(counter.detail_level),
        len_value: len_value(counter),
        aggregate: aggregate_function(counter.aggregate_func),
        attributes: counter.attributes,
        ..CounterDef::default()
    }
}

/// The registration has no length. If the type word doesn't determine it, eight bytes are the safe
/// assumption: a 32-bit value that wraps is then a reset without a value, and not a wrong value.
fn len_value(counter: &CounterRegInfo) -> u32 {
    match counter.counter_type.size() {
        Size::Dword => 4,
        Size::Large | Size::Zero => 8,
        Size::VariableLen => 0,
    }
}
