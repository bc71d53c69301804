//! Whether a condition holds from beginning to end.

use super::cell::{Cell, Figure};
use super::rule::Rule;
use super::window::Window;

/// What was seen of a series so far.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    /// Means over the time that is enough, if the rule compares means: longer windows would average a quiet beginning away.
    window: Option<Window>,
    /// The last of them.
    last: Figure,
    /// `None`: nothing yet.
    holds: Option<bool>,
}

impl Whole {
    /// `None` if the rule doesn't ask.
    pub(super) fn of(rule: &Rule) -> Option<Whole> {
        let least_s = rule.least_whole_s?;
        let window = (rule.window_s > 0.0).then(|| Window::new(rule.window_s.min(least_s)));
        Some(Whole { window, last: Figure::default(), holds: None })
    }

    pub(super) fn add(&mut self, rule: &Rule, cell: &Cell) {
        match &mut self.window {
            None => self.judge(rule, &cell.value),
            Some(window) => {
                for window in window.add(cell, None) {
                    self.last = window.whole.value;
                    self.judge(rule, &window.whole.value);
                }
            }
        }
    }

    fn judge(&mut self, rule: &Rule, value: &Figure) {
        let holds = value.mean().is_some_and(|value| rule.threshold.holds(value));
        self.holds = Some(self.holds.is_none_or(|before| before) && holds);
    }

    /// Whether it held in all of it. What is much shorter than a window is judged with the window before.
    pub(super) fn holds(mut self, rule: &Rule) -> bool {
        if let Some((window, rest)) =
            self.window.as_mut().and_then(|window| Some((window.least_s(), window.flush()?)))
        {
            let mut value = rest.whole.value;
            if rest.whole.seconds < 0.5 * window {
                value.join(&self.last);
            }
            self.judge(rule, &value);
        }
        self.holds == Some(true)
    }
}
