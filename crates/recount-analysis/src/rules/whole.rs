//! Whether a condition holds from beginning to end.

use super::cell::Cell;
use super::rule::Rule;
use super::spell::Window;

/// What was seen of a series so far.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    /// Means over the time that is enough, if the rule compares means: those over a longer time would hide the beginning.
    window: Option<Window>,
    /// `None`: nothing yet.
    holds: Option<bool>,
}

impl Whole {
    /// `None` if the rule doesn't ask.
    pub(super) fn of(rule: &Rule) -> Option<Whole> {
        let least_s = rule.least_whole_s?;
        let window = (rule.window_s > 0.0).then(|| Window::new(rule.window_s.min(least_s)));
        Some(Whole { window, holds: None })
    }

    pub(super) fn add(&mut self, rule: &Rule, cell: &Cell) {
        match &mut self.window {
            None => self.judge(rule, cell),
            Some(window) => {
                for mean in window.add(cell) {
                    self.judge(rule, &mean);
                }
            }
        }
    }

    fn judge(&mut self, rule: &Rule, cell: &Cell) {
        let holds = cell.value.mean().is_some_and(|value| rule.threshold.holds(value));
        self.holds = Some(self.holds.is_none_or(|before| before) && holds);
    }

    /// Whether it held in all of it.
    pub(super) fn holds(&self) -> bool {
        self.holds == Some(true)
    }
}
