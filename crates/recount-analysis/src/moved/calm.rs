//! The calm part of the time before a span: all but a few stretches that were far away from the rest.

use std::ops::Range;

use super::chance::{median, spread};
use super::parts::Sides;
use super::shift::Shift;

/// A few stretches of the time before that are far away from all else.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exceptions {
    /// Their places, in order.
    pub(super) runs: Vec<Range<usize>>,
    /// The series without them: NaN.
    pub(super) calm: Vec<f64>,
}

/// A level that is nearer, as a share of the height of a step, is the same.
const SAME: f64 = 0.25;

/// The exceptions of the values that say what is usual, if they are few, and clearly apart from the rest.
pub(super) fn exceptions(values: &[f64], sides: &Sides) -> Option<Exceptions> {
    const LEAST_BASE: usize = 20;
    /// More runs are what the counter does now and then.
    const MOST_RUNS: usize = 3;
    let known: Vec<usize> = sides.usual.clone().filter(|at| !values[*at].is_nan()).collect();
    if known.len() < LEAST_BASE {
        return None;
    }
    let middle = median(known.iter().map(|at| values[*at]).collect());
    let distance = |at: usize| (values[at] - middle).abs();
    let least = least_far(known.iter().map(|at| distance(*at)).collect())?;
    let mut runs: Vec<Range<usize>> = Vec::new();
    // A single value in between doesn't divide a run.
    let mut since_far = usize::MAX;
    for at in known {
        if distance(at) < least {
            since_far = since_far.saturating_add(1);
            continue;
        }
        match runs.last_mut().filter(|_| since_far <= 1) {
            Some(run) => run.end = at + 1,
            None => runs.push(at..at + 1),
        }
        since_far = 0;
    }
    let mut calm = values.to_vec();
    for run in &runs {
        calm[run.clone()].fill(f64::NAN);
    }
    (runs.len() <= MOST_RUNS).then_some(Exceptions { runs, calm })
}

/// From which distance on values are far away from the rest: the widest gap that has a small share of them beyond it.
fn least_far(mut distances: Vec<f64>) -> Option<f64> {
    const SHARES: (f64, f64) = (0.04, 0.31);
    /// How many times as far as the furthest of the others.
    const GAP: f64 = 2.0;
    /// In units of the spread of the others.
    const FAR: f64 = 5.0;
    distances.sort_unstable_by(f64::total_cmp);
    let count = distances.len() as f64;
    let places = (count * (1.0 - SHARES.1)) as usize..=(count * (1.0 - SHARES.0)) as usize;
    let gap = |at: &usize| distances[*at] / distances[at - 1].max(f64::MIN_POSITIVE);
    let at = places.max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    let is_apart =
        distances[at] > 0.0 && gap(&at) >= GAP && distances[at] >= FAR * spread(&distances[..at], 0.0);
    is_apart.then_some(distances[at])
}

