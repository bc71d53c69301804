//! What a step says of a series that was compared with another time.

use std::ops::Range;

use super::chance::{median, memory, spread};
use super::parts::Sides;
use super::runs::{Runs, Usual, runs};
use super::shift::{Kind, Shift};
use super::steps::{Step, step};

/// A step in the span.
pub(super) enum Stepped {
    /// To a level that was seldom or never there before.
    To(Shift),
    /// To a level that was there often.
    Often,
}

/// The largest step in the span, if there is one. NaN: no value. What isn't settled has few independent values before, and may drift to
/// another level; then a step counts only if it is to a level that was there.
pub(super) fn stepped(values: &[f64], sides: &Sides, is_settled: bool) -> Option<Stepped> {
    /// How often a level may have been there before.
    const MOST_OFTEN: usize = 3;
    /// Of a step from one of several levels: a job that runs now and then is shorter.
    const LEAST_LONG: usize = 20;
    const MOST_OF_NEW: f64 = 1e-5;
    // Of a later time, what is nearest to the span comes last, too.
    let places: Vec<usize> = if sides.is_later {
        (0..sides.num_before).rev().chain((sides.num_before..values.len()).rev()).collect()
    } else {
        (0..values.len()).collect()
    };
    let places: Vec<usize> = places.into_iter().filter(|at| !values[*at].is_nan()).collect();
    let num_before = places.iter().filter(|at| **at < sides.num_before).count();
    let known: Vec<f64> = places.iter().map(|at| values[*at]).collect();
    let step = step(&known, num_before)?;
    let is_of_all = step.before.start == 0;
    // What was next to the span is known only if nothing is in between.
    if !is_of_all && !sides.is_joined {
        return None;
    }
    let is_short = !is_of_all && step.after.len() < LEAST_LONG;
    // Among several levels a further one is no news, unless it is very unlikely.
    let may_be_one_more = !is_of_all && step.earlier.is_empty() && step.probability > MOST_OF_NEW;
    if is_short || may_be_one_more || !is_settled && step.earlier.is_empty() {
        return None;
    }
    if step.earlier.len() > MOST_OFTEN {
        return Some(Stepped::Often);
    }
    // A stretch that is hardly in the span isn't of it.
    if sides.is_later && places[step.after.end - 1] < sides.num_before {
        return None;
    }
    shift(&step, &known, &places, sides).map(Stepped::To)
}

/// A step as a shift.
fn shift(step: &Step, known: &[f64], places: &[usize], sides: &Sides) -> Option<Shift> {
    let is_up = step.to > step.from;
    let found = runs_of_step(step, known, places, sides);
    // In the order of time.
    let in_time = |first: usize, last: usize| {
        let (first, last) = (places[first], places[last]);
        if sides.is_later { (last, first) } else { (first, last) }
    };
    let last = places.iter().copied().max()?;
    let mut spells: Vec<Range<usize>> = found
        .runs
        .iter()
        .map(|run| in_time(run.start, run.end - 1))
        // A few values of a later time may be of the stretch, too.
        .map(|(begin, end)| begin..(if end < begin { last } else { end }) + 1)
        .collect();
    if !sides.is_joined {
        // Nothing is known of the time between both.
        let inside = spells.into_iter().filter(|run| run.end > sides.num_before);
        spells = inside.map(|run| run.start.max(sides.num_before)..run.end).collect();
    }
    spells.sort_unstable_by_key(|run| run.start);
    let values: Vec<f64> = found.runs.iter().flat_map(|run| known[run.clone()].iter().copied()).collect();
    let reach = |one: f64, other: f64| if is_up { one.max(other) } else { one.min(other) };
    let bins = spells.first()?.start..spells.last()?.end;
    Some(Shift {
        kind: Kind::Level,
        before: step.from,
        is_of_trend: false,
        is_after_way: false,
        after: median(values.clone()),
        extreme: values.into_iter().reduce(reach)?,
        effect: step.effect,
        // It is the second look at the same values.
        probability: (2.0 * step.probability).min(1.0),
        is_up,
        onset: if sides.is_later {
            (bins.start, bins.start)
        } else {
            (places[found.onset.0], places[found.onset.1])
        },
        bins,
        spells,
        is_step: true,
        is_from_flat: false,
        is_rough: step.is_rough,
        compared: (step.before.start > 0).then(|| in_time(step.before.start, step.before.end - 1)),
        again: step.earlier.last().map(|same| in_time(same.start, same.end - 1)),
    })
}

/// The runs of values at the level to which a step leads: where the stretch really begins and ends, and what comes back in between.
fn runs_of_step(step: &Step, known: &[f64], places: &[usize], sides: &Sides) -> Runs {
    let from = step.before.start;
    let before = &known[step.before.clone()];
    let noise = spread(before, step.from).max(f64::MIN_POSITIVE);
    let sign = (step.to - step.from).signum();
    let far: Vec<f64> = known[from..].iter().map(|value| sign * (value - step.from) / noise).collect();
    let num_before = places.iter().filter(|at| **at < sides.num_before).count();
    let usual = Usual { memory: memory(before), is_first: true };
    let event = step.after.start - from..step.after.end - from;
    let found = runs(&far, event, num_before.saturating_sub(from), usual);
    found
        .map_or_else(|| Runs { runs: vec![step.after.clone()], onset: step.onset }, |found| found.moved(from))
}

/// A shift of a level, and what a step says of it. If both are the same and the step is against all that was before, its places are
/// the better ones: they rest on all values, not on single ones.
pub(super) fn joined(level: Option<Shift>, step: Shift) -> Shift {
    let Some(level) = level else { return step };
    let is_same = level.is_up == step.is_up
        && step.bins.start < level.bins.end
        && level.bins.start < step.bins.end
        && step.compared.is_none()
        && level.spells.len() == 1;
    if is_same {
        Shift { effect: level.effect, probability: level.probability.min(step.probability), ..step }
    } else if level.probability <= step.probability {
        level
    } else {
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    /// Three deviations, for 30 values, and 15 values after it.
    #[test]
    fn a_step_ends_where_values_are_back() {
        let sides = Sides { num_before: 200, usual: 0..198, is_later: false, is_joined: true, lag: 0.0 };
        let mut num_found = 0;
        for seed in 1..=40 {
            let mut random = noise(seed);
            let course = |at: usize| if (205..235).contains(&at) { 3.5 } else { 0.0 };
            let values: Vec<f64> = (0..250).map(|at| course(at) + random()).collect();
            let Some(Stepped::To(found)) = stepped(&values, &sides, true) else { continue };
            num_found += 1;
            let Range { start, end } = found.bins;
            assert!(start.abs_diff(205) <= 3 && end.abs_diff(235) <= 3, "{seed}: {start}..{end}");
        }
        assert!(num_found >= 36, "{num_found} of 40");
    }
}
