//! The one pass over everything, in the background: findings and figures of the report, and the series from afar.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use recount_analysis::report::{Observed, ReportOptions, observe_with, parts};
use recount_analysis::rules::RuleSet;
use recount_compute::{CookOptions, Cooked, PipelineOptions, Progress, run};

use super::cancel::Cancelled;
use super::side::Side;
use super::state::Engine;

/// Bytes of values kept for percentiles: the report's default would be most of the server's memory.
const LEN_KEPT: usize = 96 << 20;
/// Points per series of the report's blob. The page asks the server for what it draws.
const MAX_POINTS: u32 = 160;

/// Counts all sides.
pub(super) fn count(engine: &Arc<Engine>) {
    let sides = engine.sides();
    let num_samples =
        |side: &Arc<Side>| side.inputs.iter().map(|input| input.samples.len() as u64).sum::<u64>();
    engine.num_done.store(0, Ordering::Relaxed);
    engine.num_all.store(sides.iter().map(num_samples).sum(), Ordering::Relaxed);
    // Threads of its own: requests aren't to wait behind its tasks.
    let pool = rayon::ThreadPoolBuilder::new().thread_name(|at| format!("count-{at}")).build();
    let work = || {
        for (number, side) in sides.iter().enumerate() {
            if count_side(engine, number, side).is_err() {
                return false;
            }
        }
        true
    };
    let is_done = match pool {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    };
    if is_done {
        engine.choose_charts(None);
        engine.set_done(true);
        engine.rise();
    }
}

/// Counts a side: the first with findings.
fn count_side(engine: &Engine, number: usize, side: &Arc<Side>) -> Result<(), Cancelled> {
    if let Some(span) = side.span() {
        let mut counted = side.counted.write().unwrap_or_else(PoisonError::into_inner);
        counted.begin(span, side.facts.times.len());
    }
    let add = |batch: &[Cooked], step: Progress| {
        engine.give_way()?;
        side.counted.write().unwrap_or_else(PoisonError::into_inner).add(batch);
        engine.num_done.fetch_add(step.num_samples, Ordering::Relaxed);
        Ok(())
    };
    if number == 0 {
        engine.put_report(None);
        let observed = observed(side, &engine.opening.sets, add)?;
        // A page that can't be made has no report; the rest of it works.
        engine.put_report(parts(&observed, &engine.opening.title).ok());
        return Ok(());
    }
    let options = PipelineOptions { cook: CookOptions::default(), ..PipelineOptions::default() };
    run(&side.inputs, &options, |batch, step| add(&batch, step)).map(|_| ())
}

fn observed(
    side: &Side,
    sets: &[RuleSet],
    add: impl FnMut(&[Cooked], Progress) -> Result<(), Cancelled> + Send,
) -> Result<Observed, Cancelled> {
    let options = ReportOptions { len_kept: LEN_KEPT, max_points: MAX_POINTS, ..ReportOptions::default() };
    let mut observed = observe_with(&side.inputs, side.facts.clone(), sets, &options, add)?;
    let mut health = recount::health_of(&side.captures);
    health.absorb(std::mem::take(&mut observed.health));
    observed.health = health;
    Ok(observed)
}
