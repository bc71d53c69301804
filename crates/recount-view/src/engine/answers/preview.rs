//! A preview of a span that hasn't been counted yet, made from some of its samples. A rate between two of them covers
//! the whole interval, so means are right, and only peaks are missing until the exact answer.

use std::sync::Arc;

use recount_analysis::stats::Extent;
use recount_compute::{CookOptions, PipelineOptions, run};

use super::Refusal;
use crate::engine::Engine;
use crate::engine::cancel::Cancel;
use crate::engine::clock::Instant;
use crate::engine::gather::Gatherer;
use crate::engine::glance::spaced;
use crate::engine::index::Stretches;
use crate::engine::name::{SeriesName, selection_of};
use crate::engine::rates::{Reading, objects};
use crate::engine::side::Side;
use crate::engine::time::Span;
use recount_compute::Cancelled;

/// Samples of a preview, over all inputs.
const FEWEST: usize = 8;
const MOST: usize = 60;
/// How long it may take.
const SHORT_S: f64 = 0.06;

pub(super) fn preview(
    engine: &Engine,
    (number, side): (usize, &Side),
    names: &[Arc<SeriesName>],
    span: Span,
    cancel: &Cancel,
) -> Result<Vec<Stretches>, Refusal> {
    let objects = objects(number, names, Reading::Spaced);
    let expected: f64 = objects.iter().map(|what| engine.rates.get(what)).sum::<f64>() * engine.crowding();
    let num_samples = ((SHORT_S / expected) as usize).clamp(FEWEST, MOST);
    let width = num_samples - 1;
    let inputs = spaced(side, span, num_samples / side.inputs().len().max(1));
    let selection = selection_of(names.iter().map(|name| &**name));
    let cook = CookOptions { selection, ..CookOptions::default() };
    let options = PipelineOptions { cook, ..PipelineOptions::default() };
    let since = Instant::now();
    let cells = engine.answer(|| {
        let mut gatherer = Gatherer::new(names, false);
        run(&inputs, &options, |batch, _| {
            cancel.check()?;
            gatherer.add(&batch);
            Ok::<(), Cancelled>(())
        })?;
        Ok::<_, Cancelled>(gatherer.finish())
    })?;
    let each = since.elapsed() / objects.len().max(1) as u32;
    for what in objects {
        engine.rates.note(what, num_samples, each);
    }
    let step = (span.len() / width as i64).max(1);
    let drawn = cells.into_iter().map(|cells| {
        let mut extents = vec![Extent::default(); width];
        for at in 0..cells.times.len() {
            if let Some(value) = cells.value_at(at) {
                extents[crate::engine::buckets::bucket_of(cells.times[at], span, width)]
                    .add(value, cells.weights[at]);
            }
        }
        Stretches { begin: span.from, width: step, extents }
    });
    Ok(drawn.collect())
}
