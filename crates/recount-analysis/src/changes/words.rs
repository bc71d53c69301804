//! Changes in sentences.

use recount_model::Timestamp;

use super::answer::{Change, ChangeKind, Changes};
use super::fit::{Shape, ValueStretch};
use crate::moved::{Interval, MarkBefore};
use crate::report::{CaptureFacts, Event, Noted, together};
use crate::shown::{duration, plural, quantity, series_label};

/// From one sample to another.
type Span = (Timestamp, Timestamp);

/// The sentence about a change.
pub(super) fn headline(change: &Change, facts: &CaptureFacts) -> String {
    let mut text = format!("{} {} {}", when(change, facts), label(change), how(change));
    if let Some((mark, seconds)) = &change.after_mark {
        let mark = MarkBefore { text: mark.clone(), seconds: *seconds };
        text.push_str(&mark.words());
    }
    facts.of_host(&change.host, text)
}

/// `Since 14:05:00`, `From 14:05:00 to 14:10:00`, or `Since about 14:05:30 (15 s more or less)`.
fn when(change: &Change, facts: &CaptureFacts) -> String {
    let gaps = facts.gaps_of(&change.host);
    let moment = |at, is_exact| moment(at, is_exact, &gaps, facts);
    let since = moment((change.at, change.time), change.is_exact && change.is_of_few);
    let unsampled = unsampled(change, &gaps, facts);
    match change.until_at.zip(change.until) {
        None => format!("Since {since}{unsampled}"),
        Some(until) => format!("From {since} to {}{unsampled}", moment(until, change.is_of_few)),
    }
}

/// ` (nobody sampled for 40 min of that time)`: but for gaps in which it may have begun or ended, which are named.
fn unsampled(change: &Change, gaps: &[Span], facts: &CaptureFacts) -> String {
    let end = change.until_at.or(facts.span().map(|(_, last)| last.utc)).unwrap_or(change.at);
    let is_in = |of: Interval, (from, to): &Span| of.begin <= *from && *to <= of.end;
    let is_named =
        |gap: &&Span| is_in(change.time, gap) || change.until.is_some_and(|until| is_in(until, gap));
    let len_s = |(from, to): &Span| (*to).min(end).seconds_since((*from).max(change.at)).max(0.0);
    let seconds: f64 = gaps.iter().filter(|gap| !is_named(gap)).map(len_s).sum();
    if seconds > 0.0 {
        format!(" (nobody sampled for {} of that time)", duration(seconds))
    } else {
        String::new()
    }
}

/// When the first value after a change begins, and how exactly that is known.
fn moment((at, time): (Timestamp, Interval), is_exact: bool, gaps: &[Span], facts: &CaptureFacts) -> String {
    /// Seconds: a value of so long is about a moment, and of several values so much.
    const EXACT: (f64, f64) = (60.0, 2.5);
    /// Of the time in which it happened.
    const MOST_OF_IT: f64 = 0.9;
    let width = time.end.seconds_since(time.begin);
    let is_within = |(from, to): &&Span| time.begin <= *from && *to <= time.end;
    let gap = gaps.iter().find(is_within);
    let is_most_of_it = |(from, to): &&Span| to.seconds_since(*from) >= MOST_OF_IT * width;
    if let Some((from, to)) = gap.filter(is_most_of_it) {
        let [from, to] = [from, to].map(|time| facts.clock(*time));
        return format!("some time between {from} and {to}, when nobody sampled,");
    }
    if width <= if is_exact && gap.is_none() { EXACT.0 } else { EXACT.1 } {
        return facts.clock(at);
    }
    let half = (time.end.0 - time.begin.0) / 2;
    let middle = Timestamp(time.begin.0 + half);
    format!("about {} (± {})", facts.clock(middle), duration((width / 2.0).ceil()))
}

/// How people call a counter.
fn label(change: &Change) -> String {
    series_label(&change.object, change.instance.as_deref(), change.instance_id, &change.counter)
}

/// `is 40 % higher, 14 ms instead of 10 ms`.
fn how(change: &Change) -> String {
    let (before, after) = change.stretches;
    let verb = Verbs { is_over: change.until.is_some(), unit: change.unit };
    let is_bend = matches!(change.kind, ChangeKind::Up | ChangeKind::Down);
    match (before.is_way(), after.is_way()) {
        (_, true) if is_bend => verb.bent(before, after),
        (true, false) if is_bend => {
            let is = match (after.shape == Shape::Level, verb.is_over) {
                (true, true) => "was level at",
                (true, false) => "is level at",
                (false, true) => "had a median of",
                (false, false) => "has a median of",
            };
            format!("{is} {}, after it {}", verb.shown(after.ends.0), verb.line(before, true, manner(before)))
        }
        (_, true) => format!(
            "went from {} to {}, and {}{} to {}",
            verb.shown(before.ends.1),
            verb.shown(after.ends.0),
            goes(after, verb.is_over),
            manner(after),
            verb.shown(after.ends.1)
        ),
        (true, false) => {
            format!("{}, to which it {}{}", verb.level(change), had_gone(before), manner(before))
        }
        (false, false) if before.shape == Shape::Mixed && has_gone(before) => {
            format!("{}, to which it {}", verb.level(change), had_gone(before))
        }
        (false, false) => verb.level(change),
    }
}

/// Whether the two values of a sentence differ as people read them.
pub(super) fn shows_change(change: &Change) -> bool {
    let (before, after) = change.stretches;
    let is_bend = matches!(change.kind, ChangeKind::Up | ChangeKind::Down);
    let shown = |value: f64| quantity(value, change.unit);
    match after.is_way() {
        is_way if is_bend && (is_way || before.is_way()) => true,
        true => shown(before.ends.1) != shown(after.ends.0),
        false => shown(change.before) != shown(change.after),
    }
}

