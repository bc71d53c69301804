//! Stretches in which a condition holds.

use recount_compute::Covered;

use super::cell::{Cell, Figure};
use super::rule::{Aggregate, Rule};
use super::verdict::{Span, Verdict, is_reported};
use super::window::Windowed;

/// A span, and the quantities shown.
#[derive(Clone, Debug)]
pub(super) struct Spell {
    span: Span,
    /// Furthest beyond the threshold, of what was compared with it: a mean, if there is a window.
    compared: f64,
    value: Figure,
    shown: Vec<Figure>,
}

/// How many are reported per series: the longest, and the worst.
const MAX_SPELLS: usize = 100;

/// How many are known of a rule that leaves out what a stronger one has reported.
const MAX_COMPARED: usize = 10_000;

/// By so much of a window a spell may be shorter than `for` without the values at its ends that aren't beyond.
const ALLOWANCE: f64 = 0.5;

/// So many stretches are known of the time of all spells; what is from there to the end of the last is one.
const MAX_STRETCHES: usize = 10_000;

/// A spell that may go on.
#[derive(Clone, Debug)]
struct OpenSpell {
    spell: Spell,
    /// The same if the last window beyond the threshold is the last of all: only up to its last value that is beyond. `None` without windows.
    ended: Option<Spell>,
    /// The values that are beyond at the beginning of the window after that one.
    after: Option<Cell>,
    /// What has come since the last value beyond the threshold: values that are beyond `until`.
    tail: Option<Spell>,
    /// How long the latest run of values beyond the threshold is, in seconds; 0 if the last value isn't.
    seconds_beyond: f64,
    /// Whether any such run was as long as `for`.
    is_enough: bool,
}

/// The spells of a series.
#[derive(Clone, Debug, Default)]
pub(super) struct Spells {
    open: Option<Box<OpenSpell>>,
    /// The values that are beyond at the end of the last window.
    before: Option<Box<Cell>>,
    closed: Vec<Spell>,
    worst: Option<Box<Spell>>,
    num: u64,
    /// Over all of them.
    value: Figure,
    shown: Vec<Figure>,
    total_s: f64,
    time: Covered,
}

impl Spells {
    pub(super) fn add(&mut self, rule: &Rule, cell: &Cell) {
        let is_beyond = rule.is_beyond(&cell.value);
        if !rule.goes_on(&cell.value) || self.open.as_ref().is_some_and(|open| open.is_apart(cell)) {
            self.close(rule);
        }
        match &mut self.open {
            Some(open) => open.add(rule, cell, is_beyond),
            None if is_beyond => self.open = Some(Box::new(OpenSpell::new(rule, cell))),
            None => (),
        }
    }

    /// Adds a window. The spell begins and ends with values that are beyond. Those of the windows before and after it belong to it if none in
    /// between isn't.
    pub(super) fn add_window(&mut self, rule: &Rule, window: &Windowed) {
        let Windowed { whole, edges } = window;
        let is_beyond = rule.is_beyond(&whole.value);
        let before = std::mem::replace(&mut self.before, edges.late.clone().map(Box::new));
        let is_apart = self.open.as_ref().is_some_and(|open| open.is_apart(whole));
        if let Some(open) = self.open.as_mut().filter(|_| !is_apart && !is_beyond && before.is_some()) {
            open.see_after(edges.early.as_ref());
        }
        if !rule.goes_on(&whole.value) || is_apart {
            self.close(rule);
        }
        match &mut self.open {
            Some(open) => open.add_window(rule, window, is_beyond),
            None if is_beyond => {
                let before = before.filter(|before| edges.early.is_some() && !whole.is_apart(before.end));
                self.open = Some(Box::new(OpenSpell::of_window(rule, window, before.as_deref())));
            }
            None => (),
        }
    }

    /// What comes next doesn't continue what was before.
    pub(super) fn interrupt(&mut self, rule: &Rule) {
        self.close(rule);
        self.before = None;
    }

