//! Which aggregates exist, and the names of their instances.

use std::collections::HashSet;
use std::sync::Arc;

use recount_model::{AggregateFunction, Aggregation, Instance, ObjectDef, Run};

use super::taken_names::TakenNames;
use crate::Input;
use crate::select::covers;

/// An aggregate over the instances of an object: an additional instance after the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// The function.
    pub function: AggregateFunction,
    /// The instance that shows it: `_Total`, or `_Total#1` if the captures have a real instance called
    /// `_Total`.
    pub instance: Instance,
    /// Its counters, by ascending index.
    pub counters: Vec<usize>,
}

/// Whether aggregates (MS-PCQ 2.2.4.1) are computed for an object: whether one of its counters names a
/// function.
pub(crate) fn is_aggregated(object: &ObjectDef) -> bool {
    object.instanced
        && object.aggregation != Aggregation::None
        && (0..object.counters.len()).any(|counter| function_of(object, counter).is_some())
}

/// The function for a counter, if any. A base has no value of its own.
pub(super) fn function_of(object: &ObjectDef, counter: usize) -> Option<AggregateFunction> {
    let def = object.counters.get(counter).filter(|def| !def.is_base())?;
    Some(def.aggregate).filter(|function| *function != AggregateFunction::Undefined)
}

/// The aggregates of those counters that `exist`, in numerical order of the functions.
pub(super) fn aggregates(
    host: &Arc<str>,
    object: &ObjectDef,
    instances: &[Instance],
    taken: &TakenNames,
    exist: impl Fn(usize) -> bool,
) -> Vec<Aggregate> {
    let aggregate = |function: AggregateFunction| {
        let counters: Vec<usize> = (0..object.counters.len())
            .filter(|counter| function_of(object, *counter) == Some(function) && exist(*counter))
            .collect();
        let name = function.instance_name().filter(|_| !counters.is_empty())?;
        // Usually all samples were searched before.
        let ordinal = taken.free(host, &object.name, function).max(next_ordinal(function, instances));
        let instance = Instance { ordinal, ..Instance::named(name) };
        Some(Aggregate { function, instance, counters })
    };
    AggregateFunction::ALL.into_iter().filter_map(aggregate).collect()
}

/// The first occurrence number after those of instances with the aggregate's name. Names are compared without
/// case.
pub(super) fn next_ordinal(function: AggregateFunction, instances: &[Instance]) -> u32 {
    let lower = function.instance_name().unwrap_or_default().to_lowercase();
    let namesakes = instances.iter().filter(|i| i.parent.is_none() && i.name.to_lowercase() == lower);
    namesakes.map(|namesake| namesake.ordinal.saturating_add(1)).max().unwrap_or(0)
}

/// Lists, run by run, which aggregates the pipeline will add: for catalogues, which don't cook.
///
/// The runs of a capture must be given in order: the aggregates of an object with history outlive its
/// instances.
#[derive(Debug)]
pub struct AggregateCatalogue {
    /// Host, object and counter that had an instance.
    seen: HashSet<(Arc<str>, Arc<str>, Arc<str>)>,
    taken: TakenNames,
}

impl AggregateCatalogue {
    /// For runs of these inputs, which are searched for names.
    pub fn new(inputs: &[Input]) -> AggregateCatalogue {
        AggregateCatalogue { seen: HashSet::new(), taken: TakenNames::find(inputs) }
    }

    /// The aggregates of a run, in the order in which they follow its instances. Hidden counters have
    /// aggregates only `with_hidden`, just as they have columns only if raw values are requested.
    pub fn of(&mut self, run: &Run, with_hidden: bool) -> Vec<Aggregate> {
        let object = &run.object;
        if !is_aggregated(object) {
            return Vec::new();
        }
        let has_instance = |counter: usize| {
            let column = run.columns.get(counter);
            (0..run.instances.len()).any(|i| column.is_none_or(|column| covers(column, i)))
        };
        let key = |counter: usize| {
            let name = Arc::clone(&object.counters[counter].name);
            (Arc::clone(&run.host), Arc::clone(&object.name), name)
        };
        let keeps = object.aggregation == Aggregation::GlobalHistory;
        if keeps {
            self.seen.extend((0..object.counters.len()).filter(|counter| has_instance(*counter)).map(key));
        }
        aggregates(&run.host, object, &run.instances, &self.taken, |counter| {
            let is_shown = with_hidden || !object.counters[counter].is_hidden();
            is_shown && (has_instance(counter) || keeps && self.seen.contains(&key(counter)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_free_number_is_taken() {
        let next = |instances: &[Instance]| next_ordinal(AggregateFunction::Total, instances);
        assert_eq!(next(&[]), 0);
        let real = Instance::named("_TOTAL");
        assert_eq!(next(&[real.clone(), Instance::named("_Total2")]), 1);
        let second = Instance { ordinal: 4, ..Instance::named("_total") };
        assert_eq!(next(&[second, real]), 5);
        let child = Instance { parent: Some("disk".into()), ..Instance::named("_Total") };
        assert_eq!(next(&[child]), 0, "shown with its parent");
    }
}
