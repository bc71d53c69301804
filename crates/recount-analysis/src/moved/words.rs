//! What happened, in sentences.

use recount_model::Timestamp;

use super::answer::Moved;
use super::bounds::{Bounds, Interval};
use super::groups::{Group, Member, is_at_once};
use super::marked::mark_before;
use super::shift::Kind;
use crate::report::CaptureFacts;
use crate::shown::{duration, markdown_cell, plural, quantity, series_label, short};

/// The sentence about one of the groups.
pub(super) fn headline(
    (groups, at): (&[Group], usize),
    facts: &CaptureFacts,
    bounds: &Bounds,
    said_of_processes: &str,
) -> String {
    let group = &groups[at];
    let leader = &group.leader;
    let mut text = if bounds.is_later() {
        format!("{} {} {}", during(leader, facts, bounds.span), label(leader), unlike_later(leader, facts))
    } else {
        let how = how(leader, facts) + &lasted(leader, facts, bounds.span);
        format!("{} {} {how}", when(leader, facts, bounds.span), label(leader))
    };
    text.push_str(&missing(leader));
    text.push_str(&again(leader, facts, bounds));
    text.push_str(&with_it(group));
    text.push_str(&elsewhere(group, groups));
    if let Some(mark) =
        mark_before(facts, leader.onset).filter(|_| leader.is_begin_known && !bounds.is_later())
    {
        text.push_str(&mark.words());
    }
    text.push_str(said_of_processes);
    facts.of_host(&leader.host, text)
}

impl Moved {
    /// The answer for people: a sentence per group, up to `most` of them, what it is about, and what limits it.
    pub fn sentences(&self, most: usize) -> Vec<String> {
        let sentence = |group: &Group| {
            let perhaps = if group.is_sure { "" } else { "Perhaps: " };
            format!("{perhaps}{}", group.headline)
        };
        let mut lines: Vec<String> = self.groups.iter().take(most).map(sentence).collect();
        let num_sure = self.groups.iter().filter(|group| group.is_sure).count();
        let shown = |interval: Interval| self.facts.shown_span(interval.begin, interval.end);
        let of = format!("{} against {}", shown(self.span), shown(self.against));
        let counters = plural(self.counts.series as u64, "counter");
        lines.push(match num_sure {
            0 if !self.groups.is_empty() => format!("{of}: {counters} compared"),
            0 => format!("{of}: of {counters}, nothing moved by more than chance explains"),
            num => {
                format!("{of}: {} of {counters} moved, in {}", self.counts.moved, plural(num as u64, "group"))
            }
        });
        if self.groups.len() > most {
            lines.push(format!("{} moved less", plural((self.groups.len() - most) as u64, "more group")));
        }
        lines.extend(self.notes.iter().map(|note| format!("note: {note}")));
        lines
    }
}

/// The answer as a list in Markdown, with up to `most` groups.
pub fn moved_markdown(moved: &Moved, most: usize) -> String {
    moved.sentences(most).iter().fold(String::new(), |text, line| text + "- " + &markdown_cell(line) + "\n")
}

/// `From 18:55:20 to 18:56:00`: when it was unlike what it was later.
fn during(leader: &Member, facts: &CaptureFacts, span: Interval) -> String {
    let of = if leader.kind == Kind::Spread { span } else { leader.event };
    let shown = |of: &Interval| from_to(*of, facts);
    let text = match leader.spells.len() {
        0 | 1 => shown(&of),
        2..=MAX_LISTED => leader.spells.iter().map(shown).collect::<Vec<_>>().join(" and "),
        num => format!("{num} times {}", shown(&of)),
    };
    match text.split_at_checked(1) {
        Some((first, rest)) => first.to_uppercase() + rest,
        None => text,
    }
}

/// `from 18:55:20 to 18:56:00`, or `at 18:55:20`.
fn from_to(time: Interval, facts: &CaptureFacts) -> String {
    if time.begin == time.end {
        return format!("at {}", facts.clock(time.end));
    }
    format!("from {}", facts.shown_span(time.begin, time.end))
}