    /// Ends the open spell.
    fn close(&mut self, rule: &Rule) {
        let Some(open) = self.open.take() else { return };
        let OpenSpell { spell, ended, after, is_enough, .. } = *open;
        let is_of_windows = ended.is_some();
        let mut spell = ended.unwrap_or(spell);
        if let Some(after) = &after {
            spell.join(rule, &Spell { compared: spell.compared, ..Spell::of(after) });
        }
        // Where values go up and down, those at the ends may be on the other side.
        let is_long =
            is_enough && (!is_of_windows || rule.is_covered(spell.span.seconds + ALLOWANCE * rule.window_s));
        if matches!(rule.aggregate, Aggregate::Any) && !is_long {
            return;
        }
        spell.span.mean = spell.value.mean().unwrap_or(spell.span.peak);
        spell.span.peak = if rule.threshold.is_upper() { spell.value.max } else { spell.value.min };
        self.count(rule, &spell);
        self.closed.push(spell);
        let most = if rule.yields_to.is_empty() { MAX_SPELLS } else { MAX_COMPARED };
        if self.closed.len() > 2 * most {
            self.keep_longest(most);
        }
    }

    /// Adds a spell to what is known of all of them.
    fn count(&mut self, rule: &Rule, spell: &Spell) {
        self.num += 1;
        self.total_s += spell.span.seconds;
        let (begin, end) = spell.span.stretch();
        // Of very many, the last one is longer.
        let last = self.time.stretches().get(MAX_STRETCHES - 1);
        let begin = last.map_or(begin, |last| last.1);
        self.time.add(begin, end);
        self.value.join(&spell.value);
        self.shown.resize(spell.shown.len(), Figure::default());
        for (all, one) in self.shown.iter_mut().zip(&spell.shown) {
            all.join_extremes(one);
        }
        self.see_worst(rule, spell);
    }

    /// Without the spells that stronger rules have reported. Of very many, only those that were kept are counted.
    fn without_reported(mut self, rule: &Rule, reported: &Covered) -> Spells {
        let mut kept = std::mem::take(&mut self.closed);
        kept.extend(self.worst.take().map(|worst| *worst));
        kept.retain(|spell| !is_reported(&Covered::from_iter([spell.span.stretch()]), reported));
        kept.sort_by_key(|spell| spell.span.begin);
        kept.dedup_by_key(|spell| spell.span.begin);
        let mut spells = Spells::default();
        for spell in &kept {
            spells.count(rule, spell);
        }
        Spells { closed: kept, ..spells }
    }

    fn see_worst(&mut self, rule: &Rule, spell: &Spell) {
        if self.worst.as_ref().is_none_or(|worst| is_worse(rule, spell, worst)) {
            self.worst = Some(Box::new(spell.clone()));
        }
    }

    fn keep_longest(&mut self, most: usize) {
        self.closed.sort_by(|a, b| b.span.seconds.total_cmp(&a.span.seconds));
        self.closed.truncate(most);
    }

    /// Total time in which the condition holds. All spells have to be closed or long enough to count.
    pub(super) fn holds_s(&self) -> f64 {
        self.total_s + self.open.as_ref().map_or(0.0, |open| open.spell.span.seconds)
    }

    /// `share` is the value that was compared, if it isn't the mean of the worst spell. `reported`: what stronger rules have reported.
    pub(super) fn verdict(mut self, rule: &Rule, share: Option<f64>, reported: &Covered) -> Option<Verdict> {
        self.close(rule);
        if *reported != Covered::default() {
            self = self.without_reported(rule, reported);
        }
        if self.closed.len() > MAX_SPELLS || self.num as usize > self.closed.len() {
            self.keep_longest(MAX_SPELLS);
        }
        let worst = *self.worst?;
        let mut spans: Vec<Span> = self.closed.iter().map(|spell| spell.span).collect();
        if !spans.contains(&worst.span) {
            spans.truncate(MAX_SPELLS - 1);
            spans.push(worst.span);
        }
        spans.sort_by_key(|span| span.begin);
        let peak = if rule.threshold.is_upper() { self.value.max } else { self.value.min };
        let mut shown = worst.shown;
        for (of_worst, of_all) in shown.iter_mut().zip(&self.shown) {
            of_worst.join_extremes(of_all);
        }
        Some(Verdict {
            value: share.unwrap_or(worst.span.mean),
            worst: worst.span,
            spans,
            num_spans: self.num,
            total_s: self.total_s,
            time: self.time,
            is_whole: false,
            mean: self.value.mean().unwrap_or(worst.span.mean),
            peak,
            ends: (worst.span.mean, peak),
            num_up: 0,
            shown,
        })
    }
}

