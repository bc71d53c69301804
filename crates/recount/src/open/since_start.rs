//! Captures whose processes count from their start, where PDH has no value.

use std::collections::HashSet;
use std::sync::Arc;

use recount_model::{Change, Changed, Decoded, Pattern, Selection, Source};

/// What processes and threads counted before the first sample that has them is theirs.
struct SinceStart {
    /// How many processors the machine has, if the capture says so.
    num_processors: Option<u32>,
}

/// The source with values for processes and threads that began since the previous sample, if their starts are known.
pub(super) fn since_start(source: Arc<dyn Source>) -> Arc<dyn Source> {
    let num_processors = num_processors(&*source);
    Changed::of(source, SinceStart { num_processors })
}

/// The number of processors in the first sample, or the largest if there are several machines.
fn num_processors(source: &dyn Source) -> Option<u32> {
    let english = source.canonical();
    let source = english.as_deref().unwrap_or(source);
    let pattern = r"\Processor(*)\% Processor Time".parse::<Pattern>().ok()?;
    let selection: Selection = std::iter::once(pattern).collect();
    let decoded = source.decode(&[0], &selection);
    let of_run = |run: &recount_model::Run| {
        let single = run.instances.iter().filter(|instance| !instance.is_total());
        single.map(|instance| &instance.name).collect::<HashSet<_>>().len()
    };
    let most = decoded.runs.iter().filter(|run| &*run.object.name == "Processor").map(of_run).max()?;
    u32::try_from(most).ok().filter(|num| *num > 0)
}

impl Change for SinceStart {
    fn decoded(&self, decoded: Decoded, _: &Selection) -> Decoded {
        decoded.redefined(|object| {
            object.counts_from_start = true;
            object.num_processors = object.num_processors.or(self.num_processors);
        })
    }
}
