//! Reopens captures whose files have changed, because they grew or marks were added.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use recount_compute::{CookOptions, Cooked, Input};

use super::cancel::Cancel;
use super::load::load;
use super::pass::{count_after_charts, observe_again};
use super::side::Side;
use super::state::Engine;

const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// Length and modification time of the logs of a side.
type Seen = Vec<(PathBuf, Option<(u64, Option<SystemTime>)>)>;

/// Watches the logs that are being written, until the viewer ends.
pub(super) fn watch(engine: &Arc<Engine>) {
    let mut seen: Vec<Seen> = engine.sides().iter().map(|side| logs(side)).collect();
    let is_open = |seen: &[Seen]| seen.iter().flatten().any(|(path, _)| recount::is_being_written(path));
    // Changes since the captures were opened.
    let mut is_stale = is_open(&seen);
    engine.set_growing(is_stale);
    let mut findings = Findings::of(engine);
    while !engine.is_ended() {
        let now: Vec<Seen> = engine.sides().iter().map(|side| logs(side)).collect();
        if std::mem::take(&mut is_stale) || engine.is_stale.swap(false, Ordering::AcqRel) || now != seen {
            for number in 0..now.len() {
                refresh(engine, number);
            }
            engine.set_growing(is_open(&now));
            seen = now;
        }
        findings.renew(engine);
        wait(engine);
    }
}

/// Recomputes findings while a log grows.
struct Findings {
    /// Number of samples of the first side at the last counting.
    num_samples: usize,
    counted: Instant,
    thread: Option<JoinHandle<()>>,
}

impl Findings {
    fn of(engine: &Engine) -> Findings {
        let num_samples = engine.side(0).map_or(0, |side| side.facts.times.len());
        Findings { num_samples, counted: Instant::now(), thread: None }
    }

    /// Recounts once there are a quarter more samples, so that all passes together cost a few times the last
    /// one.
    fn renew(&mut self, engine: &Arc<Engine>) {
        const AT_LEAST: Duration = Duration::from_secs(5);
        let Some(side) = engine.side(0) else { return };
        let num_samples = side.facts.times.len();
        let is_due = num_samples > self.num_samples + self.num_samples / 4;
        let is_busy = self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        if !is_due || is_busy || self.counted.elapsed() < AT_LEAST {
            return;
        }
        let shared = Arc::clone(engine);
        let work = move || observe_again(&shared, &side);
        self.thread = std::thread::Builder::new().name("view-findings".into()).spawn(work).ok();
        (self.num_samples, self.counted) = (num_samples, Instant::now());
    }
}

fn wait(engine: &Engine) {
    const SLICE: Duration = Duration::from_millis(50);
    let mut left = BETWEEN_LOOKS;
    while !left.is_zero() && !engine.is_ended() && !engine.is_stale.load(Ordering::Acquire) {
        std::thread::sleep(SLICE);
        left = left.saturating_sub(SLICE);
    }
}

/// The current state of a side's capture logs.
fn logs(side: &Side) -> Seen {
    let paths = side.timeline.captures().iter().flat_map(|capture| &capture.names).map(PathBuf::from);
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rcap");
    let state = |path: PathBuf| {
        let state = path.metadata().ok().map(|metadata| (metadata.len(), metadata.modified().ok()));
        (path, state)
    };
    paths.filter(is_log).map(state).collect()
}

/// Reopens a side. If this fails, the old state is kept: a log may just be in the middle of a write.
fn refresh(engine: &Arc<Engine>, number: usize) {
    let open = if number == 0 { Some(&engine.opening.open) } else { engine.opening.compare.as_ref() };
    let (Some(open), Some(before)) = (open, engine.side(number)) else { return };
    let Ok(captures) = open() else { return };
    let Ok(side) = Side::new(&captures, before.shift, Arc::clone(&before.counted)) else { return };
    if !side.continues(&before) {
        engine.set_done(false);
        engine.store.forget(number);
        *side.counted.write().unwrap_or_else(PoisonError::into_inner) = super::counted::Counted::new();
        engine.replace_side(number, side);
        engine.rise();
        count_after_charts(engine);
        return;
    }
    let is_same =
        side.facts.times.len() == before.facts.times.len() && side.facts.marks == before.facts.marks;
    if is_same {
        return;
    }
    catch_up(&side, &before);
    engine.replace_side(number, side);
    engine.rise();
}

/// Adds new samples to the counting.
fn catch_up(side: &Side, before: &Side) {
    let new = |(old, new): (&Input, &Input)| old.samples.len()..new.samples.len();
    let samples: Vec<Range<usize>> = before.inputs().iter().zip(side.inputs()).map(new).collect();
    let mut batch: Vec<Cooked> = Vec::new();
    let add = |cooked: Vec<Cooked>| batch.extend(cooked);
    if load(side, &samples, &CookOptions::default(), &Cancel::default(), add).is_ok() {
        side.counted.write().unwrap_or_else(PoisonError::into_inner).add(&batch);
    }
}
