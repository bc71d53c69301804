//! The set of instances over which a multiple-instance aggregate is computed (MS-PCQ 2.2.4.1, type 6).

use recount_model::{AggregateFunction, Aggregation, Instance, ObjectDef, Pattern, Selection};

/// Per instance, whether it is in the set that a selection names. `None` for all instances: the object's aggregates are of
/// another kind, or the selection names no set.
///
/// Whether it names one depends on its patterns alone, so that an aggregate is of one set in all samples, even in those
/// that have none of its instances.
pub(super) fn chosen(
    host: &str,
    object: &ObjectDef,
    instances: &[Instance],
    selection: &Selection,
) -> Option<Vec<bool>> {
    if object.aggregation != Aggregation::Multiple {
        return None;
    }
    let mut naming = Vec::new();
    for pattern in selection.patterns() {
        // A text is found in names of counters as well.
        let Pattern::Path(path) = pattern else { continue };
        if !pattern.may_match_object(host, &object.name) {
            continue;
        }
        // Without an instance, a path names all of them.
        let name = path.instance.as_deref()?;
        if !is_aggregate(name) {
            let mut of_any_counter = path.clone();
            "*".clone_into(&mut of_any_counter.counter);
            naming.push(Pattern::Path(of_any_counter));
        }
    }
    let is_named = |instance: &Instance| {
        naming.iter().any(|pattern| pattern.matches(host, &object.name, Some(instance), ""))
    };
    (!naming.is_empty()).then(|| instances.iter().map(is_named).collect())
}

/// Whether the name in a pattern is that of an aggregate.
fn is_aggregate(name: &str) -> bool {
    let names = AggregateFunction::ALL.into_iter().filter_map(AggregateFunction::instance_name);
    names.into_iter().any(|aggregate| name.eq_ignore_ascii_case(aggregate))
}
