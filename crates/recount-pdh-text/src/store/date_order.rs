//! Whether month or day comes first, decided from all rows together (`formats/pdh-text.md#time`).

use recount_model::Timestamp;

use crate::structure::stamp::{DateOrder, Stamp};

/// The order, and a remark for the reader on how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    /// `None` if every year comes first, so that there is nothing to decide.
    pub(crate) order: Option<DateOrder>,
    pub(crate) doubt: Option<String>,
}

/// Decides for the stamps of a file, in the order of its rows.
pub(crate) fn decide(stamps: &[Stamp]) -> Decision {
    let trusted = without_lone_rows(stamps);
    decide_by(if trusted.is_empty() { stamps } else { &trusted })
}

/// The stamps without isolated dates: one damaged row must not decide for all others. A date is isolated if
/// its neighbours share another date or, at an end, if neither order brings it near its neighbour.
fn without_lone_rows(stamps: &[Stamp]) -> Vec<Stamp> {
    // With fewer rows, none can be considered an exception.
    const FEWEST: usize = 5;
    if stamps.len() < FEWEST {
        return stamps.to_vec();
    }
    let reach = reach(stamps);
    let neighbour = |at: Option<usize>| at.and_then(|at| stamps.get(at));
    let is_lone = |at: usize, own: &Stamp| match (neighbour(at.checked_sub(1)), neighbour(at.checked_add(1)))
    {
        (Some(before), Some(after)) => own.date != before.date && before.date == after.date,
        (Some(other), None) | (None, Some(other)) => own.date != other.date && !are_near(own, other, reach),
        (None, None) => false,
    };
    let kept = stamps.iter().enumerate().filter(|(at, own)| !is_lone(*at, own));
    kept.map(|(_, own)| *own).collect()
}

/// How far apart neighbours may be: a hundred usual steps and at least an hour; two days if no two neighbours
/// share a date.
fn reach(stamps: &[Stamp]) -> u64 {
    const HOUR: u64 = 3_600 * Timestamp::TICKS_PER_SECOND as u64;
    let same_day = stamps.windows(2).filter(|pair| pair[0].date == pair[1].date);
    let usual = median(same_day.map(|pair| pair[1].ticks_of_day - pair[0].ticks_of_day).collect());
    usual.map_or(48 * HOUR, |usual| usual.unsigned_abs().saturating_mul(100).max(HOUR))
}

/// Whether two stamps are within reach of each other in any order.
fn are_near(one: &Stamp, other: &Stamp, reach: u64) -> bool {
    [DateOrder::MonthFirst, DateOrder::DayFirst].into_iter().any(|order| {
        let ticks = |stamp: &Stamp| stamp.local(order).map(|local| local.0);
        ticks(one).zip(ticks(other)).is_some_and(|(one, other)| one.abs_diff(other) <= reach)
    })
}

fn decide_by(stamps: &[Stamp]) -> Decision {
    let year_last = || stamps.iter().filter(|stamp| !stamp.year_first);
    let Some(first) = year_last().next() else { return Decision { order: None, doubt: None } };
    let num_day_first = year_last().filter(|stamp| stamp.date[0] > 12).count();
    let num_month_first = year_last().filter(|stamp| stamp.date[1] > 12).count();
    match (num_month_first, num_day_first) {
        (0, 0) => by_steps(stamps, *first),
        (_, 0) => Decision { order: Some(DateOrder::MonthFirst), doubt: None },
        (0, _) => Decision { order: Some(DateOrder::DayFirst), doubt: None },
        _ => {
            let order =
                if num_month_first >= num_day_first { DateOrder::MonthFirst } else { DateOrder::DayFirst };
            let doubt = format!(
                "{num_month_first} dates can only have the month first, {num_day_first} only the day: {} is \
                 taken, and the other rows are left out",
                order.as_str(),
            );
            Decision { order: Some(order), doubt: Some(doubt) }
        }
    }
}

/// No component is above 12: the order in which time progresses most evenly.
fn by_steps(stamps: &[Stamp], first: Stamp) -> Decision {
    let month_first = unevenness(stamps, DateOrder::MonthFirst);
    let day_first = unevenness(stamps, DateOrder::DayFirst);
    if month_first != day_first {
        let order = if month_first < day_first { DateOrder::MonthFirst } else { DateOrder::DayFirst };
        return Decision { order: Some(order), doubt: None };
    }
    let order = if first.date_separator == b'/' { DateOrder::MonthFirst } else { DateOrder::DayFirst };
    let is_ambiguous =
        stamps.iter().any(|stamp| !stamp.year_first && !stamp.is_of_pdh && stamp.date[0] != stamp.date[1]);
    let doubt = is_ambiguous.then(|| {
        format!(
            "dates such as {:02}{sep}{:02}{sep}{} may have the month or the day first: {} is taken, by the `{sep}`",
            first.date[0],
            first.date[1],
            first.date[2],
            order.as_str(),
            sep = char::from(first.date_separator),
        )
    });
    Decision { order: Some(order), doubt }
}

