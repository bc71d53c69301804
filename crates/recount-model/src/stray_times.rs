//! Times that damage has made of others.

use crate::Timestamp;

/// Nobody sets a clock by more for a single sample.
const FAR: u64 = 366 * 86_400 * Timestamp::TICKS_PER_SECOND as u64;

/// Which times of samples, in the order of recording, can't be right: more than a year from those before and after, which are
/// near each other. Their indices, ascending.
pub fn stray_times(times: &[Timestamp]) -> Vec<usize> {
    let is_near = |one: Timestamp, other: Timestamp| one.0.abs_diff(other.0) <= FAR;
    let mut strays: Vec<usize> = Vec::new();
    for (at, &time) in times.iter().enumerate() {
        let mut before = (0..at)
            .rev()
            .filter(|before| strays.last().is_none_or(|stray| stray != before))
            .map(|at| times[at]);
        let mut after = times[at + 1..].iter().copied();
        // At the ends, two of the others must agree.
        let neighbours = match (before.next(), after.next()) {
            (Some(before), Some(after)) => Some((before, after)),
            (None, Some(next)) => after.next().map(|second| (next, second)),
            (Some(last), None) => before.next().map(|second| (second, last)),
            (None, None) => None,
        };
        let is_stray = neighbours
            .is_some_and(|(one, other)| is_near(one, other) && !is_near(time, one) && !is_near(time, other));
        if is_stray {
            strays.push(at);
        }
    }
    strays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_times_far_from_all_others_are_strays() {
        let strays = |years: &[i64]| {
            let times: Vec<Timestamp> = years.iter().map(|year| Timestamp(year * 2 * FAR as i64)).collect();
            stray_times(&times)
        };
        assert_eq!(strays(&[9, 9, 0, 9, 9]), [2]);
        assert_eq!(strays(&[0, 9, 9, 9]), [0]);
        assert_eq!(strays(&[9, 9, 9, 40]), [3]);
        assert_eq!(strays(&[9, 40, 9, 0, 9]), [1, 3]);
        assert!(strays(&[0, 0, 9, 9]).is_empty(), "a clock that was set");
        assert!(strays(&[0, 9]).is_empty() && strays(&[0, 9, 18]).is_empty() && strays(&[]).is_empty());
    }
}
