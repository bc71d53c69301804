//! Which samples of two captures are of one moment.

use recount_model::Timestamp;

use crate::Timeline;

/// A sample of one capture, or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) first: Option<Timestamp>,
    pub(super) other: Option<Timestamp>,
}

impl Moment {
    /// Whether both captures have it.
    pub(super) fn is_shared(&self) -> bool {
        self.first.is_some() && self.other.is_some()
    }
}

/// The samples of both captures by time. Two are of one moment if their times differ by at most the tolerance.
pub(super) fn moments(first: &Timeline, other: &Timeline, tolerance_100ns: i64) -> Vec<Moment> {
    matched(&times(first), &times(other), tolerance_100ns)
}

fn times(timeline: &Timeline) -> Vec<Timestamp> {
    let of_input = |input: &recount_compute::Input| {
        let times = input.source.times();
        let time = |sample: &u32| times.get(*sample as usize).map(|time| time.utc);
        input.samples.iter().filter_map(time).collect::<Vec<Timestamp>>()
    };
    let mut times: Vec<Timestamp> = timeline.inputs().iter().flat_map(of_input).collect();
    times.sort_unstable();
    times.dedup();
    times
}

/// Both are sorted. Of several within the tolerance the nearest counts.
fn matched(first: &[Timestamp], other: &[Timestamp], tolerance_100ns: i64) -> Vec<Moment> {
    let apart = |a: Timestamp, b: Timestamp| a.0.abs_diff(b.0);
    let mut all = Vec::with_capacity(first.len().max(other.len()));
    let (mut a, mut b) = (0, 0);
    while let (Some(&one), Some(&opposite)) = (first.get(a), other.get(b)) {
        let distance = apart(one, opposite);
        let is_nearest = first.get(a + 1).is_none_or(|next| apart(*next, opposite) >= distance)
            && other.get(b + 1).is_none_or(|next| apart(one, *next) >= distance);
        if distance <= tolerance_100ns.unsigned_abs() && is_nearest {
            all.push(Moment { first: Some(one), other: Some(opposite) });
            (a, b) = (a + 1, b + 1);
        } else if one <= opposite {
            all.push(Moment { first: Some(one), other: None });
            a += 1;
        } else {
            all.push(Moment { first: None, other: Some(opposite) });
            b += 1;
        }
    }
    all.extend(first[a..].iter().map(|time| Moment { first: Some(*time), other: None }));
    all.extend(other[b..].iter().map(|time| Moment { first: None, other: Some(*time) }));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(first: &[i64], other: &[i64], tolerance: i64) -> Vec<(Option<i64>, Option<i64>)> {
        let times = |times: &[i64]| times.iter().map(|time| Timestamp(*time)).collect::<Vec<_>>();
        let ticks = |time: Option<Timestamp>| time.map(|time| time.0);
        let all = matched(&times(first), &times(other), tolerance);
        all.iter().map(|one| (ticks(one.first), ticks(one.other))).collect()
    }

    #[test]
    fn samples_of_one_moment() {
        assert_eq!(of(&[10, 20], &[10, 20], 0), [(Some(10), Some(10)), (Some(20), Some(20))]);
        assert_eq!(of(&[10], &[20], 5), [(Some(10), None), (None, Some(20))]);
        assert_eq!(of(&[10, 20], &[14], 5), [(Some(10), Some(14)), (Some(20), None)]);
        // The nearest.
        assert_eq!(of(&[10, 14], &[15], 5), [(Some(10), None), (Some(14), Some(15))]);
        assert_eq!(of(&[12], &[8, 11], 5), [(None, Some(8)), (Some(12), Some(11))]);
        assert_eq!(of(&[], &[1], 5), [(None, Some(1))]);
    }
}