/// How a line or a curve goes.
fn manner(way: ValueStretch) -> &'static str {
    match way.shape {
        Shape::Curve { is_slowing: true } => " ever more slowly",
        Shape::Curve { is_slowing: false } => " ever faster",
        Shape::Line | Shape::Level | Shape::Mixed => " steadily",
    }
}

fn goes(line: ValueStretch, is_over: bool) -> &'static str {
    match (line.ends.1 > line.ends.0, is_over) {
        (true, true) => "rose",
        (true, false) => "rises",
        (false, true) => "fell",
        (false, false) => "falls",
    }
}

/// Whether it rose or fell to where it ends.
fn has_gone(stretch: ValueStretch) -> bool {
    stretch.ends.0.to_bits() != stretch.ends.1.to_bits()
}

fn had_gone(line: ValueStretch) -> &'static str {
    if line.ends.1 > line.ends.0 { "had risen" } else { "had fallen" }
}

/// The words for what a counter did, in the past if it is over.
struct Verbs {
    is_over: bool,
    unit: &'static str,
}

impl Verbs {
    fn shown(&self, value: f64) -> String {
        quantity(value, self.unit)
    }

    /// `rises steadily, from 10 to 20`.
    fn line(&self, line: ValueStretch, is_over: bool, manner: &str) -> String {
        let [from, to] = [line.ends.0, line.ends.1].map(|value| self.shown(value));
        let goes = goes(line, is_over);
        if from == to {
            format!("{goes} slowly, at about {to}")
        } else {
            format!("{goes}{manner}, from {from} to {to}")
        }
    }

    /// A line that begins where another one, or a level, ended.
    fn bent(&self, before: ValueStretch, after: ValueStretch) -> String {
        let are_lines = [before.shape, after.shape] == [Shape::Line; 2];
        let is_same_way = are_lines && before.slope.signum() == after.slope.signum();
        let manner = match after.slope.abs() > before.slope.abs() {
            _ if !is_same_way => manner(after),
            true => " faster than before",
            false => " more slowly than before",
        };
        self.line(after, self.is_over, manner)
    }

    /// One level, or what is about one, after another.
    fn level(&self, change: &Change) -> String {
        let Change { before, after, unit, .. } = *change;
        let is = if self.is_over { "was" } else { "is" };
        let (first, second) = change.stretches;
        // Of values between which the new one lies, it isn't higher or lower than all.
        let scattered = first.scattered.filter(|_| !has_gone(first));
        let is_among = scattered.is_some_and(|(low, high)| (low..=high).contains(&after));
        let is_mixed =
            is_among || second.shape == Shape::Mixed || first.shape == Shape::Mixed && !has_gone(first);
        let word = if after > before { "higher" } else { "lower" };
        let of = if is_mixed { "a median of " } else { "" };
        let instead = format!(": {of}{} instead of {}", self.shown(after), self.shown(before));
        if let Some((low, high)) = scattered.filter(|_| !is_among) {
            let [low, high] = [low, high].map(|value| self.shown(value));
            return format!("{is} {word}: {of}{} instead of between {low} and {high}", self.shown(after));
        }
        let ratio = after / before;
        if unit == "%" || !ratio.is_finite() || ratio <= 0.0 {
            return format!("{is} {word}{instead}");
        }
        // Of more, the two values say enough: what was near zero before is a thousand times as high soon.
        if (2.0..100.0).contains(&ratio) {
            let times = if ratio < 10.0 { format!("{ratio:.1}") } else { quantity(ratio.round(), "") };
            return format!("{is} {times} times as high{instead}");
        }
        let share = 100.0 * (ratio - 1.0).abs();
        if ratio < 2.0 && (0.5..99.5).contains(&share) {
            return format!("{is} {share:.0} % {word}{instead}");
        }
        format!("{is} {word}{instead}")
    }
}

/// What has less isn't said in a report.
const LEAST_SCORE: f64 = 0.12;

/// A sentence for each time at which counters changed, the largest change first: of the counters that did so together the
/// first, and how many others there were.
pub(super) fn sentences(changes: &[Change]) -> Vec<Noted> {
    let large: Vec<&Change> =
        changes.iter().filter(|change| change.score >= LEAST_SCORE && !change.is_return).collect();
    let events: Vec<Event<'_>> = large.iter().map(|change| event(change)).collect();
    together(&events)
        .into_iter()
        .map(|(leader, with_it)| Noted {
            time: large[leader].at,
            kind: "changed",
            text: format!("{}{with_it}", large[leader].headline),
        })
        .collect()
}

fn event(change: &Change) -> Event<'_> {
    Event {
        host: &change.host,
        time: change.time,
        until: change.until,
        is_bend: matches!(change.kind, ChangeKind::Up | ChangeKind::Down),
        object: &change.object,
        counter: &change.counter,
        label: label(change),
    }
}

impl Changes {
    /// What limits the answer, and how much was looked at.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "{}; {} looked at{}",
            plural(self.changes.len() as u64, "change"),
            plural(self.num_series as u64, "counter"),
            match self.num_still {
                0 => String::new(),
                1 => ", one of which never changes or has too few values".to_owned(),
                num => format!(", {num} of which never change or have too few values"),
            }
        )];
        if self.bin_samples > 1 {
            notes.push(format!(
                "values were averaged over {} samples each: changes shorter than {} samples aren't listed",
                self.bin_samples,
                5 * self.bin_samples
            ));
        }
        notes
    }

    /// The parts of a row for people: when, which counter, what happened.
    pub fn row(&self, change: &Change) -> [String; 3] {
        let label = self.facts.of_host(&change.host, label(change));
        [when(change, &self.facts), label, how(change)]
    }
}