/// `was 8.1, against 0.2 afterwards`: the time that it is compared with comes after it.
fn unlike_later(leader: &Member, facts: &CaptureFacts) -> String {
    let [later, then] = [leader.before, leader.after].map(|value| quantity(value, leader.unit));
    if leader.kind == Kind::Spread {
        let word = if leader.is_up() { "more" } else { "less" };
        return format!("varied {word} than later: about {then} from its median, {later} later");
    }
    match leader.compared {
        Some(near) => format!("was {then}, against {later} right after, until {}", facts.clock(near.end)),
        None => format!("was {then}, against {later} afterwards"),
    }
}

/// `; it had been as high from 09:25:43 to 09:30:39`.
fn again(leader: &Member, facts: &CaptureFacts, bounds: &Bounds) -> String {
    let Some(again) = leader.again else { return String::new() };
    let word = if leader.is_up() { "high" } else { "low" };
    let (was, more) = if bounds.is_later() { ("was", " again") } else { ("had been", "") };
    format!("; it {was} as {word}{more} {}", from_to(again, facts))
}

/// `At 18:55:20`, or between which times, if that is known less exactly.
fn when(leader: &Member, facts: &CaptureFacts, span: Interval) -> String {
    let Interval { begin, end } = leader.onset;
    if leader.kind == Kind::Spread {
        return format!("In {}", facts.shown_span(span.begin, span.end));
    }
    if !leader.is_begin_known {
        return format!("By {}", facts.clock(end));
    }
    if leader.onset.is_moment() {
        return format!("At {}", facts.clock(end));
    }
    format!("Between {} and {}", facts.clock(begin), facts.clock(end))
}

/// How people call a counter.
pub(super) fn label(member: &Member) -> String {
    series_label(&member.object, member.instance.as_deref(), member.instance_id, &member.counter)
}

/// `rose 40-fold, from 0.2 to 8.1`.
fn how(leader: &Member, facts: &CaptureFacts) -> String {
    let Member { before, after, unit, .. } = *leader;
    let [from, to] = [before, after].map(|value| quantity(value, unit));
    if leader.kind == Kind::Spread {
        let word = if leader.is_up() { "became unsteady" } else { "became steady" };
        return format!("{word}: about {to} from its median, {from} before");
    }
    if leader.left_trend {
        // Where the trend leads to isn't always possible.
        if before < 0.0 && after >= 0.0 {
            return format!("no longer fell as before: {to}");
        }
        let way = if leader.is_up() { "rose above" } else { "fell below" };
        return format!("{way} its trend: {to} instead of {from}");
    }
    let verb = if leader.is_up() { "rose" } else { "fell" };
    let ratio = after / before;
    let by = match ratio {
        ratio if unit == "%" || !ratio.is_finite() || ratio <= 0.0 => String::new(),
        ratio if (10.0..10_000.0).contains(&ratio) => format!(" {ratio:.0}-fold,"),
        ratio if (2.0..10.0).contains(&ratio) => format!(" {ratio:.1}-fold,"),
        ratio if ratio < 2.0 => format!(" by {:.0} %,", 100.0 * (ratio - 1.0).abs()),
        _ => String::new(),
    };
    let at_most = if leader.extreme.abs() > 1.3 * after.abs() && leader.is_up() {
        format!(", at most {}", quantity(leader.extreme, unit))
    } else {
        String::new()
    };
    let just = match leader.compared {
        Some(near) => format!(" (its median since {})", facts.clock(near.begin)),
        None if leader.after_way => " right before the span".to_owned(),
        None => String::new(),
    };
    format!("{verb}{by} from {from}{just} to {to}{at_most}")
}

/// More runs than these aren't listed.
const MAX_LISTED: usize = 6;

/// For how long, and how often.
fn lasted(leader: &Member, facts: &CaptureFacts, span: Interval) -> String {
    if leader.kind == Kind::Spread {
        return String::new();
    }
    let times = spells(leader, facts);
    match times.len() {
        0 | 1 => {}
        num @ 2..=MAX_LISTED => return format!(", {num} times: {}", times.join(", ")),
        num => {
            let Interval { begin, end } = leader.event;
            return format!(", {num} times from {}", facts.shown_span(begin, end));
        }
    }
    let Interval { begin, end } = leader.event;
    let long = duration(end.seconds_since(begin));
    match leader.lasts {
        false if !leader.is_begin_known => format!(" for at least {long}"),
        false if leader.is_rough => format!(" for about {long}"),
        false => format!(" for {long}"),
        true if is_end(end, span, facts) => format!(", until the end of the span {long} later"),
        true => format!(", until the last sample of the span {long} later"),
    }
}

