//! Names of aggregates that are already used by instances of the captures.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{AggregateFunction, Instance, Run};

use super::functions::is_aggregated;
use crate::{Input, PipelineOptions, survey};

/// Per host and object: the first occurrence number free for each aggregate, over all samples. The name of an
/// aggregate must not depend on the other instances of a sample, or one name would mean two things.
#[derive(Clone, Debug, Default)]
pub struct TakenNames {
    free: Arc<Free>,
}

type Free = HashMap<(Arc<str>, Arc<str>), [u32; AggregateFunction::ALL.len()]>;

impl TakenNames {
    /// Searches the inputs, if any of them has aggregates.
    pub fn find(inputs: &[Input]) -> TakenNames {
        let mut free = Free::new();
        let has_aggregates = |input: &&Input| input.source.info().has_aggregates;
        let mut with_aggregates: Vec<Input> = Vec::new();
        for Input { source, .. } in inputs.iter().filter(has_aggregates) {
            // All samples, so that a part of a capture has the names of the whole.
            if !with_aggregates.iter().any(|known| Arc::ptr_eq(&known.source, source)) {
                let all = (0..source.times().len() as u32).collect();
                with_aggregates.push(Input::new(Arc::clone(source), all));
            }
        }
        // Unreadable data is reported by the pass that computes.
        let _ = survey(&with_aggregates, &PipelineOptions::default(), |decoded| {
            decoded.runs.iter().for_each(|run| add(&mut free, run));
        });
        TakenNames { free: Arc::new(free) }
    }

    /// The first free number.
    pub(super) fn free(&self, host: &Arc<str>, object: &Arc<str>, function: AggregateFunction) -> u32 {
        let at = AggregateFunction::ALL.iter().position(|known| *known == function);
        let free = self.free.get(&(Arc::clone(host), Arc::clone(object)));
        free.zip(at).map_or(0, |(free, at)| free[at])
    }
}

fn add(free: &mut Free, run: &Run) {
    if !is_aggregated(&run.object) {
        return;
    }
    let key = (Arc::clone(&run.host), Arc::clone(&run.object.name));
    let free = free.entry(key).or_default();
    for (free, function) in free.iter_mut().zip(AggregateFunction::ALL) {
        *free = (*free).max(next_ordinal(function, &run.instances));
    }
}

/// The first occurrence number after those of instances with the aggregate's name. Names are compared without
/// case.
pub(super) fn next_ordinal(function: AggregateFunction, instances: &[Instance]) -> u32 {
    let lower = function.instance_name().unwrap_or_default().to_lowercase();
    let namesakes = instances.iter().filter(|i| i.parent.is_none() && i.name.to_lowercase() == lower);
    namesakes.map(|namesake| namesake.ordinal.saturating_add(1)).max().unwrap_or(0)
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
