//! From run and carry to columns.

use std::sync::Arc;

use recount_model::{Cooked, CookedColumn, Run, SampleTime, Selection, Status};

use crate::carry::Carry;
use crate::compact::compact;
use crate::faults::Faults;
use crate::formula::{Inputs, cook_counter};
use crate::frequency::Frequencies;
use crate::operand::Links;
use crate::plain_sum::hidden_falls;
use crate::select::Plan;
use crate::spread::SpreadClocks;

/// What to cook, and how.
#[derive(Clone, Debug, Default)]
pub struct CookOptions {
    /// The selected counters. Instances without a selected counter are left out.
    pub selection: Selection,
    /// Keep the raw samples with the values, and give bases a column (without values).
    pub keep_raw: bool,
    /// Compute multiple-instance aggregates over the instances that the selection names, if it names some. For selections
    /// of users: one that a program makes to read less must not change values.
    pub over_named: bool,
    /// Multiply values by the counter's default scale, 10^`default_scale`.
    pub scaled: bool,
}

/// Computes the cooked values of a run (formats/counter-types.md).
///
/// `previous` is the preceding run of the same object and host in the capture; only its last sample is used.
/// With `None` the run begins the capture, and values that need two samples have the status `first-sample` in
/// its first sample. Values don't depend on how a capture is cut into runs: every value is the same, to the
/// bit, as in a single run.
pub fn cook(run: &Arc<Run>, previous: Option<&Run>, options: &CookOptions) -> Cooked {
    let whole = run;
    let plan = Plan::new(run, &options.selection, options.keep_raw);
    let run = match &plan.keep {
        None => Arc::clone(run),
        Some(keep) => {
            let mut needed = vec![options.keep_raw; run.columns.len()];
            for (counter, _) in &plan.counters {
                let used = std::iter::once(*counter).chain(Links::of(run, *counter).all());
                used.for_each(|index| needed.get_mut(index).into_iter().for_each(|needed| *needed = true));
            }
            Arc::new(compact(run, keep, |counter| needed[counter]))
        }
    };
    let carry = previous.and_then(|previous| Carry::new(previous, &run.object, &run.instances));
    // Of all instances: they have to add up to the total.
    let hidden = match &plan.keep {
        None => carry.as_ref().and_then(|carry| hidden_falls(carry, whole)),
        Some(_) => previous.and_then(|previous| {
            hidden_falls(&Carry::new(previous, &whole.object, &whole.instances)?, whole)
        }),
    };
    let inputs = Inputs {
        run: &run,
        faults: Faults::of(&run),
        faults_before: carry.as_ref().map(|carry| Faults::of(carry.run)),
        carry,
        frequencies: Frequencies::of(&run),
        spread: SpreadClocks::default(),
    };
    let total = hidden.as_ref().and_then(|(total, _)| {
        let total = &whole.instances[*total];
        run.instances.iter().position(|instance| instance == total)
    });
    let cook_one = |(counter, covers): (usize, Option<Arc<[bool]>>)| {
        let mut sheet = cook_counter(&inputs, counter);
        if let Some(total) =
            total.filter(|_| hidden.as_ref().is_some_and(|(_, falls)| falls.contains(&counter)))
        {
            sheet.qualify(total, Status::HidesFall);
        }
        let scale = run.object.counters.get(counter).map_or(0, |def| def.default_scale);
        if options.scaled && scale != 0 {
            sheet.scale(scale);
        }
        let texts = run.columns.get(counter).and_then(|column| column.texts.clone());
        CookedColumn { counter, values: sheet.values, status: sheet.status, covers, texts }
    };
    Cooked {
        host: Arc::clone(&run.host),
        object: Arc::clone(&run.object),
        instances: Arc::clone(&run.instances),
        times: run.clocks.time.clone(),
        gaps: Vec::new(),
        first_s: Vec::new(),
        interval_s: intervals(&run.clocks.time, inputs.carry.as_ref()),
        continued: (0..run.instances.len())
            .map(|i| {
                inputs.carry.as_ref().is_some_and(|carry| carry.source(i).is_some() || carry.is_newborn(i))
            })
            .collect(),
        columns: plan.counters.into_iter().map(cook_one).collect(),
        raw: options.keep_raw.then(|| Arc::clone(&run)),
    }
}

/// Seconds from the previous sample to each sample.
fn intervals(times: &[SampleTime], carry: Option<&Carry<'_>>) -> Vec<Option<f64>> {
    let mut intervals = Vec::with_capacity(times.len());
    if let Some(first) = times.first() {
        let before = carry.map(|carry| carry.run.clocks.time[carry.sample]);
        intervals.push(before.map(|before| first.utc.seconds_since(before.utc)));
    }
    let seconds = |(earlier, later): (&SampleTime, &SampleTime)| Some(later.utc.seconds_since(earlier.utc));
    intervals.extend(times.iter().zip(times.get(1..).unwrap_or_default()).map(seconds));
    intervals
}
