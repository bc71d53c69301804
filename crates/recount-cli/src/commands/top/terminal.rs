//! The terminal: handles keys, draws, and reads in the background.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant, SystemTime};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use recount::{Past, is_stdio};

use super::app::{App, PastWanted};
use super::draw::draw;
use super::keys::Next;
use super::session::Session;
use crate::args::Inputs;
use crate::exit::Outcome;

/// How long to wait for a key before checking for results of the background reading.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// How often files are looked at for growth.
const BETWEEN_FILES: Duration = Duration::from_millis(500);

/// Runs the screen until the user ends it.
pub(super) fn run(mut app: App, inputs: &Inputs) -> anyhow::Result<Outcome> {
    recount::before_termination(ratatui::restore)?;
    let mut terminal = ratatui::try_init()?;
    let done = show(&mut terminal, &mut app, inputs);
    ratatui::restore();
    done?;
    Ok(Outcome::Done)
}

fn show(terminal: &mut DefaultTerminal, app: &mut App, inputs: &Inputs) -> anyhow::Result<()> {
    let mut sparks = Sparks::default();
    let mut files = Files::new(inputs);
    let mut is_changed = true;
    loop {
        if is_changed {
            sparks.ask(app);
            terminal.draw(|frame| draw(frame, app))?;
        }
        is_changed = sparks.take(app);
        is_changed |= files.take(app, inputs);
        // After what is in the queue already, so that a key held down doesn't draw once for each.
        while event::poll(if is_changed { Duration::ZERO } else { BETWEEN_LOOKS })? {
            is_changed = true;
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && app.on_key(key) == Next::Quit
            {
                return Ok(());
            }
        }
    }
}

/// The sparkline, which is read beside.
#[derive(Default)]
struct Sparks {
    /// Rises when something else is wanted.
    wanted: Arc<AtomicU64>,
    reading: Option<(PastWanted, u64, Receiver<Past>)>,
}

impl Sparks {
    /// Begins to read the requested values, unless they were read or are being read.
    fn ask(&mut self, app: &App) {
        let Some(wanted) = app.past_wanted().filter(|_| app.past().is_none()) else { return };
        if self.reading.as_ref().is_some_and(|(reading, number, _)| {
            *number == self.wanted.load(Ordering::Relaxed) && reading.is_same(&wanted)
        }) {
            return;
        }
        let number = self.wanted.fetch_add(1, Ordering::Relaxed) + 1;
        if self.reading.is_some() {
            // One at a time: the next begins when this one has noticed that it is no longer wanted.
            return;
        }
        let (sender, receiver) = channel();
        let (current, of) = (Arc::clone(&self.wanted), wanted.clone());
        std::thread::spawn(move || {
            let decide = |_| {
                let is_wanted = current.load(Ordering::Relaxed) == number;
                if is_wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            if let Ok(past) = of.read(&decide) {
                // The receiver may be gone.
                let _ = sender.send(past);
            }
        });
        self.reading = Some((wanted, number, receiver));
    }

    /// Takes the values read; returns whether there is something to draw.
    fn take(&mut self, app: &mut App) -> bool {
        let Some((_, _, receiver)) = &self.reading else { return false };
        let past = match receiver.try_recv() {
            Ok(past) => Some(past),
            Err(TryRecvError::Empty) => return false,
            Err(TryRecvError::Disconnected) => None,
        };
        // Nothing comes from reading that was cancelled.
        if let (Some((wanted, ..)), Some(past)) = (self.reading.take(), past) {
            app.set_past(wanted, past);
        }
        true
    }
}

/// Length and time of change of each file.
type Stamps = Vec<Option<(u64, Option<SystemTime>)>>;

/// The files of the captures, which may grow.
struct Files {
    paths: Vec<PathBuf>,
    seen: Stamps,
    looked: Instant,
    opening: Option<Receiver<anyhow::Result<Session>>>,
}

impl Files {
    fn new(inputs: &Inputs) -> Files {
        let paths: Vec<PathBuf> = inputs.inputs.iter().filter(|path| !is_stdio(path)).cloned().collect();
        Files { seen: stamps(&paths), paths, looked: Instant::now(), opening: None }
    }

    /// Reopens captures that grew, in the background, and takes those that were reopened. Returns whether
    /// there is something to draw.
    fn take(&mut self, app: &mut App, inputs: &Inputs) -> bool {
        if let Some(receiver) = &self.opening {
            let opened = receiver.try_recv();
            if matches!(opened, Err(TryRecvError::Empty)) {
                return false;
            }
            self.opening = None;
            // Captures that can't be opened now, such as a log being repaired, may be later.
            return opened.ok().and_then(Result::ok).map(|session| app.refresh(session)).is_some();
        }
        if self.paths.len() < inputs.inputs.len() || self.looked.elapsed() < BETWEEN_FILES {
            return false;
        }
        self.looked = Instant::now();
        let now = stamps(&self.paths);
        if now != self.seen {
            self.seen = now;
            let (sender, receiver) = channel();
            let (inputs, object) = (inputs.clone(), Arc::clone(&app.session.object));
            std::thread::spawn(move || {
                let opened = inputs.open_in_english();
                // The receiver may be gone.
                let _ = sender.send(opened.and_then(|captures| Session::new(&captures, Some(&object))));
            });
            self.opening = Some(receiver);
        }
        false
    }
}

/// For a directory, its own modification time, which changes when a file is added.
fn stamps(paths: &[PathBuf]) -> Stamps {
    let stamp = |path: &PathBuf| {
        let metadata = path.metadata().ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    };
    paths.iter().map(stamp).collect()
}
