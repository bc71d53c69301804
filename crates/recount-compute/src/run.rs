//! Runs the pipeline over inputs.

use std::sync::Arc;

use recount_model::Health;

use crate::pipeline::{PipelineOptions, Progress, State, run_with};
use crate::rhythm::Rhythm;
use crate::stretch::{Landmarks, Stretch};
use crate::{Cooked, Input};

/// Cooks all inputs and passes the results to `consume`, batch by batch. Each batch contains everything
/// between two points in time, and batches are in time order. Returns what had to be left out.
pub fn run<E: Send>(
    inputs: &[Input],
    options: &PipelineOptions,
    consume: impl FnMut(Vec<Cooked>, Progress) -> Result<(), E> + Send,
) -> Result<Health, E> {
    run_in_rhythm(inputs, &Arc::new(Rhythm::of(inputs)), options, consume)
}

/// As [`run`], where the rhythm of the inputs is known already.
pub fn run_in_rhythm<E: Send>(
    inputs: &[Input],
    rhythm: &Arc<Rhythm>,
    options: &PipelineOptions,
    consume: impl FnMut(Vec<Cooked>, Progress) -> Result<(), E> + Send,
) -> Result<Health, E> {
    if inputs.iter().any(|input| !input.before.is_empty()) {
        return Stretch::all(inputs, &Landmarks::in_rhythm(Arc::clone(rhythm))).run(options, consume);
    }
    run_with(inputs, options, State::of_whole(inputs, Arc::clone(rhythm), options), consume)
}
