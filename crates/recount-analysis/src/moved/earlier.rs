//! What a series did right before it went to a level: it may have left its usual values earlier.

use super::chance::median;
use super::parts::{Parts, Sides};
use super::shift::Shift;

/// A shift of a level, if the values right before it were far from usual, too, in the same direction: if they were at a level of their
/// own, it is compared with this one; else it began between the first of them and its own first value.
pub(super) fn since_left(shift: Shift, values: &[f64], parts: &Parts, sides: &Sides) -> Shift {
    /// So many values are a level.
    const LEAST_LEVEL: usize = 5;
    /// Of the height of the shift.
    const FAR: f64 = 0.12;
    const FAR_IN_SPREADS: f64 = 4.0;
    /// Of a level, how far its begin and its end may be apart, as a share of the height of the shift.
    const LEVEL: f64 = 0.08;
    let is_continued = sides.is_joined && !sides.is_later;
    let first = if is_continued { 0 } else { sides.num_before };
    let sign = if shift.is_up { 1.0 } else { -1.0 };
    let height = sign * (shift.after - parts.middle);
    let least = (FAR * height).max(FAR_IN_SPREADS * parts.scale);
    let is_far = |at: &usize| sign * (values[*at] - parts.middle) >= least;
    // What may be of the shift already says nothing of what was before.
    let end = shift.onset.0.min(shift.bins.start);
    let known = (first..end.max(first)).rev().filter(|at| !values[*at].is_nan());
    let mut left: Vec<usize> = known.take_while(is_far).collect();
    left.reverse();
    let (Some(begin), Some(last)) = (left.first().copied(), left.last().copied()) else { return shift };
    let of = |places: &[usize]| median(places.iter().map(|at| values[*at]).collect());
    let third = left.len().div_ceil(3);
    let is_level = left.len() >= LEAST_LEVEL
        && (of(&left[..third]) - of(&left[left.len() - third..])).abs() <= LEVEL * height
        && sign * (shift.after - of(&left)) >= FAR * height;
    if is_level {
        Shift { before: of(&left), compared: Some((begin, last)), again: None, ..shift }
    } else {
        Shift { onset: (begin.min(shift.onset.0), shift.onset.1.max(shift.bins.start)), ..shift }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::judge::{Judged, judge};
    use crate::noise::noise;

    fn found(seed: u64, course: impl Fn(usize) -> f64) -> Shift {
        let mut random = noise(seed);
        let values: Vec<f64> = (0..300).map(|at| course(at) * (1.0 + 0.05 * random())).collect();
        let sides = Sides { num_before: 240, usual: 0..238, is_later: false, is_joined: true, lag: 0.0 };
        match judge(&values, &sides) {
            Judged::Compared(Some(found)) => found,
            _ => panic!("{seed}: nothing"),
        }
    }

    /// It is at 100, at 200 from value 245 on, and at 500 from value 265 on.
    #[test]
    fn the_second_of_two_steps_is_compared_with_the_first_level() {
        for seed in 1..20 {
            let found =
                found(seed, |at| [100.0, 200.0, 500.0][usize::from(at >= 245) + usize::from(at >= 265)]);
            assert_eq!(
                (found.bins.clone(), found.compared),
                (265..300, Some((245, 264))),
                "{seed}: {found:?}"
            );
            assert!((found.before - 200.0).abs() < 10.0, "{seed}: {found:?}");
        }
    }

    #[test]
    fn a_ramp_begins_where_it_leaves_the_usual_values() {
        for seed in 1..20 {
            let found = found(seed, |at| 100.0 + (at as f64 - 245.0).clamp(0.0, 20.0) * 20.0);
            let (first, last) = found.onset;
            assert!((245..253).contains(&first) && (253..267).contains(&last), "{seed}: {found:?}");
            assert!(found.compared.is_none() && (found.before - 100.0).abs() < 5.0, "{seed}: {found:?}");
        }
    }

    #[test]
    fn a_step_begins_with_its_first_value() {
        for seed in 1..20 {
            let found = found(seed, |at| if at < 250 { 100.0 } else { 300.0 });
            assert_eq!((found.onset, found.compared), ((250, 250), None), "{seed}: {found:?}");
        }
    }
}
