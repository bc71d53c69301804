//! Which aggregates exist, and the names of their instances.

use std::collections::HashSet;
use std::sync::Arc;

use recount_model::{AggregateFunction, Aggregation, Instance, ObjectDef, Run};

use super::functions::{function_of, is_aggregated};
use super::taken_names::{TakenNames, next_ordinal};
use crate::Input;

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
            (0..run.instances.len()).any(|i| column.is_none_or(|column| column.covers(i)))
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