impl Spell {
    fn of(cell: &Cell) -> Spell {
        let value = cell.value.mean().unwrap_or(f64::NAN);
        Spell {
            span: Span { begin: cell.begin, end: cell.end, seconds: cell.seconds, mean: 0.0, peak: value },
            compared: value,
            value: cell.value,
            shown: cell.shown.clone(),
        }
    }

    /// Adds what follows it.
    fn join(&mut self, rule: &Rule, other: &Spell) {
        let is_upper = rule.threshold.is_upper();
        self.compared =
            if is_upper { self.compared.max(other.compared) } else { self.compared.min(other.compared) };
        self.span.end = other.span.end;
        self.span.seconds += other.span.seconds;
        self.value.join(&other.value);
        Figure::join_all(&mut self.shown, &other.shown);
    }
}

impl OpenSpell {
    fn new(rule: &Rule, cell: &Cell) -> OpenSpell {
        let is_enough = rule.is_covered(cell.seconds);
        let spell = Spell::of(cell);
        OpenSpell { spell, ended: None, after: None, tail: None, seconds_beyond: cell.seconds, is_enough }
    }

    /// `before`: the values that are beyond before the window.
    fn of_window(rule: &Rule, Windowed { whole, edges }: &Windowed, before: Option<&Cell>) -> OpenSpell {
        let compared = Spell::of(whole).compared;
        let begun = |cell: &Option<Cell>| {
            let mut cells = before.into_iter().chain([cell.as_ref().unwrap_or(whole)]);
            let mut all = cells.next().cloned().unwrap_or_else(|| whole.clone());
            cells.for_each(|cell| all.join(cell));
            Spell { compared, ..Spell::of(&all) }
        };
        let ended = Some(begun(&edges.between));
        OpenSpell { spell: begun(&edges.from_first), ended, ..OpenSpell::new(rule, whole) }
    }

    fn add(&mut self, rule: &Rule, cell: &Cell, is_beyond: bool) {
        let next = Spell::of(cell);
        if !is_beyond {
            self.seconds_beyond = 0.0;
            match &mut self.tail {
                Some(tail) => tail.join(rule, &next),
                None => self.tail = Some(next),
            }
            return;
        }
        if let Some(tail) = self.tail.take() {
            self.spell.join(rule, &tail);
        }
        self.spell.join(rule, &next);
        self.seconds_beyond += cell.seconds;
        self.is_enough |= rule.is_covered(self.seconds_beyond);
    }

    fn add_window(&mut self, rule: &Rule, Windowed { whole, edges }: &Windowed, is_beyond: bool) {
        if is_beyond {
            let mut ended = self.spell.clone();
            if let Some(tail) = &self.tail {
                ended.join(rule, tail);
            }
            let last = Spell::of(edges.to_last.as_ref().unwrap_or(whole));
            ended.join(rule, &Spell { compared: Spell::of(whole).compared, ..last });
            (self.ended, self.after) = (Some(ended), None);
        }
        self.add(rule, whole, is_beyond);
    }

    /// `early`: the values that are beyond at the beginning of a window that isn't.
    fn see_after(&mut self, early: Option<&Cell>) {
        if self.tail.is_none() {
            self.after = early.cloned();
        }
    }

    fn is_apart(&self, cell: &Cell) -> bool {
        cell.is_apart(self.tail.as_ref().unwrap_or(&self.spell).span.end)
    }
}

/// Further beyond the threshold at its worst, by what was compared; then for longer; then on average.
fn is_worse(rule: &Rule, one: &Spell, other: &Spell) -> bool {
    let beyond = |value: f64| if rule.threshold.is_upper() { value } else { -value };
    let by_peak = beyond(one.compared).total_cmp(&beyond(other.compared));
    let by_mean = || beyond(one.span.mean).total_cmp(&beyond(other.span.mean));
    by_peak.then_with(|| one.span.seconds.total_cmp(&other.span.seconds)).then_with(by_mean).is_gt()
}
