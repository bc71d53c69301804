//! Statistics of every series: for `recount stats` and `recount show`.

use recount_analysis::stats::{SeriesSummary, StatsOptions, StatsRow, Summaries};
use recount_compute::{Cancelled, CookOptions, Input, OnProgress, PipelineOptions, run};
use recount_model::{Health, Selection};

use crate::Timeline;

/// Statistics of every selected series of captures, in order of appearance, and what could not be read.
pub fn stats(
    timeline: &Timeline,
    options: &StatsOptions,
    progress: OnProgress<'_>,
) -> Result<(Vec<StatsRow>, Health), Cancelled> {
    recount_analysis::stats::stats(timeline.inputs(), options, progress)
}

/// The short form of [`stats`]: newest value, minimum, mean and maximum of every selected series, in one pass and without
/// keeping values; and the largest value in each of `num_parts` equal parts of the time, for sparklines. A part takes 8 bytes
/// per series.
pub fn show(
    timeline: &Timeline,
    selection: &Selection,
    num_parts: usize,
    progress: OnProgress<'_>,
) -> Result<(Vec<SeriesSummary>, Health), Cancelled> {
    let inputs = timeline.inputs();
    let time = |input: &Input, sample: Option<&u32>| {
        input.source.times().get(*sample? as usize).map(|time| time.utc)
    };
    let first = inputs.iter().filter_map(|input| time(input, input.samples.first())).min();
    let last = inputs.iter().filter_map(|input| time(input, input.samples.last())).max();
    let mut summaries =
        Summaries::with_parts((first.unwrap_or_default(), last.unwrap_or_default()), num_parts);
    let cook = CookOptions { selection: selection.clone(), over_named: true, ..CookOptions::default() };
    let options = PipelineOptions { cook, ..PipelineOptions::default() };
    let health = run(inputs, &options, |batch, step| {
        summaries.add(&batch);
        Cancelled::check(progress(step))
    })?;
    Ok((summaries.rows_with(timeline.descriptions()), health))
}
