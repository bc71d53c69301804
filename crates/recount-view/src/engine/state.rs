//! The state of a viewer: its sides, what is known about them, and the progress of the counting.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use recount::Health;
use recount_analysis::report::ReportParts;
use recount_analysis::stats::Extent;
use recount_model::Timestamp;

use recount_compute::Cancelled;

use super::cancel::Cancel;
use super::clock::Instant;
use super::counted::Counted;
use super::glance::{Glance, glance};
use super::opening::{Align, Opening, ViewError};
use super::overview::{OverviewChart, overview};
use super::rates::Rates;
use super::saved_view::{SavedView, saved_view};
use super::side::{Side, read};
use super::store::Store;
use super::threads::Threads;
use super::time::Span;
use super::turns::Turns;

/// Answers requests about captures.
pub(crate) struct Engine {
    pub(crate) opening: Opening,
    sides: RwLock<Vec<Arc<Side>>>,
    overview: RwLock<Arc<Vec<OverviewChart>>>,
    version: AtomicU64,
    pub(super) num_done: AtomicU64,
    pub(super) num_all: AtomicU64,
    is_done: AtomicBool,
    is_growing: AtomicBool,
    /// Asks the watcher to reopen the captures.
    pub(super) is_stale: AtomicBool,
    is_ended: AtomicBool,
    report: Mutex<Option<Arc<Reported>>>,
    pub(super) store: Store,
    pub(super) rates: Rates,
    /// Threads for requests, separate from those that count, so that a request never waits for the counting.
    pool: Threads,
    /// Threads for requests that may take long, separate from those that are answered quickly.
    patient: Threads,
    num_busy: AtomicUsize,
    num_answered: AtomicUsize,
    pub(super) turns: Turns,
}

/// A report, and the last sample that it includes: a log may have grown since.
pub(crate) struct Reported {
    pub(crate) parts: ReportParts,
    pub(crate) span: Option<Span>,
}

/// What is polled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) version: u64,
    pub(crate) is_done: bool,
    pub(crate) progress: f64,
    pub(crate) is_growing: bool,
}

/// A request being answered; the counting waits for it.
struct Busy<'a>(&'a Engine);

