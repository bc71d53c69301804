//! Names of aggregates that are already used by instances of the captures.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{AggregateFunction, Run};

use super::names::{is_aggregated, next_ordinal};
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
        let with_aggregates: Vec<Input> = inputs.iter().filter(has_aggregates).cloned().collect();
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
