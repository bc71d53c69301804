//! Figures of every series: for `recount stats`.

use recount_analysis::stats::{StatsOptions, StatsRow};
use recount_compute::Progress;
use recount_model::Health;

use crate::{Capture, Span, inputs};

/// Figures of every selected series of the captures, by order of appearance, and what could not be read.
pub fn stats(
    captures: &[Capture],
    span: &Span,
    options: &StatsOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> (Vec<StatsRow>, Health) {
    recount_analysis::stats::stats(&inputs(captures, span), options, progress)
}