impl Busy<'_> {
    fn begin(engine: &Engine) -> Busy<'_> {
        engine.num_busy.fetch_add(1, Ordering::Relaxed);
        Busy(engine)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.num_answered.fetch_add(1, Ordering::Relaxed);
        self.0.num_busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Engine {
    /// Opens the captures and takes a first look.
    pub(crate) fn open(opening: Opening) -> Result<Engine, ViewError> {
        let threads = |name| Threads::new(name).map_err(|error| ViewError::Start(error.to_string()));
        let (pool, patient) = (threads("view")?, threads("exact")?);
        let mut sides = vec![open_side(&opening.open)?];
        if let Some(compare) = &opening.compare {
            sides.push(open_side(compare)?);
            let shift = shift_of(&opening.align, &sides)?;
            if let Some(side) = sides.last_mut() {
                side.shift = shift;
            }
        }
        let glances: Vec<Glance> = pool.install(|| sides.iter().map(look).collect());
        let engine = Engine {
            opening,
            sides: RwLock::new(sides.into_iter().map(Arc::new).collect()),
            overview: RwLock::default(),
            version: AtomicU64::new(1),
            num_done: AtomicU64::new(0),
            num_all: AtomicU64::new(0),
            is_done: AtomicBool::new(false),
            is_growing: AtomicBool::new(false),
            is_stale: AtomicBool::new(false),
            is_ended: AtomicBool::new(false),
            report: Mutex::default(),
            store: Store::default(),
            rates: Rates::default(),
            pool,
            patient,
            num_busy: AtomicUsize::new(0),
            num_answered: AtomicUsize::new(0),
            turns: Turns::default(),
        };
        engine.choose_charts(glances.first());
        let path = engine.opening.view.as_ref().map(|(path, _)| path);
        if let Some(path) = path.filter(|_| engine.saved_view().is_some_and(|view| !view.is_in_order())) {
            return Err(ViewError::ViewSpan(path.clone()));
        }
        Ok(engine)
    }

    /// The saved view with which it was opened, applied to the first side.
    pub(crate) fn saved_view(&self) -> Option<SavedView> {
        let (_, view) = self.opening.view.as_ref()?;
        Some(saved_view(&*self.side(0)?, view))
    }

    pub(crate) fn state(&self) -> State {
        let (done, all) = (self.num_done.load(Ordering::Relaxed), self.num_all.load(Ordering::Relaxed));
        let is_done = self.is_done.load(Ordering::Acquire);
        let progress = if all == 0 { 0.0 } else { (done as f64 / all as f64).min(1.0) };
        State {
            version: self.version.load(Ordering::Acquire),
            is_done,
            progress: if is_done { 1.0 } else { progress },
            is_growing: self.is_growing.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn sides(&self) -> Vec<Arc<Side>> {
        self.sides.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What could not be read so far, per time line.
    pub(crate) fn health(&self) -> Vec<(String, Health)> {
        self.sides().iter().map(|side| (side.timeline.name(), side.health())).collect()
    }

    pub(crate) fn side(&self, number: usize) -> Option<Arc<Side>> {
        self.sides.read().unwrap_or_else(PoisonError::into_inner).get(number).cloned()
    }

    /// Replaces the captures of a side.
    pub(super) fn replace_side(&self, number: usize, side: Side) {
        let mut sides = self.sides.write().unwrap_or_else(PoisonError::into_inner);
        sides[number] = Arc::new(side);
    }

    pub(crate) fn overview(&self) -> Arc<Vec<OverviewChart>> {
        Arc::clone(&self.overview.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn report(&self) -> Option<Arc<Reported>> {
        self.lock_report().clone()
    }

    pub(super) fn put_report(&self, report: Option<Reported>) {
        *self.lock_report() = report.map(Arc::new);
    }

    /// Chooses the first charts, by the figures of a glance or of the counting.
    pub(super) fn choose_charts(&self, glance: Option<&Glance>) {
        let sides = self.sides();
        let counted: Vec<RwLockReadGuard<'_, Counted>> = sides.iter().map(|side| read(side)).collect();
        let Some((first, others)) = counted.split_first() else { return };
        let others: Vec<_> = others.iter().map(|counted| &counted.roster).collect();
        let whole = sides.first().and_then(|side| side.span());
        let charts = overview(&first.roster, &others, |place| match glance {
            Some(glance) => glance.get(&place).copied(),
            None => whole.map(|whole| first.index.whole(place, whole)).filter(Extent::has_values),
        });
        *self.overview.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(charts);
    }

    pub(super) fn rise(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn set_done(&self, is_done: bool) {
        self.is_done.store(is_done, Ordering::Release);
    }

    pub(super) fn set_growing(&self, is_growing: bool) {
        self.is_growing.store(is_growing, Ordering::Relaxed);
    }

    /// Ends the counting and the watching.
    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }

    /// Answers a request on the threads for requests.
    pub(crate) fn answer<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let _busy = Busy::begin(self);
        self.pool.install(work)
    }

    /// Answers a request that may take seconds; others are answered in the meantime.
    pub(crate) fn answer_in_time<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let _busy = Busy::begin(self);
        self.patient.install(work)
    }

    /// How many requests share each thread.
    pub(crate) fn crowding(&self) -> f64 {
        let requests = self.num_busy.load(Ordering::Relaxed) + 1;
        (requests as f64 / self.pool.number() as f64).max(1.0)
    }

    /// Leaves the processors to the starting browser and its first charts.
    pub(super) fn wait_for_first_charts(&self) {
        const LONGEST: Duration = Duration::from_millis(800);
        const QUIET: Duration = Duration::from_millis(150);
        const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
        let (begun, mut busy) = (Instant::now(), Instant::now());
        while begun.elapsed() < LONGEST && !self.is_ended() {
            let is_drawn = self.num_answered.load(Ordering::Relaxed) > 0;
            if self.num_busy.load(Ordering::Relaxed) > 0 || !is_drawn {
                busy = Instant::now();
            } else if busy.elapsed() > QUIET {
                return;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    /// Leaves the processors to requests for a moment.
    pub(super) fn give_way(&self) -> Result<(), Cancelled> {
        const LONGEST: Duration = Duration::from_millis(300);
        const BETWEEN_LOOKS: Duration = Duration::from_millis(3);
        let longest = LONGEST.min(self.turns.patience());
        let since = Instant::now();
        while self.num_busy.load(Ordering::Relaxed) > 0 && since.elapsed() < longest && !self.is_ended() {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        self.turns.note_waited(since.elapsed());
        if self.is_ended() { Err(Cancelled) } else { Ok(()) }
    }

    /// Whether everything has been counted, or nobody counts any more.
    pub(crate) fn has_counted(&self) -> bool {
        self.is_done.load(Ordering::Acquire) || self.is_ended()
    }

    /// Waits until everything has been counted, and the findings are on their way: they come first.
    pub(crate) fn wait_for_counting(&self, cancel: &Cancel) -> Result<(), Cancelled> {
        const BETWEEN_LOOKS: Duration = Duration::from_millis(15);
        const FINDINGS: Duration = Duration::from_millis(400);
        while !self.has_counted() {
            cancel.check()?;
            std::thread::sleep(BETWEEN_LOOKS);
        }
        std::thread::sleep(FINDINGS);
        cancel.check()
    }

    fn lock_report(&self) -> MutexGuard<'_, Option<Arc<Reported>>> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the captures of a side.
fn open_side(open: &super::Opener) -> Result<Side, ViewError> {
    let captures = open().map_err(ViewError::Open)?;
    let side = Side::new(&captures, 0, Arc::new(RwLock::new(Counted::new())))?;
    if side.timeline.no_samples().is_some() {
        return Err(ViewError::Empty(side.timeline.name()));
    }
    Ok(side)
}

fn look(side: &Side) -> Glance {
    let mut counted = side.counted.write().unwrap_or_else(PoisonError::into_inner);
    glance(side, &mut counted)
}

/// The offset to add to the times of the second side.
fn shift_of(align: &Align, sides: &[Side]) -> Result<i64, ViewError> {
    let [first, second] = sides else { return Ok(0) };
    let begin = |side: &Side| side.span().map_or(0, |span| span.from);
    Ok(match align {
        Align::Time => 0,
        Align::Start => begin(first).saturating_sub(begin(second)),
        Align::Mark(text) => moment(first, text)?.0.saturating_sub(moment(second, text)?.0),
    })
}

/// The time of a mark.
fn moment(side: &Side, text: &str) -> Result<Timestamp, ViewError> {
    let bound = recount::TimeBound::Mark { text: text.to_owned(), offset: jiff::SignedDuration::ZERO };
    let time = side.timeline.moment(&bound)?;
    time.ok_or_else(|| ViewError::Start(format!("no time is marked {text:?}")))
}
