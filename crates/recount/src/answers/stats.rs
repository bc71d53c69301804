//! Figures of every series: for `recount stats` and `recount show`.

use std::convert::Infallible;

use recount_analysis::stats::{SeriesSummary, StatsOptions, StatsRow, Summaries};
use recount_compute::{CookOptions, PipelineOptions, Progress, run};
use recount_model::{Health, Selection};

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

/// The short form of [`stats`]: newest value, minimum, mean and maximum of every selected series, in one pass and without
/// keeping values.
pub fn show(
    captures: &[Capture],
    span: &Span,
    selection: &Selection,
    progress: &(dyn Fn(Progress) + Sync),
) -> (Vec<SeriesSummary>, Health) {
    let mut summaries = Summaries::default();
    let cook = CookOptions { selection: selection.clone(), ..CookOptions::default() };
    let options = PipelineOptions { cook, ..PipelineOptions::default() };
    let done = run(&inputs(captures, span), &options, |batch, step| {
        summaries.add(&batch);
        progress(step);
        Ok::<(), Infallible>(())
    });
    let health = done.unwrap_or_else(|never| match never {});
    (summaries.rows(), health)
}