impl Exceptions {
    /// A shift against the calm part, if the exceptions before don't explain it: it holds through the span, or is much longer than
    /// each of them. With the last of them that was at the same level.
    pub(super) fn checked(&self, shift: Shift, values: &[f64], sides: &Sides) -> Option<Shift> {
        const THROUGHOUT: f64 = 0.8;
        const HALF: f64 = 0.5;
        const LONGER: usize = 2;
        let is_known = |at: &usize| !values[*at].is_nan();
        let inside = (sides.num_before..values.len()).filter(is_known).count() as f64;
        let of_span = |at: &usize| *at >= sides.num_before && is_known(at);
        let num_inside = shift.spells.iter().cloned().flatten().filter(of_span).count();
        let is_part = |run: &&Range<usize>| {
            shift.spells.iter().any(|spell| spell.start < run.end && run.start < spell.end)
        };
        let (parts, others): (Vec<&Range<usize>>, Vec<&Range<usize>>) = self.runs.iter().partition(is_part);
        // What goes on into a later time didn't come back.
        let is_next = |run: &&Range<usize>| sides.is_later && run.start <= sides.usual.start;
        if self.runs.iter().any(|run| is_next(&run)) || sides.is_later && !parts.is_empty() {
            return None;
        }
        let longest = others.iter().map(|run| run.len()).max().unwrap_or(0);
        let share = num_inside as f64 / inside;
        // Less than the exceptions is noise beside them, unless it holds.
        let level = |run: &Range<usize>| {
            median(values[run.clone()].iter().copied().filter(|value| !value.is_nan()).collect())
        };
        let height = (shift.after - shift.before).abs();
        let furthest = self.runs.iter().map(|run| (level(run) - shift.before).abs()).fold(0.0, f64::max);
        let is_longer = num_inside >= LONGER * longest && share >= HALF && height >= HALF * furthest;
        let is_same = |run: &&&Range<usize>| (level(run) - shift.after).abs() <= SAME * height;
        let again = others.iter().rfind(is_same).map(|run| (run.start, run.end - 1));
        (share >= THROUGHOUT || is_longer).then_some(Shift { again, ..shift })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::judge::{Judged, judge};
    use crate::noise::noise;

    fn sides(num_before: usize) -> Sides {
        Sides { num_before, usual: 0..num_before - 2, is_later: false, is_joined: true, lag: 0.0 }
    }

    fn found(values: &[f64], num_before: usize) -> Option<Shift> {
        match judge(values, &sides(num_before)) {
            Judged::Compared(found) => found.filter(|shift| shift.probability < 1e-4),
            _ => None,
        }
    }

    /// Noise with neighbours that are alike, about a course.
    fn series(seed: u64, count: usize, course: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut random = noise(seed);
        let mut value = 0.0;
        (0..count)
            .map(|at| {
                value = 0.3 * value + random();
                course(at) * (1.0 + 0.05 * value)
            })
            .collect()
    }

    /// Four times as high through the span. Before, a part of the time was at that level, at half of it, or below the usual one.
    #[test]
    fn a_level_of_a_part_of_the_time_before_does_not_hide_a_change() {
        for times in [0.1, 0.5, 2.0, 4.0, 8.0] {
            for share in [0, 3, 5, 8, 10, 12, 15, 20, 25, 30] {
                for seed in 1..6 {
                    let earlier = 100..100 + 360 * share / 100;
                    let values = series(seed, 480, |at| match at {
                        at if earlier.contains(&at) => 100.0 * times,
                        at if at >= 360 => 400.0,
                        _ => 100.0,
                    });
                    let case = format!("{times} for {share} %, {seed}");
                    let found = found(&values, 360).unwrap_or_else(|| panic!("{case}: nothing"));
                    assert!(found.is_up && found.bins == (360..480), "{case}: {found:?}");
                    assert!(
                        (found.before - 100.0).abs() < 4.0 && (found.after - 400.0).abs() < 15.0,
                        "{case}: {found:?}"
                    );
                    if let Some((first, last)) = found.again {
                        assert!(
                            (times - 4.0_f64).abs() < 0.1
                                && first.abs_diff(100) < 2
                                && last.abs_diff(earlier.end) < 3,
                            "{case}: {found:?}"
                        );
                    }
                }
            }
        }
    }

    /// Bursts as the one of the span are what it did before.
    #[test]
    fn a_burst_as_those_before_is_no_change() {
        for seed in 1..20 {
            let is_high =
                |at: usize| [20..28, 90..100, 150..158, 214..222].iter().any(|run| run.contains(&at));
            let values = series(seed, 250, |at| if is_high(at) { 400.0 } else { 100.0 });
            assert_eq!(found(&values, 200).map(|found| found.bins), None, "{seed}");
        }
    }

    /// The level that began before the span is that of the event, not an exception.
    #[test]
    fn what_began_in_the_last_part_of_the_time_before_is_found() {
        for seed in 1..10 {
            let values = series(seed, 280, |at| if at < 190 { 100.0 } else { 45.0 });
            let found = found(&values, 220).expect("it fell");
            assert!(!found.is_up && found.bins.start.abs_diff(190) < 2 && found.bins.end == 280, "{found:?}");
            assert_eq!(found.again, None);
        }
    }
}
