//! Values averaged over windows of time, and which of them are beyond the limit at the edges of a window.

use super::cell::Cell;
use super::rule::ROUNDING;

/// Joins consecutive values to means over at least a given time.
#[derive(Clone, Debug)]
pub(super) struct Window {
    least_s: f64,
    open: Option<Windowed>,
}

/// The values of a window, joined.
#[derive(Clone, Debug)]
pub(super) struct Windowed {
    pub(super) whole: Cell,
    pub(super) edges: Edges,
}

/// The values of a window without those at its edges that aren't beyond the limit. `None` where there are none.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    /// The values before the first that isn't.
    pub(super) early: Option<Cell>,
    /// The values after the last that isn't.
    pub(super) late: Option<Cell>,
    /// From the first that is to the end.
    pub(super) from_first: Option<Cell>,
    /// From the begin to the last that is.
    pub(super) to_last: Option<Cell>,
    /// From the first to the last.
    pub(super) between: Option<Cell>,
    /// Those that aren't, since the last that is.
    since: Option<Cell>,
    has_others: bool,
}

impl Window {
    pub(super) fn new(least_s: f64) -> Window {
        Window { least_s, open: None }
    }

    /// The windows that end with this value, or before it. `is_beyond`: whether a spell may begin or end with it; `None` if nobody asks for edges.
    pub(super) fn add(&mut self, cell: &Cell, is_beyond: Option<bool>) -> Vec<Windowed> {
        let mut ready = Vec::new();
        if cell.seconds == 0.0 {
            return ready;
        }
        if self.open.as_ref().is_some_and(|open| cell.is_apart(open.whole.end)) {
            ready.extend(self.flush());
        }
        let open = match &mut self.open {
            Some(open) => {
                open.whole.join(cell);
                open
            }
            None => self.open.insert(Windowed { whole: cell.clone(), edges: Edges::default() }),
        };
        if let Some(is_beyond) = is_beyond {
            open.edges.add(&open.whole, cell, is_beyond);
        }
        if open.whole.seconds >= self.least_s * (1.0 - ROUNDING) {
            ready.extend(self.flush());
        }
        ready
    }

    pub(super) fn least_s(&self) -> f64 {
        self.least_s
    }

    /// What there is of a window.
    pub(super) fn flush(&mut self) -> Option<Windowed> {
        self.open.take()
    }
}

impl Edges {
    /// `whole`: all values, with this one.
    fn add(&mut self, whole: &Cell, cell: &Cell, is_beyond: bool) {
        if !is_beyond {
            self.has_others = true;
            self.late = None;
            if let Some(known) = &mut self.from_first {
                known.join(cell);
            }
            join(&mut self.since, cell);
            return;
        }
        if !self.has_others {
            join(&mut self.early, cell);
        }
        join(&mut self.late, cell);
        join(&mut self.from_first, cell);
        self.to_last = Some(whole.clone());
        let since = self.since.take();
        match &mut self.between {
            Some(between) => {
                if let Some(since) = &since {
                    between.join(since);
                }
                between.join(cell);
            }
            None => self.between = Some(cell.clone()),
        }
    }
}

fn join(to: &mut Option<Cell>, cell: &Cell) {
    match to {
        Some(known) => known.join(cell),
        None => *to = Some(cell.clone()),
    }
}
