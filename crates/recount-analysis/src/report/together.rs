//! What happened at the same time, said in one sentence.

use crate::moved::Interval;

/// Something that a counter did.
#[derive(Clone, Debug)]
pub(crate) struct Event<'a> {
    pub(crate) host: &'a str,
    /// When: its earliest and its latest time.
    pub(crate) time: Interval,
    /// When it ended, in the same way; `None`: it lasts.
    pub(crate) until: Option<Interval>,
    /// Whether it is the begin of a slope, or the end of one.
    pub(crate) is_bend: bool,
    pub(crate) object: &'a str,
    pub(crate) counter: &'a str,
    /// How people call the counter.
    pub(crate) label: String,
}

/// Puts what happened at once together: what began and ended at the same times, since a sentence speaks of the time in between. The
/// first of each is the largest. Returns its place, and what a sentence about it ends with: `; with it A and B`. The same counter
/// of other instances isn't named again.
pub(crate) fn together(events: &[Event<'_>]) -> Vec<(usize, String)> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let is_at_once = |group: &&mut Vec<usize>| {
            let leader = &events[group[0]];
            leader.host == event.host
                && leader.is_bend == event.is_bend
                && touches(leader.time, event.time)
                && match (leader.until, event.until) {
                    (Some(one), Some(other)) => touches(one, other),
                    (one, other) => one.is_none() && other.is_none(),
                }
        };
        match groups.iter_mut().find(is_at_once) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups.into_iter().map(|group| (group[0], with_it(events, &group))).collect()
}

/// Whether two times may be the same, or nearly.
fn touches(one: Interval, other: Interval) -> bool {
    let width = |time: Interval| time.end.0 - time.begin.0;
    let slack = width(one).min(width(other));
    one.begin.0 <= other.end.0.saturating_add(slack) && other.begin.0 <= one.end.0.saturating_add(slack)
}

fn with_it(events: &[Event<'_>], group: &[usize]) -> String {
    let leader = &events[group[0]];
    let mut names: Vec<&str> = Vec::new();
    for other in group[1..].iter().map(|at| &events[*at]) {
        if (other.counter, other.object) != (leader.counter, leader.object)
            && !names.contains(&other.label.as_str())
        {
            names.push(&other.label);
        }
    }
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("; with it {one}"),
        [one, other] => format!("; with it {one} and {other}"),
        [one, other, rest @ ..] => format!("; with it {one}, {other} and {} more", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;

    fn at(second: i64) -> Interval {
        let time = |second: i64| Timestamp(second * Timestamp::TICKS_PER_SECOND);
        Interval { begin: time(second), end: time(second + 10) }
    }

    fn event(counter: &str, begin: i64, until: Option<i64>, is_bend: bool) -> Event<'_> {
        Event {
            host: "",
            time: at(begin),
            until: until.map(at),
            is_bend,
            object: "Foo",
            counter,
            label: counter.to_owned(),
        }
    }

    /// They begin at the same time; what follows differs, and the sentence speaks of it.
    #[test]
    fn what_only_begins_together_is_not_one_event() {
        let all = [
            event("A", 100, Some(600), false),
            event("B", 100, Some(600), false),
            event("C", 100, Some(250), false),
            event("D", 100, None, false),
            event("E", 100, None, false),
            event("F", 100, None, true),
        ];
        let said = together(&all);
        assert_eq!(
            said,
            [
                (0, "; with it B".to_owned()),
                (2, String::new()),
                (3, "; with it E".to_owned()),
                (5, String::new())
            ]
        );
    }
}
