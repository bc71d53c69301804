//! Which aggregates there are, and what their instances are called.

use std::collections::HashSet;
use std::sync::Arc;

use recount_model::{AggregateFunction, Aggregation, Instance, ObjectDef, Run};

use super::taken_names::TakenNames;
use crate::Input;
use crate::select::covers;

/// An aggregate over the instances of an object: one instance more, behind the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// What is computed.
    pub function: AggregateFunction,
    /// The instance that shows it: `_Total`, or `_Total#1` where an instance of the captures is called `_Total` itself.
    pub instance: Instance,
    /// The counters that it has, by index, ascending.
    pub counters: Vec<usize>,
}

/// Whether aggregates are computed for an object: those of MS-PCQ 2.2.4.1, where a counter says which.
pub(crate) fn is_aggregated(object: &ObjectDef) -> bool {
    object.instanced
        && object.aggregation != Aggregation::None
        && (0..object.counters.len()).any(|counter| function_of(object, counter).is_some())
}

/// What is computed of a counter, if anything. A base is no value of its own.
pub(super) fn function_of(object: &ObjectDef, counter: usize) -> Option<AggregateFunction> {
    let def = object.counters.get(counter).filter(|def| !def.is_base())?;
    Some(def.aggregate).filter(|function| *function != AggregateFunction::Undefined)
}

/// The aggregates of those counters that `exist`, in the order of the functions' numbers.
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
        // Usually all samples were looked through before.
        let ordinal = taken.free(host, &object.name, function).max(next_ordinal(function, instances));
        let instance = Instance { ordinal, ..Instance::named(name) };
        Some(Aggregate { function, instance, counters })
    };
    AggregateFunction::ALL.into_iter().filter_map(aggregate).collect()
}

/// The occurrence number behind those that instances of an aggregate's name have. Names compare without regard to case.
pub(super) fn next_ordinal(function: AggregateFunction, instances: &[Instance]) -> u32 {
    let lower = function.instance_name().unwrap_or_default().to_lowercase();
    let namesakes = instances.iter().filter(|i| i.parent.is_none() && i.name.to_lowercase() == lower);
    namesakes.map(|namesake| namesake.ordinal.saturating_add(1)).max().unwrap_or(0)
}

/// Tells, run by run, which aggregates the pipeline will add: for catalogues, which don't cook.
///
/// The runs of a capture are to be given in their order: the aggregates of an object with history outlive its instances.
#[derive(Debug)]
pub struct AggregateCatalogue {
    /// Host, object and counter of which there was an instance.
    seen: HashSet<(Arc<str>, Arc<str>, Arc<str>)>,
    taken: TakenNames,
}

impl AggregateCatalogue {
    /// For runs of these inputs, which are looked through for names.
    pub fn new(inputs: &[Input]) -> AggregateCatalogue {
        AggregateCatalogue { seen: HashSet::new(), taken: TakenNames::find(inputs) }
    }

    /// The aggregates of a run, in the order in which they follow its instances. Counters that are hidden have some only
    /// `with_hidden`, as they have columns only where raw values are asked for.
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
