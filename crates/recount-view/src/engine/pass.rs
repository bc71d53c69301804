//! The single pass over everything, in the background: findings and figures of the report, and the index of all
//! series.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use recount_analysis::changes::changes_of_report;
use recount_analysis::report::{Observed, ReportOptions, observe_with, parts};
use recount_analysis::rules::RuleSet;
use recount_compute::{Cancelled, CookOptions, Cooked, PipelineOptions, Progress, run};

use super::side::Side;
use super::state::{Engine, Reported};
use super::threads::Threads;

/// Maximum bytes of values kept for percentiles: the report's default would be most of the server's memory.
const LEN_KEPT: usize = 96 << 20;
/// Captures with up to this many samples are counted immediately: this takes no longer than a browser needs
/// to start.
#[cfg(feature = "server")]
const FEW_SAMPLES: u64 = 2_000;
/// Points per series in the report's blob. The page requests the values that it draws from the server.
const MAX_POINTS: u32 = 160;

/// Counts all sides, when the first charts are drawn.
#[cfg(feature = "server")]
pub(super) fn count_after_charts(engine: &Engine) {
    if num_samples(&engine.sides()) > FEW_SAMPLES {
        engine.wait_for_first_charts();
    }
    count(engine, &|| {});
}

fn num_samples(sides: &[Arc<Side>]) -> u64 {
    sides.iter().flat_map(|side| side.inputs()).map(|input| input.samples.len() as u64).sum()
}

/// Counts all sides. `progressed` is called after every step.
pub(crate) fn count(engine: &Engine, progressed: &(dyn Fn() + Sync)) {
    let sides = engine.sides();
    engine.num_done.store(0, Ordering::Relaxed);
    engine.num_all.store(num_samples(&sides), Ordering::Relaxed);
    // A separate thread pool, so that requests don't queue after its tasks.
    engine.turns.begin();
    let threads = Threads::new("count");
    let work = || {
        for (number, side) in sides.iter().enumerate() {
            if count_side(engine, (number, &**side), progressed).is_err() {
                return false;
            }
        }
        true
    };
    let is_done = match threads {
        Ok(threads) => threads.install(work),
        Err(_) => work(),
    };
    if is_done {
        engine.choose_charts(None);
        engine.set_done(true);
        engine.rise();
    }
}

/// Counts a side; only the first has findings.
fn count_side(
    engine: &Engine,
    (number, side): (usize, &Side),
    progressed: &(dyn Fn() + Sync),
) -> Result<(), Cancelled> {
    if let Some(span) = side.span() {
        let mut counted = side.counted.write().unwrap_or_else(PoisonError::into_inner);
        counted.begin(span, side.facts.times.len());
    }
    let add = |batch: &[Cooked], step: Progress| {
        engine.give_way()?;
        side.counted.write().unwrap_or_else(PoisonError::into_inner).add(batch);
        engine.num_done.fetch_add(step.num_samples, Ordering::Relaxed);
        progressed();
        Ok(())
    };
    if number == 0 {
        engine.put_report(None);
        let observed = observed(side, &engine.opening.sets, add)?;
        engine.put_report(reported(engine, side, &observed));
        return Ok(());
    }
    let options = PipelineOptions { cook: CookOptions::default(), ..PipelineOptions::default() };
    run(side.inputs(), &options, |batch, step| add(&batch, step)).map(|found| drop(side.add_health(found)))
}

/// Recomputes findings and figures of the first side after it has grown.
#[cfg(feature = "server")]
pub(super) fn observe_again(engine: &Arc<Engine>, side: &Arc<Side>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "observe".to_owned()).build();
    let Ok(pool) = pool else { return };
    let observed = pool.install(|| observed(side, &engine.opening.sets, |_, _| engine.give_way()));
    if let Ok(observed) = observed
        && let Some(report) = reported(engine, side, &observed)
    {
        engine.put_report(Some(report));
        engine.rise();
    }
}

/// `None` if the page can't be made: the rest of the viewer works without the report.
fn reported(engine: &Engine, side: &Side, observed: &Observed) -> Option<Reported> {
    Some(Reported { parts: parts(observed, &engine.opening.title).ok()?, span: side.span() })
}

fn observed(
    side: &Side,
    sets: &[RuleSet],
    add: impl FnMut(&[Cooked], Progress) -> Result<(), Cancelled> + Send,
) -> Result<Observed, Cancelled> {
    let options = ReportOptions { len_kept: LEN_KEPT, max_points: MAX_POINTS, ..ReportOptions::default() };
    let mut observed = observe_with(side.inputs(), side.facts.clone(), sets, &options, add)?;
    observed.changed = changes_of_report(&observed);
    observed.health = side.add_health(std::mem::take(&mut observed.health));
    Ok(observed)
}
