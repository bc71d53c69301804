//! The last values of instances: the state of a global aggregate with history.

use std::sync::Arc;

use recount_model::{Instance, Run, match_instances};

use super::fold::Fold;
use super::functions::function_of;
use super::gone::{Gone, rearranged};
use crate::Cooked;
use crate::carry::place_of_counter;

/// The state of one object in one capture between two of its runs.
#[derive(Debug)]
pub(super) struct History {
    /// The previous run.
    before: Arc<Run>,
    /// Per instance and counter of that run: the last value, if the counter is aggregated.
    last: Vec<Vec<Option<f64>>>,
    gone: Gone,
}

impl History {
    /// Advances to the next run, with the cooked values `cooked`, and returns, per counter, the last values
    /// of the instances that no longer exist. `history` is `None` for the first run.
    pub(super) fn advance(history: &mut Option<History>, run: &Arc<Run>, cooked: &Cooked) -> Vec<Fold> {
        let mut gone = Gone::default();
        let mut carried = vec![None; run.instances.len()];
        if let Some(History { before, last, gone: gone_before }) = history.take() {
            let mut last = last;
            gone = gone_before;
            if before.object.counters != run.object.counters {
                let counters = 0..run.object.counters.len();
                let places: Vec<_> =
                    counters.map(|at| place_of_counter(&before.object, &run.object, at)).collect();
                for last in &mut last {
                    *last = rearranged(last, &places);
                }
                gone.rearrange(&places);
            }
            carried = pass_on(&before, last, &run.instances, &mut gone);
        }
        let folds = gone.folds().to_vec();
        let last = last_values(cooked, carried);
        *history = Some(History { before: Arc::clone(run), last, gone });
        folds
    }
}

/// Gives each instance of a run its values from the previous run, and moves the values of instances that have
/// disappeared to `Gone`.
fn pass_on(
    before: &Run,
    last: Vec<Vec<Option<f64>>>,
    instances: &[Instance],
    gone: &mut Gone,
) -> Vec<Option<Vec<Option<f64>>>> {
    // A history only contains runs with samples.
    let sample = before.num_samples().saturating_sub(1);
    let source = match_instances(&before.instances, before.start_clock(sample), instances);
    let mut last: Vec<Option<Vec<Option<f64>>>> = last.into_iter().map(Some).collect();
    let take = |source: &Option<usize>| source.and_then(|at| last.get_mut(at)).and_then(Option::take);
    let carried: Vec<_> = source.iter().map(take).collect();
    let seen = before.start_clock(sample);
    for (instance, last) in before.instances.iter().zip(last) {
        if let Some(last) = last {
            gone.put(instance.clone(), seen, last);
        }
    }
    let came = instances.iter().zip(&source).filter(|(_, source)| source.is_none());
    gone.take(came.map(|(instance, _)| instance));
    carried
}

/// Per instance and aggregated counter: the last value of a run or, if it has none, of the previous run.
fn last_values(cooked: &Cooked, carried: Vec<Option<Vec<Option<f64>>>>) -> Vec<Vec<Option<f64>>> {
    let (num_samples, num_instances) = (cooked.num_samples(), cooked.instances.len());
    let mut all: Vec<Vec<Option<f64>>> = carried.into_iter().map(Option::unwrap_or_default).collect();
    for (instance, last) in all.iter_mut().enumerate() {
        last.resize(cooked.object.counters.len(), None);
        let aggregated =
            cooked.columns.iter().filter(|column| function_of(&cooked.object, column.counter).is_some());
        for column in aggregated.filter(|column| column.covers(instance)) {
            let mut cells = (0..num_samples).rev().map(|sample| sample * num_instances + instance);
            let newest = cells.find_map(|cell| column.value_at(cell));
            if newest.is_some() {
                last[column.counter] = newest;
            }
        }
    }
    all
}
