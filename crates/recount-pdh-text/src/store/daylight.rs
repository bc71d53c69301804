//! Finds where a clock was changed within a file, whose header has only one bias (`formats/pdh-text.md#time`).

use recount_model::{Timestamp, usual_step};

use crate::zones::{Rules, Transition};

const TICKS_PER_MINUTE: i64 = 60 * Timestamp::TICKS_PER_SECOND;
const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;

/// A change of the offset between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The first row with the new offset.
    pub(crate) row: usize,
    /// Minutes that the offset (local minus UTC) changes by: −60 in autumn, 60 in spring.
    pub(crate) minutes: i16,
}

impl Change {
    /// What to say about it. Rows rarer than the change is large don't step back: `step` is that of local time, in ticks.
    pub(crate) fn what(self, step: i64) -> String {
        let by = match self.minutes.unsigned_abs() {
            60 => "an hour".to_owned(),
            minutes => format!("{minutes} minutes"),
        };
        let (how, end) = match self.minutes {
            ..0 if step <= 0 => (format!("local time goes back by {by}"), "end"),
            ..0 => (format!("the clock is put back by {by} between this row and the one before"), "end"),
            _ => (format!("local time goes forward by {by}"), "beginning"),
        };
        format!("{how}: taken for the {end} of daylight saving time, and UTC goes on")
    }
}

/// The longest time between two rows that follow each other. A logger may be late by a few minutes or half its step.
pub(crate) fn longest_step(usual: i64) -> i64 {
    usual.saturating_add(usual / 2).max(5 * TICKS_PER_MINUTE)
}

/// The changes among rows of these local times, in the order of the file. `offset_first` is the offset of the first (local
/// minus UTC, minutes), if it is known.
///
/// Two things must come together: rows that step as if the clock had been changed, and a zone whose clock is changed at
/// just this time. The end of daylight saving is a step back by an hour minus the usual step. Its beginning looks like a
/// gap: an hour more than the usual step.
pub(crate) fn changes(local: &[Timestamp], offset_first: Option<i16>, rules: &Rules) -> Vec<Change> {
    let Some(usual) = usual_step(local.iter().copied()) else { return Vec::new() };
    let mut changes: Vec<Change> = Vec::new();
    let mut offset_min = offset_first;
    let mut known: Option<Vec<Transition>> = None;
    for (at, pair) in local.windows(2).enumerate() {
        let step = pair[1].0.saturating_sub(pair[0].0);
        if step > 0 && step < TICKS_PER_HOUR / 2 {
            // By far the most rows.
            continue;
        }
        let is_like = |minutes: i16| {
            if minutes < 0 { is_fold(step, usual, minutes) } else { is_skip(step, usual, minutes, rules) }
        };
        let sizes = [-60, 60, -30, 30];
        if !sizes.into_iter().any(is_like) {
            continue;
        }
        let transitions = known.get_or_insert_with(|| {
            span(local).map_or_else(Vec::new, |(first, last)| rules.transitions(first, last))
        });
        let is_here = |transition: &&Transition| {
            let has_offset = matches!(rules, Rules::Known(_))
                || offset_min.is_none_or(|offset| offset == transition.offset_before);
            has_offset && is_like(transition.minutes) && transition.is_between(pair[0], pair[1])
        };
        let from = transitions.partition_point(|transition| transition.wall <= pair[0]);
        let until = pair[0].max(pair[1]).plus_minutes(24 * 60);
        let near = transitions[from..].iter().take_while(|transition| transition.wall <= until);
        if let Some(found) = near.clone().find(is_here) {
            changes.push(Change { row: at + 1, minutes: found.minutes });
            offset_min = offset_min.map(|offset| offset.saturating_add(found.minutes));
        }
    }
    changes
}

/// The first and the last of local times.
pub(crate) fn span(local: &[Timestamp]) -> Option<(Timestamp, Timestamp)> {
    Some((*local.iter().min()?, *local.iter().max()?))
}

impl Transition {
    /// Whether a clock that shows one time before the change may show the other after it.
    pub(crate) fn is_between(&self, before: Timestamp, after: Timestamp) -> bool {
        before < self.wall && after >= self.wall.plus_minutes(i64::from(self.minutes))
    }
}

/// A step back, or none: the hour is repeated. A clock put back for other reasons differs by more.
fn is_fold(step: i64, usual: i64, minutes: i16) -> bool {
    let real = step.saturating_sub(i64::from(minutes) * TICKS_PER_MINUTE);
    step <= 0 && real > 0 && real <= longest_step(usual)
}

/// A step that is longer than the usual one by what the clock was put forward. Rows an hour or more apart often miss one, so
/// that this says nothing unless the zone is known.
fn is_skip(step: i64, usual: i64, minutes: i16, rules: &Rules) -> bool {
    let real = step.saturating_sub(i64::from(minutes) * TICKS_PER_MINUTE);
    let is_dense = usual < TICKS_PER_HOUR || matches!(rules, Rules::Known(_));
    is_dense && real.saturating_sub(usual).saturating_abs() <= (usual / 2).min(TICKS_PER_HOUR / 2)
}
