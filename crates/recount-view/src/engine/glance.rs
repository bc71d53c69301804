//! A first look at a capture: a few evenly spaced samples. They give the names, and roughly which series are the
//! largest, long before everything is read.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use recount_analysis::stats::Extent;
use recount_compute::{CookOptions, Input, PipelineOptions, run};

use super::counted::Counted;
use super::name::Place;
use super::side::Side;
use super::time::Span;

/// Maximum number of samples examined in one capture, and in all together.
const MAX_SAMPLES: usize = 9;
const MAX_ALL: usize = 27;

/// The values of each series in some samples.
pub(crate) type Glance = HashMap<Place, Extent>;

/// Examines a few samples. Their values span long intervals, so the means are those of the whole.
pub(crate) fn glance(side: &Side, counted: &mut Counted) -> Glance {
    let per_input = (MAX_ALL / side.inputs().len().max(1)).clamp(2, MAX_SAMPLES);
    let whole = side.span().unwrap_or(Span { from: 0, to: 0 });
    let inputs = spaced(side, whole, per_input);
    let options = PipelineOptions { cook: CookOptions::default(), ..PipelineOptions::default() };
    let mut totals = Glance::new();
    let done = run(&inputs, &options, |batch, _| {
        for placed in counted.roster.place(&batch) {
            let cooked = placed.cooked;
            for (column, counter) in cooked.columns.iter().zip(&placed.counters) {
                for cell in 0..cooked.num_cells() {
                    let (sample, at) = (cell / cooked.instances.len(), cell % cooked.instances.len());
                    if column.status_at(cell).has_value() && column.covers(at) {
                        let (object, instance) = (placed.object, placed.slots[at] as usize);
                        let place = Place { object, instance, counter: *counter as usize };
                        let weight = cooked.weight_of(sample, at);
                        totals.entry(place).or_default().add(column.values[cell], weight);
                    } else if column.covers(at) {
                        let (object, instance) = (placed.object, placed.slots[at] as usize);
                        totals.entry(Place { object, instance, counter: *counter as usize }).or_default();
                    }
                }
            }
        }
        Ok::<(), Infallible>(())
    });
    // The pass over everything reports what can't be read.
    let _ = done.unwrap_or_else(|never| match never {});
    totals
}

/// A given number of samples of each input in a span, including the first and the last.
pub(crate) fn spaced(side: &Side, span: Span, per_input: usize) -> Vec<Input> {
    let spaced = |(input, of): (usize, &Input)| {
        let samples = side.samples_in(input, span);
        let last = samples.len().saturating_sub(1);
        let num = per_input.max(2).min(samples.len());
        let at = |number: usize| of.samples[samples.start + last * number / (num - 1).max(1)];
        Input { continues: of.continues, ..Input::new(Arc::clone(&of.source), (0..num).map(at).collect()) }
    };
    side.inputs().iter().enumerate().map(spaced).collect()
}
