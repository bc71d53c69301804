//! Which counters have aggregates.

use recount_model::{AggregateFunction, Aggregation, ObjectDef};

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
