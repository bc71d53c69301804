//! Whether month or day comes first, decided from all rows together (`formats/pdh-text.md#time`).

use super::stamp::{DateOrder, Stamp};

/// The order, and what a reader ought to know about how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// `None` where every year comes first, so that there is nothing to decide.
    pub(super) order: Option<DateOrder>,
    pub(super) doubt: Option<String>,
}

/// Decides for the stamps of a file, in the order of its rows.
pub(super) fn decide(stamps: &[Stamp]) -> Decision {
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

/// No component is above 12: the order under which time goes on most evenly.
fn by_steps(stamps: &[Stamp], first: Stamp) -> Decision {
    let month_first = unevenness(stamps, DateOrder::MonthFirst);
    let day_first = unevenness(stamps, DateOrder::DayFirst);
    if month_first != day_first {
        let order = if month_first < day_first { DateOrder::MonthFirst } else { DateOrder::DayFirst };
        return Decision { order: Some(order), doubt: None };
    }
    let order = if first.date_separator == b'/' { DateOrder::MonthFirst } else { DateOrder::DayFirst };
    let is_ambiguous = stamps.iter().any(|stamp| !stamp.year_first && stamp.date[0] != stamp.date[1]);
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
pub(super) fn median(mut values: Vec<i64>) -> Option<i64> {
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
    fn even_steps_decide() {
        // Over midnight: a minute against a month.
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
        // The same day either way.
        assert_eq!(decided(&["05/05/2007 1:00", "05/05/2007 1:01"]), (Some(DateOrder::MonthFirst), false));
    }
}
