//! From successive answers of one query about one counterset to runs.

use std::sync::Arc;

use recount_model::{Run, RunBuilder};

use super::budget::Budget;
use super::gather::{Gathered, Shape};
use super::plan::Plan;
use super::table::{AnswerClocks, Table};
use super::view::View;

/// Memory is reserved for at most this many samples, since the caller's expectation isn't backed by data.
const NUM_SAMPLES_RESERVED: usize = 128;

/// Gathers answers into runs.
///
/// While view, shape and instances stay the same, an answer costs a comparison of the shape and a copy of its
/// values, and allocates only when a column has to grow. Otherwise a new run begins.
#[derive(Debug)]
pub(super) struct Stream {
    host: Arc<str>,
    view: Arc<View>,
    pub(super) gathered: Gathered,
    /// The current plan and its shape.
    planned: Option<(Plan, Shape)>,
    cells: Vec<Option<u64>>,
    runs: RunBuilder,
}

impl Stream {
    pub(super) fn new(host: Arc<str>, view: View, num_samples_expected: usize) -> Stream {
        Stream {
            host,
            gathered: Gathered { bytes: view.has_texts().then(Vec::new), ..Gathered::default() },
            view: Arc::new(view),
            planned: None,
            cells: Vec::new(),
            runs: RunBuilder::new(num_samples_expected.min(NUM_SAMPLES_RESERVED)),
        }
    }

    pub(super) fn view(&self) -> &Arc<View> {
        &self.view
    }

    /// Sets the view for the following answers.
    pub(super) fn set_view(&mut self, view: View) {
        if *self.view != view {
            self.runs.close();
            self.gathered.bytes = view.has_texts().then(Vec::new);
            self.planned = None;
            self.view = Arc::new(view);
        }
    }

    /// Adds the data collected from an answer as a sample. `note` receives faults; the sample is left out if
    /// it would take more memory than justified by the input.
    pub(super) fn sample(&mut self, clocks: &AnswerClocks, budget: &mut Budget, mut note: impl FnMut(&str)) {
        let Gathered { shape, widths, .. } = &self.gathered;
        let is_as_before = |(plan, before): &(Plan, Shape)| before == shape && plan.fits(widths);
        if !self.planned.as_ref().is_some_and(is_as_before)
            && let Err(what) = self.plan(budget, &mut note)
        {
            note(&what);
            return;
        }
        let Some((plan, _)) = &self.planned else { return };
        if !plan.is_present {
            return;
        }
        plan.scatter(&self.gathered.values, &mut self.cells);
        if !budget.spend(self.cells.len(), size_of::<u64>() + size_of::<recount_model::CellFault>()) {
            note("values that the answer's length can't account for; left out");
            return;
        }
        let texts = self.gathered.bytes.as_ref().map(|bytes| plan.texts(&self.view, bytes));
        let texts = texts.unwrap_or_default();
        let table = Table { view: &self.view, plan, cells: &self.cells, texts: &texts };
        table.push(&self.host, clocks, &mut self.runs);
    }

    /// The runs, in the order of the samples.
    pub(super) fn finish(self) -> Vec<Run> {
        self.runs.finish()
    }

    /// Computes the plan for the shape. The previous shape's memory is reused for the next.
    fn plan(&mut self, budget: &mut Budget, note: &mut impl FnMut(&str)) -> Result<(), String> {
        self.runs.close();
        let (before, mut spare) = self.planned.take().unwrap_or_default();
        let plan = Plan::new(&self.view, &self.gathered, &before.instances, budget, &mut |fault| {
            note(&format!("{fault}; left out"));
        });
        let plan = plan.map_err(|amplified| {
            format!(
                "{} counters of {} instances can't come from an answer of this length; left out",
                amplified.num_columns, amplified.num_instances
            )
        })?;
        std::mem::swap(&mut spare, &mut self.gathered.shape);
        self.planned = Some((plan, spare));
        Ok(())
    }
}
