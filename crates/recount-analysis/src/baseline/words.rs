//! What is unusual, in sentences.

use recount_model::Timestamp;

use super::answer::{Compared, Unusual};
use super::blocks::BLOCK_S;
use super::known::LEAST_HOURS;
use crate::moved::Interval;
use crate::report::{CaptureFacts, Event, Noted, together};
use crate::shown::{duration, plural, quantity, series_label, short};

const DAYS: [&str; 7] = ["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"];

fn label(unusual: &Unusual) -> String {
    series_label(&unusual.object, unusual.instance.as_deref(), None, &unusual.counter)
}

/// `From 14:00:00 to 14:35:00 PhysicalDisk Avg. Disk sec/Transfer was 14 ms; in the baseline it is at most 9 ms, mostly 3 ms to 5 ms`
pub(super) fn headline(unusual: &Unusual, facts: &CaptureFacts) -> String {
    let shown = |value: f64| quantity(value, unusual.unit);
    let usual = &unusual.usual;
    let (word, furthest) = if unusual.is_up { ("at most", usual.most) } else { ("at least", usual.least) };
    let [low, high] = [usual.p05, usual.p95].map(shown);
    let mostly = if low == high { low } else { format!("{low} to {high}") };
    let when = match (usual.hour_of_week, usual.weeks) {
        (Some(hour), Some(weeks)) => {
            let (day, hour) = (DAYS[usize::from(hour / 24) % 7], hour % 24);
            format!("on {day} from {hour}:00 to {}:00 ({weeks} weeks)", hour + 1)
        }
        _ => "in the baseline".to_owned(),
    };
    let text = format!(
        "From {} {} was {}; {when} it is {word} {}, mostly {mostly}",
        facts.shown_span(unusual.time.begin, unusual.time.end),
        label(unusual),
        shown(unusual.mean),
        shown(furthest),
    );
    facts.of_host(&unusual.host, text)
}

/// What begins or ends a few means later is the same event: counters that go up and down smoothly are beyond their limits a little later or
/// earlier than others.
fn about(time: Timestamp) -> Interval {
    Interval { begin: time, end: Timestamp(time.0 + BLOCK_S * Timestamp::TICKS_PER_SECOND) }
}

/// A sentence for each time.
pub(super) fn sentences(all: &[Unusual]) -> Vec<Noted> {
    let events: Vec<Event<'_>> = all
        .iter()
        .map(|unusual| Event {
            host: &unusual.host,
            time: about(unusual.time.begin),
            until: Some(about(unusual.time.end)),
            is_bend: false,
            object: &unusual.object,
            counter: &unusual.counter,
            label: label(unusual),
        })
        .collect();
    together(&events)
        .into_iter()
        .map(|(leader, with_it)| Noted {
            time: all[leader].time.begin,
            kind: "unusual",
            text: format!("{}{with_it}", all[leader].headline),
        })
        .collect()
}

/// `Compared with 9 captures of WEB1 (312 hours, 45000 samples): ...`
pub(super) fn against(compared: &Compared) -> String {
    let hosts: Vec<String> =
        compared.hosts.iter().filter(|host| !host.is_empty()).map(|host| short(host)).collect();
    let of = match hosts.as_slice() {
        [] => String::new(),
        [one] => format!(" of {one}"),
        several => format!(" of {} machines", several.len()),
    };
    let found = match (compared.num_compared, compared.unusual.len()) {
        (0, _) => "nothing could be judged".to_owned(),
        (num, 0) => format!("nothing is unusual in {}", plural(num as u64, "counter")),
        (num, unusual) => format!("{unusual} of {} unusual", plural(num as u64, "counter")),
    };
    format!(
        "Compared with the baseline, {}{of} ({}, {}), by means of 5 minutes: {found}",
        plural(compared.captures, "capture"),
        hours(compared.hours),
        plural(compared.samples, "sample"),
    )
}

fn hours(hours: f64) -> String {
    if hours < 10.0 { format!("{hours:.1} hours") } else { format!("{hours:.0} hours") }
}

/// What limits the answer. `share_within` is the part of the capture that is in the baseline, from 0 to 1; `None` of a capture that
/// is too short to be compared.
pub(super) fn notes(
    compared: &Compared,
    is_of_other: bool,
    share_within: Option<f64>,
    facts: &CaptureFacts,
) -> Vec<String> {
    let mut notes = Vec::new();
    let hosts = |hosts: &[String]| {
        let known: Vec<String> =
            hosts.iter().filter(|host| !host.is_empty()).map(|host| short(host)).collect();
        if known.is_empty() { "an unknown machine".to_owned() } else { known.join(", ") }
    };
    let (own, others) = (hosts(&facts.hosts), hosts(&compared.hosts));
    if is_of_other {
        notes.push(format!("the baseline is of another machine, {others}; the capture is of {own}"));
    } else if compared.num_compared + compared.num_few == 0 && compared.num_unknown > 0 {
        notes.push(format!("the baseline, of {others}, has no counter of this capture, of {own}"));
    }
    if compared.hours < LEAST_HOURS {
        notes.push(format!(
            "the baseline is of {}: too little to know what is usual; {LEAST_HOURS:.0} are the least",
            hours(compared.hours)
        ));
    } else if compared.num_few > 0 {
        notes.push(format!(
            "{} can't be judged: the baseline has too few independent values of {}",
            plural(compared.num_few as u64, "counter"),
            if compared.num_few == 1 { "it" } else { "them" }
        ));
    }
    if let Some(apart) = facts.interval_s.filter(|seconds| *seconds > BLOCK_S as f64) {
        notes.push(format!(
            "samples are {} apart: values are means of this time, not of 5 minutes",
            duration(apart)
        ));
    }
    match share_within {
        None => notes.push("the capture is too short: at least 2.5 minutes are compared".to_owned()),
        Some(share) if share > 0.0 => notes.push(format!(
            "{:.0} % of this capture is part of the baseline, and can't be beyond it",
            100.0 * share
        )),
        Some(_) => {}
    }
    if compared.num_unknown > 0 && compared.num_compared + compared.num_few > 0 {
        notes.push(format!(
            "{} of the capture {} in the baseline",
            plural(compared.num_unknown as u64, "counter"),
            if compared.num_unknown == 1 { "isn't" } else { "aren't" }
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::super::answer::Usual;
    use super::*;

    fn unusual(counter: &str, (begin, end): (i64, i64)) -> Unusual {
        let at = |minute: i64| Timestamp(minute * 60 * Timestamp::TICKS_PER_SECOND);
        let usual =
            Usual { least: 1.0, p05: 1.0, p50: 2.0, p95: 3.0, most: 4.0, hour_of_week: None, weeks: None };
        Unusual {
            headline: counter.to_owned(),
            score: 0.5,
            host: String::new(),
            object: counter.to_owned(),
            instance: None,
            counter: counter.to_owned(),
            unit: "",
            time: Interval { begin: at(begin), end: at(end) },
            is_up: true,
            mean: 9.0,
            extreme: 9.0,
            times_further: None,
            usual,
        }
    }

    /// A load that comes and goes smoothly: each counter is beyond its limits a little earlier or later.
    #[test]
    fn what_is_unusual_at_nearly_the_same_time_is_one_line() {
        let all = [
            unusual("A", (600, 700)),
            unusual("B", (605, 695)),
            unusual("C", (610, 690)),
            unusual("D", (600, 660)),
            unusual("E", (630, 700)),
        ];
        let lines: Vec<String> = sentences(&all).into_iter().map(|noted| noted.text).collect();
        assert_eq!(lines, ["A; with it B B and C C", "D", "E"]);
    }
}
