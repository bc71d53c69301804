//! Values of a series that several captures have: the same value of one time counts once (`formats/tables.md#several-captures`).

use std::sync::Arc;

use recount_compute::tolerance_s;
use recount_model::{Authority, Status};

use super::gather::Cells;

/// A stretch of values, and the number of the capture that it is from.
pub(super) type Part = (usize, Arc<Cells>);

/// Where a value is.
#[derive(Clone, Copy)]
struct Place {
    time: i64,
    part: usize,
    at: usize,
}

/// Whether a capture has what is in another's value, in more than one step: the numbers of both captures, the time, and the
/// seconds that both values cover, if it is known of the first.
pub(super) type Covers<'a> = &'a dyn Fn([usize; 2], i64, Option<f64>, f64) -> bool;

/// What is known of captures by their numbers.
pub(super) struct Rules<'a> {
    pub(super) covers: Covers<'a>,
    /// How much a capture says of its values: whether they are raw, and more.
    pub(super) rank: &'a dyn Fn(usize) -> (bool, Authority),
}

/// Leaves out the values that another capture has, too: of equal ones the one with the longer or unknown interval or of a capture
/// that says less, those missing where the other has a value, unless it is known why there can be none, and those over longer
/// intervals beside a capture that has the parts of these. Different values stay.
pub(super) fn without_repeated(parts: Vec<Part>, rules: &Rules<'_>) -> Vec<Arc<Cells>> {
    let mut places: Vec<Place> = Vec::new();
    for (part, (capture, cells)) in parts.iter().enumerate() {
        if parts.iter().any(|(other, others)| other != capture && overlap(cells, others)) {
            places.extend(cells.times.iter().enumerate().map(|(at, &time)| Place { time, part, at }));
        }
    }
    if places.is_empty() {
        return parts.into_iter().map(|(_, cells)| cells).collect();
    }
    places.sort_by_key(|place| place.time);
    let mut is_left_out: Vec<Vec<bool>> = parts.iter().map(|_| Vec::new()).collect();
    for at_once in places.chunk_by(|one, next| one.time == next.time) {
        for (number, place) in at_once.iter().enumerate() {
            let is_beaten = |(other_number, other): (usize, &Place)| {
                parts[other.part].0 != parts[place.part].0
                    && is_better(&parts, (other, other_number), (place, number), rules)
            };
            if at_once.iter().enumerate().any(is_beaten) {
                let of_part = &mut is_left_out[place.part];
                of_part.resize(parts[place.part].1.times.len(), false);
                of_part[place.at] = true;
            }
        }
    }
    let kept = parts.into_iter().zip(is_left_out).map(|((_, cells), is_left_out)| {
        if is_left_out.is_empty() { cells } else { Arc::new(cells.without(&is_left_out)) }
    });
    kept.collect()
}

fn overlap(one: &Cells, other: &Cells) -> bool {
    let span = |cells: &Cells| cells.times.first().copied().zip(cells.times.last().copied());
    span(one).zip(span(other)).is_some_and(|((begin, end), (from, to))| begin <= to && from <= end)
}

