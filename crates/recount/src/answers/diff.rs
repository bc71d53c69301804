//! What changed between captures: for `recount diff`.

use recount_analysis::diff::{Difference, compare, side};
use recount_compute::{Input, Progress};
use recount_model::Selection;

use super::report::facts;
use crate::{Capture, Span, inputs};

/// Compares the counters of two captures; each may be several that are one time line. Elapsed time begins with the first
/// sample of each span.
pub fn diff(
    (base, base_span): (&[Capture], &Span),
    (new, new_span): (&[Capture], &Span),
    selection: &Selection,
    progress: &(dyn Fn(Progress) + Sync),
) -> Difference {
    let (base_inputs, new_inputs) = (inputs(base, base_span), inputs(new, new_span));
    let (base_facts, new_facts) = (facts(base, &base_inputs), facts(new, &new_inputs));
    let longest = [&base_facts, &new_facts].into_iter().filter_map(|facts| {
        let (begin, end) = (facts.times.first()?, facts.times.last()?);
        Some(end.utc.0.saturating_sub(begin.utc.0))
    });
    let span = longest.max().unwrap_or(0);
    let read = |captures: &[Capture], inputs: &[Input], facts| {
        let mut read = side(inputs, facts, span, selection, progress);
        let mut health = crate::health_of(captures);
        health.absorb(std::mem::take(&mut read.health));
        read.health = health;
        read
    };
    let base = read(base, &base_inputs, base_facts);
    compare(base, read(new, &new_inputs, new_facts))
}
