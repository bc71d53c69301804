//! What changed between captures: for `recount diff`.

use recount_analysis::diff::{Difference, compare, side};
use recount_analysis::report::CaptureFacts;
use recount_compute::{Cancelled, OnProgress};
use recount_model::Selection;

use super::report::facts;
use crate::Timeline;

/// Compares the counters of two time lines. Elapsed time begins with the first sample of each.
pub fn diff(
    base: &Timeline,
    new: &Timeline,
    selection: &Selection,
    progress: OnProgress<'_>,
) -> Result<Difference, Cancelled> {
    let (base_facts, new_facts) = (facts(base), facts(new));
    let longest = [&base_facts, &new_facts].into_iter().filter_map(|facts| {
        let (begin, end) = (facts.times.first()?, facts.times.last()?);
        Some(end.utc.0.saturating_sub(begin.utc.0))
    });
    let span = longest.max().unwrap_or(0);
    let read = |timeline: &Timeline, facts: CaptureFacts| {
        let mut read = side(timeline.inputs(), facts, span, selection, progress)?;
        timeline.add_health(&mut read.health);
        Ok(read)
    };
    let base = read(base, base_facts)?;
    Ok(compare(base, read(new, new_facts)?))
}