/// Whether a value stands for another of the same time.
fn is_better(
    parts: &[Part],
    (one, number): (&Place, usize),
    (other, of_other): (&Place, usize),
    rules: &Rules<'_>,
) -> bool {
    let value = |place: &Place| parts[place.part].1.value_at(place.at).map(f64::to_bits);
    let rank = |place: &Place| (rules.rank)(parts[place.part].0);
    let interval = |place: &Place| match parts[place.part].1.weights[place.at] {
        0.0 => f64::INFINITY,
        weight => weight,
    };
    let is_covered = |one: &Place, other: &Place| {
        let known = |place: &Place| Some(interval(place)).filter(|seconds| seconds.is_finite());
        let (short_s, long_s) = (known(one), known(other));
        let is_known = short_s.is_some() || value(one).is_none();
        let captures = [one, other].map(|place| parts[place.part].0);
        is_known && long_s.is_some_and(|long_s| (rules.covers)(captures, one.time, short_s, long_s))
    };
    let is_shorter =
        |one: &Place, other: &Place| interval(one) < interval(other) - tolerance_s(interval(one));
    let rules_out = |missing: &Place, there: &Place| {
        let status = parts[missing.part].1.status[missing.at];
        let is_shorter = interval(missing).is_finite() && is_shorter(there, missing);
        status.rules_out_value() && rank(missing) > rank(there) && !is_shorter
    };
    match (value(one), value(other)) {
        (Some(_), None) => !is_covered(other, one) && !rules_out(other, one),
        (None, Some(_)) => is_covered(one, other) || rules_out(one, other),
        (Some(a), Some(b)) if a != b => is_covered(one, other),
        (Some(_), Some(_)) => {
            // A capture that says more also knows that nothing comes before.
            let is_known = [one, other].iter().all(|place| interval(place).is_finite());
            if is_known && is_shorter(one, other) {
                return true;
            }
            if is_known && is_shorter(other, one) {
                return false;
            }
            let by_rank = rank(other).cmp(&rank(one));
            by_rank.then(interval(one).total_cmp(&interval(other))).then(number.cmp(&of_other)).is_lt()
        }
        (None, None) => {
            let reason = |place: &Place| {
                let status = parts[place.part].1.status[place.at];
                let is_blank = status == Status::InvalidData && rank(place).1 == Authority::Text;
                (status.rules_out_value(), !is_blank, status != Status::FirstSample)
            };
            let by_reason = reason(other).cmp(&reason(one));
            let by_interval = is_shorter(other, one).cmp(&is_shorter(one, other));
            by_reason.then(by_interval).then(rank(other).cmp(&rank(one))).then(number.cmp(&of_other)).is_lt()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(rows: &[(i64, Option<f64>, f64)]) -> Arc<Cells> {
        Arc::new(Cells {
            times: rows.iter().map(|(time, ..)| *time).collect(),
            values: rows.iter().map(|(_, value, _)| value.unwrap_or_default()).collect(),
            weights: rows.iter().map(|(.., weight)| *weight).collect(),
            status: rows
                .iter()
                .map(|(_, value, _)| if value.is_some() { Status::Ok } else { Status::FirstSample })
                .collect(),
            ids: vec![None; rows.len()],
            raw: None,
        })
    }

    #[test]
    fn a_log_is_believed_before_what_was_made_of_it() {
        let values = |parts: &[Part], rules: &Rules<'_>| -> Vec<(Option<f64>, f64)> {
            let of = |cells: &Arc<Cells>| {
                let rows = (0..cells.times.len()).map(|at| (cells.value_at(at), cells.weights[at]));
                rows.collect::<Vec<_>>()
            };
            without_repeated(parts.to_vec(), rules).iter().flat_map(of).collect()
        };
        let covers = |_, _, short: Option<f64>, long| short.is_some_and(|short| short < long);
        let rank = |number| (number == 1, if number == 0 { Authority::Text } else { Authority::Recorded });
        let rules = Rules { covers: &covers, rank: &rank };
        let text = cells(&[(1, Some(0.0), 1.0), (2, Some(5.0), 1.0)]);
        // No operations, and the first value after a restart.
        let mut log = Cells::clone(&cells(&[(1, None, 1.0), (2, Some(5.0), 0.0)]));
        log.status[0] = Status::NoOperations;
        let log = Arc::new(log);
        for parts in [[(0, text.clone()), (1, log.clone())], [(1, log.clone()), (0, text.clone())]] {
            assert_eq!(values(&parts, &rules), [(None, 1.0), (Some(5.0), 0.0)]);
        }
        // A log that has lost a sample.
        let log = cells(&[(0, Some(1.0), 1.0), (2, Some(7.0), 2.0)]);
        let table = cells(&[(0, Some(1.0), 1.0), (1, Some(6.0), 1.0), (2, Some(8.0), 1.0)]);
        for parts in [[(0, table.clone()), (1, log.clone())], [(1, log.clone()), (0, table.clone())]] {
            let kept = values(&parts, &rules);
            assert_eq!(kept.len(), 3, "{kept:?}");
            assert!(!kept.contains(&(Some(7.0), 2.0)), "{kept:?}");
        }
    }

    #[test]
    fn equal_values_of_two_captures_count_once() {
        let one = cells(&[(0, None, 0.0), (1, Some(5.0), 1.0), (2, Some(6.0), 1.0), (3, Some(7.0), 1.0)]);
        // Its first sample has no value, and another is different.
        let other = cells(&[(1, None, 0.0), (2, Some(6.0), 2.0), (3, Some(8.0), 1.0), (4, Some(9.0), 1.0)]);
        let kept = |parts: &[Part]| -> Vec<(i64, Option<f64>)> {
            let covers = |_, _, short: Option<f64>, long| short.is_some_and(|short| short < long);
            let rules = Rules { covers: &covers, rank: &|_| (false, Authority::Recorded) };
            let all = without_repeated(parts.to_vec(), &rules);
            let mut kept: Vec<_> = all
                .iter()
                .flat_map(|cells| (0..cells.times.len()).map(|at| (cells.times[at], cells.value_at(at))))
                .collect();
            kept.sort_by_key(|(time, _)| *time);
            kept
        };
        let expected =
            [(0, None), (1, Some(5.0)), (2, Some(6.0)), (3, Some(7.0)), (3, Some(8.0)), (4, Some(9.0))];
        assert_eq!(kept(&[(0, one.clone()), (1, other.clone())]), expected);
        assert_eq!(kept(&[(0, other.clone()), (1, one.clone())]).len(), 6);
        // A value over a longer interval is of a thinned table.
        let thinned = cells(&[(1, None, 0.0), (3, Some(6.5), 2.0)]);
        assert_eq!(kept(&[(0, one.clone()), (1, thinned.clone())]), expected[..4]);
        assert_eq!(kept(&[(0, thinned), (1, one.clone())]), expected[..4]);
        // Samples of one capture are samples.
        assert_eq!(kept(&[(0, one), (0, other)]).len(), 8);
    }
}