/// How often time goes back, and by how many ticks steps differ from the usual one.
fn unevenness(stamps: &[Stamp], order: DateOrder) -> (usize, i128) {
    let locals: Vec<i64> = stamps.iter().filter_map(|stamp| Some(stamp.local(order)?.0)).collect();
    let steps: Vec<i64> = locals.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let usual = median(steps.clone()).unwrap_or(0);
    let num_back = steps.iter().filter(|&&step| step < 0).count();
    (num_back, steps.iter().map(|&step| (i128::from(step) - i128::from(usual)).abs()).sum())
}

/// The upper median.
fn median(mut values: Vec<i64>) -> Option<i64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable(middle).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(times: &[&str]) -> (Option<DateOrder>, bool) {
        let stamps: Vec<Stamp> =
            times.iter().map(|time| Stamp::parse(time.as_bytes()).expect("a time")).collect();
        let Decision { order, doubt } = decide(&stamps);
        (order, doubt.is_some())
    }

    #[test]
    fn a_component_above_twelve_decides() {
        assert_eq!(decided(&["10/05/2007 1:00", "10/13/2007 1:00"]), (Some(DateOrder::MonthFirst), false));
        assert_eq!(decided(&["10/05/2007 1:00", "13/05/2007 1:00"]), (Some(DateOrder::DayFirst), false));
        assert_eq!(
            decided(&["14.05.2007 1:00", "05.14.2007 1:00", "15.05.2007 1:00"]),
            (Some(DateOrder::DayFirst), true)
        );
        assert_eq!(decided(&["2007-01-02 1:00"]), (None, false));
    }

    #[test]
    fn one_damaged_row_does_not_decide() {
        let good: Vec<String> = (0..20).map(|minute| format!("05.03.2024 10:{minute:02}")).collect();
        // The month damaged to 13 or to 2, the year damaged; in the middle, at the start, at the end.
        for bad in ["05.13.2024 10:07", "05.02.2024 10:07", "05.03.2064 10:07", "85.03.2024 10:07"] {
            for at in [0, 7, 19] {
                let mut times: Vec<&str> = good.iter().map(String::as_str).collect();
                times[at] = bad;
                assert_eq!(decided(&times), (Some(DateOrder::DayFirst), true), "{bad} in row {at}");
            }
        }
    }

    #[test]
    fn even_steps_decide() {
        // Across midnight: a minute against a month.
        let night = ["05.10.2007 23:58", "05.10.2007 23:59", "06.10.2007 00:00", "06.10.2007 00:01"];
        assert_eq!(decided(&night), (Some(DateOrder::DayFirst), false));
        let night = night.map(|time| time.replace('.', "/"));
        assert_eq!(decided(&night.each_ref().map(String::as_str)), (Some(DateOrder::DayFirst), false));
        // With the day first, time would go back from December to January.
        let night = ["01-12-2007 23:59:59", "02-01-2007 00:00:00"];
        assert_eq!(decided(&night), (Some(DateOrder::MonthFirst), false));
        // Once a day against once a month, which is uneven.
        let daily: Vec<String> = (1..=12).map(|day| format!("02/{day:02}/2007 12:00")).collect();
        let daily: Vec<&str> = daily.iter().map(String::as_str).collect();
        assert_eq!(decided(&daily), (Some(DateOrder::MonthFirst), false));
    }

    #[test]
    fn the_separator_is_the_last_resort() {
        assert_eq!(decided(&["10/05/2007 1:00", "10/05/2007 1:01"]), (Some(DateOrder::MonthFirst), true));
        assert_eq!(decided(&["10.05.2007 1:00", "10.05.2007 1:01"]), (Some(DateOrder::DayFirst), true));
        assert_eq!(decided(&["10-05-2007 1:00"]), (Some(DateOrder::DayFirst), true));
        // PDH itself writes the month first.
        assert_eq!(decided(&["10/05/2007 01:00:00.000"]), (Some(DateOrder::MonthFirst), false));
        assert_eq!(decided(&["10/05/2007 01:00:00"]), (Some(DateOrder::MonthFirst), true));
        // The same day either way.
        assert_eq!(decided(&["05/05/2007 1:00", "05/05/2007 1:01"]), (Some(DateOrder::MonthFirst), false));
    }
}
