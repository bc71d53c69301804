//! Records whose times aren't in order: single ones that are off, and places where the clock was set back.

use crate::structure::Stamp;

/// Where time goes back between records, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeStep {
    /// One record is earlier or later than those around it: its time is wrong. `from` is followed by `to`.
    Alone { record: usize, from: usize, to: usize },
    /// The clock was set back between two records.
    Back { from: usize, to: usize },
}

/// All steps back, in the order of the records. Each record is compared with the last ones that are in order.
pub(crate) fn steps(times: &[Stamp]) -> Vec<TimeStep> {
    let mut steps = Vec::new();
    let (mut before, mut last): (Option<usize>, Option<usize>) = (None, None);
    for (at, time) in times.iter().enumerate() {
        let Some(from) = last.filter(|last| *time < times[*last]) else {
            (before, last) = (last, Some(at));
            continue;
        };
        if times.get(at + 1).is_some_and(|next| *next >= times[from]) {
            steps.push(TimeStep::Alone { record: at, from, to: at });
            continue;
        }
        if before.is_none_or(|before| *time >= times[before]) {
            steps.push(TimeStep::Alone { record: from, from, to: at });
        } else {
            steps.push(TimeStep::Back { from, to: at });
            before = None;
        }
        last = Some(at);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[u64]) -> Vec<TimeStep> {
        steps(&times.iter().copied().map(Stamp).collect::<Vec<_>>())
    }

    #[test]
    fn a_single_wrong_time_is_no_clock_that_was_set() {
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[1, 2, 2, 3]), []);
        let alone = |record, from, to| TimeStep::Alone { record, from, to };
        assert_eq!(of(&[10, 20, 5, 30]), [alone(2, 1, 2)]);
        assert_eq!(of(&[10, 20, 99, 30, 40]), [alone(2, 2, 3)]);
        assert_eq!(of(&[10, 20, 99, 98, 30, 40]), [alone(2, 2, 3), alone(3, 3, 4)]);
        assert_eq!(of(&[99, 20, 30]), [alone(0, 0, 1)]);
        let back = |from, to| TimeStep::Back { from, to };
        assert_eq!(of(&[10, 20, 5, 6, 7]), [back(1, 2)]);
        assert_eq!(of(&[10, 20, 5]), [back(1, 2)]);
        assert_eq!(of(&[30, 40, 10, 20, 5, 6]), [back(1, 2), back(3, 4)]);
    }
}
