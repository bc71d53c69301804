//! The next questions, as commands.

use recount_model::{Timestamp, shell_word};

use super::answer::{Digest, Question};
use super::load::LoadTable;
use super::options::{DigestOptions, stated, stated_end};
use crate::report::{CaptureFacts, Observed};
use crate::rules::Severity;

/// What is worth asking next, the most useful first.
pub(super) fn next(moved: Option<&Moved>, digest: &Digest, options: &DigestOptions) -> Vec<Question> {
    let mut all: Vec<Question> = Vec::new();
    let inputs = options.inputs.iter().map(shell_word).collect::<Vec<_>>().join(" ");
    let span = options.span.iter().map(shell_word).collect::<Vec<_>>().join(" ");
    let span = if span.is_empty() { span } else { format!(" {span}") };
    // The names of the patterns below are English.
    let is_named = options.inputs.iter().any(|word| word == "--names");
    let names = if is_named { "" } else { " --names windows" };
    let mut ask = |about: &str, command: String| {
        all.push(Question { about: about.to_owned(), command: format!("recount {command}") });
    };
    if let Some(Moved { when, span }) = moved {
        ask(
            &format!("which counters changed {when}, and which processes"),
            format!("moved {inputs} --span {span}"),
        );
    }
    if !digest.findings.is_empty() {
        ask("every finding and its evidence", format!("report {inputs}{span} --json"));
    }
    // What wasn't attributed alone says nothing about processes.
    if digest.processes.processor.as_ref().is_some_and(|used| !used.most.is_empty()) {
        ask(
            "processor time of processes",
            format!(r"stats {inputs}{span}{names} -c '\Process(*)\% Processor Time' --top 10 --sort mean"),
        );
    }
    if !digest.changed.is_empty() {
        ask("when counters changed for good", format!("stats {inputs}{span} --changes"));
    }
    let processors = |load: &LoadTable| {
        let mean = load.columns.iter().find(|column| column.name == "processor mean")?;
        Some((load.by.clone(), shell_word(format!(r"\{}(*)\% Processor Time", mean.object))))
    };
    if let Some((by, counters)) = digest.load.as_ref().and_then(processors) {
        ask(
            "the load over time, of every processor",
            format!("stats {inputs}{span}{names} -c {counters} --by {by}"),
        );
    }
    if !digest.health.is_sound {
        ask("what could not be read, and where", format!("verify {inputs}"));
    }
    ask("which objects and counters there are", format!("info {inputs}"));
    ask("a page with charts, for people", format!("report {inputs}{span} -o report.html"));
    all
}

/// A span that is worth comparing with the time around it.
pub(super) struct Moved {
    /// Which it is, in words.
    when: &'static str,
    span: String,
}

/// The span in which the worst finding was worst, or else the begin of the event of the largest change. None that is nearly all of the capture: there
/// has to be something to compare with.
pub(super) fn moved(observed: &Observed) -> Option<Moved> {
    const LARGEST_SHARE: f64 = 0.5;
    const SHARE_AFTER_CHANGE: i64 = 20;
    const SHARE_OF_EVENT: i64 = 4;
    const NUM_LARGEST: usize = 3;
    let facts = &observed.facts;
    let (first, last) = facts.span()?;
    let whole = last.utc.0 - first.utc.0;
    let bad = observed.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
    let worst = bad.map(|finding| ("in the worst time", (finding.worst.begin, finding.worst.end)));
    let changed = observed.changed.iter().map(|noted| noted.time);
    let largest: Vec<Timestamp> =
        changed.filter(|time| first.utc < *time && *time < last.utc).take(NUM_LARGEST).collect();
    // What is shortly before the largest change is of the same event, of which that may be the end.
    let is_of_event = |time: &Timestamp| {
        let before = largest[0].0.saturating_sub(time.0);
        (0..=whole / SHARE_OF_EVENT).contains(&before)
    };
    let begin = largest.iter().copied().filter(is_of_event).min();
    let after = begin.into_iter().chain(largest.iter().copied()).map(|time| {
        let end = Timestamp(time.0.saturating_add(whole / SHARE_AFTER_CHANGE)).min(last.utc);
        ("with the largest change", (time, end))
    });
    let is_part = |(_, (begin, end)): &(&str, (Timestamp, Timestamp))| {
        let seconds = whole as f64 / Timestamp::TICKS_PER_SECOND as f64;
        end.seconds_since(*begin) <= LARGEST_SHARE * seconds && is_comparable(facts, *begin, *end)
    };
    let (when, (begin, end)) = worst.chain(after).find(is_part)?;
    Some(Moved { when, span: format!("{}..{}", stated(facts, begin), stated_end(facts, end)) })
}

/// Whether there are samples in a span, and before or after it.
fn is_comparable(facts: &CaptureFacts, begin: Timestamp, end: Timestamp) -> bool {
    const LEAST: usize = 4;
    let num =
        |is_there: &dyn Fn(Timestamp) -> bool| facts.times.iter().filter(|time| is_there(time.utc)).count();
    num(&|time| begin < time && time <= end) >= LEAST
        && (num(&|time| time < begin) >= LEAST || num(&|time| time > end) >= LEAST)
}