/// ` (12 of 60 values are missing)`: nothing is known of these.
fn missing(leader: &Member) -> String {
    match leader.missing {
        (0, _) => String::new(),
        (1, all) => format!(" (1 of {all} values is missing)"),
        (num, all) => format!(" ({num} of {all} values are missing)"),
    }
}

/// Whether nothing of the span is missing after a sample.
fn is_end(last: Timestamp, span: Interval, facts: &CaptureFacts) -> bool {
    /// Of the usual time between samples.
    const SLACK: f64 = 1.5;
    facts.interval_s.is_some_and(|interval| span.end.seconds_since(last) <= SLACK * interval)
}

/// The runs of values that stand out.
fn spells(leader: &Member, facts: &CaptureFacts) -> Vec<String> {
    // As the onset is said: at the first value, or after the value before it.
    let is_exact = leader.onset.is_moment();
    let shown = |(spell, first): (&Interval, &Timestamp)| match (is_exact, *first == spell.end) {
        (true, true) => facts.clock(spell.end),
        (true, false) => facts.shown_span(*first, spell.end),
        (false, _) => facts.shown_span(spell.begin, spell.end),
    };
    leader.spells.iter().zip(&leader.spells_from).map(shown).collect()
}

/// `; at the same time as Processor % Processor Time of WEB`: other machines are groups of their own.
fn elsewhere(group: &Group, groups: &[Group]) -> String {
    const MAX_NAMED: usize = 2;
    let leader = &group.leader;
    let mut others: Vec<&Member> = Vec::new();
    for other in groups.iter().map(|group| &group.leader).filter(|other| is_at_once(leader, other)) {
        if other.host != leader.host && others.iter().all(|named| named.host != other.host) {
            others.push(other);
        }
    }
    let named: Vec<String> = others
        .iter()
        .take(MAX_NAMED)
        .map(|other| format!("{} of {}", label(other), short(&other.host)))
        .collect();
    match (named.is_empty(), others.len().saturating_sub(MAX_NAMED)) {
        (true, _) => String::new(),
        (false, 0) => format!("; at the same time as {}", named.join(" and ")),
        (false, more) => {
            format!(
                "; at the same time as {} and counters of {}",
                named.join(", "),
                plural(more as u64, "more machine")
            )
        }
    }
}

/// `; with it % Disk Time, Disk Writes/sec and 12 more counters`.
fn with_it(group: &Group) -> String {
    const MAX_NAMED: usize = 3;
    /// Of the leader's score.
    const LEAST_SHARE: f64 = 0.5;
    let mut named: Vec<(&str, String)> = Vec::new();
    let is_new = |member: &Member, named: &[(&str, String)]| {
        let is_of_leader = member.counter == group.leader.counter && member.object == group.leader.object;
        !is_of_leader && named.iter().all(|(counter, _)| *counter != member.counter)
    };
    // Other objects say more.
    let mut objects = vec![group.leader.object.as_str()];
    let is_large = |member: &&Member| member.score >= LEAST_SHARE * group.leader.score;
    for member in group.members.iter().filter(is_large) {
        if named.len() < MAX_NAMED && is_new(member, &named) && !objects.contains(&member.object.as_str()) {
            objects.push(&member.object);
            named.push((&member.counter, label(member)));
        }
    }
    let is_large = |member: &&Member| member.score >= LEAST_SHARE * group.leader.score;
    for member in group.members.iter().filter(is_large) {
        if named.len() < MAX_NAMED && is_new(member, &named) {
            named.push((&member.counter, label(member)));
        }
    }
    if named.is_empty() {
        return match group.num_members {
            0 => String::new(),
            num => format!("; with it {}", plural(num as u64, "other counter")),
        };
    }
    let names: Vec<&str> = named.iter().map(|(_, name)| name.as_str()).collect();
    let rest = group.num_members.saturating_sub(names.len());
    match (names.split_last(), rest) {
        (Some((last, [])), 0) => format!("; with it {last}"),
        (Some((last, before)), 0) => format!("; with it {} and {last}", before.join(", ")),
        (_, rest) => format!("; with it {} and {rest} more counters", names.join(", "))
            .replace(" and 1 more counters", " and 1 more counter"),
    }
}
