//! Exit codes, and how failures are reported.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use recount::{
    Capture, Fault, Finding, FindingKind, Health, Hinted, NoSamples, Selection, Timeline, unmatched_text,
};

use super::output;
use crate::paragraph::{room_of_errors, wrapped};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// 0: done.
    Done,
    /// 1: done, and something was found: parts of an input that could not be read.
    Findings,
    /// 3, of commands that judge: nothing was found, but parts of an input could not be read.
    Unread,
    /// The code of a command that was run.
    Code(u8),
}

/// 2: failed. (clap's own usage errors have the same code.)
pub(super) const FAILED: u8 = 2;

impl Outcome {
    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::Findings => 1,
            Outcome::Unread => 3,
            Outcome::Code(code) => code,
        }
    }

    /// `Findings` if a part of a capture could not be read. Oddities are only reported.
    pub(crate) fn of(health: &Health) -> Outcome {
        if health.is_complete() { Outcome::Done } else { Outcome::Findings }
    }

    /// Of a command that judges: `Findings` only if it found something, whatever could not be read.
    pub(crate) fn judged(has_found: bool, is_complete: bool) -> Outcome {
        match (has_found, is_complete) {
            (true, _) => Outcome::Findings,
            (false, true) => Outcome::Done,
            (false, false) => Outcome::Unread,
        }
    }
}

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default().bold();

/// Reports an error and what to try; returns the exit code. A closed pipe (`recount list x | head`) isn't an error.
pub(super) fn failure(error: &anyhow::Error) -> u8 {
    if error.chain().any(is_broken_pipe) {
        return Outcome::Done.code();
    }
    if output::is_json() {
        report_fault(&Fault::of(error.as_ref(), with_causes(error)));
        return FAILED;
    }
    let mut text = format!("{RED}error:{RED:#} {}", output::visible(&with_causes(error)));
    if let Some(hint) = recount::hint_of(error.as_ref()) {
        text.push_str(&format!("\n{CYAN}hint:{CYAN:#} {hint}"));
    }
    // Nothing can be done if standard error is closed.
    let _ = writeln!(anstream::stderr(), "{text}");
    FAILED
}

/// Reports an error as a line of JSON on standard error.
pub(super) fn report_fault(fault: &Fault) {
    // An error without a text would say nothing, and nothing can be done if standard error is closed.
    let text = output::json_line(&serde_json::json!({ "error": fault })).unwrap_or_default();
    output::message(&text);
}

/// Reports something on standard error that doesn't end the command.
pub(super) fn warn(text: &str) {
    output::message(&format!("{YELLOW}warning:{YELLOW:#} {}\n", output::visible(text)));
}

/// Ends the process because a part of a mapped file is gone. Which file isn't known.
#[expect(clippy::exit, reason = "the thread that reads the file can't go on")]
pub(super) fn lost_page() {
    recount::remove_partial();
    // Nothing can be done if standard error is closed.
    let _ = writeln!(
        anstream::stderr(),
        "{RED}error:{RED:#} a file became shorter while it was being read, or its disk failed\n\
         {CYAN}hint:{CYAN:#} copy the capture when nothing writes to it, and read the copy"
    );
    std::process::exit(FAILED.into());
}

/// The error and its causes, without those that the text before them contains, perhaps without the name of who says it.
fn with_causes(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| {
        if text.is_empty() {
            cause
        } else if text.contains(&cause)
            || cause.split_once(": ").is_some_and(|(_, reason)| text.ends_with(reason))
        {
            text
        } else {
            text + ": " + &cause
        }
    })
}

fn is_broken_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The command was built without the engine that answers queries.
#[cfg(not(feature = "sql"))]
pub(crate) fn no_sql() -> Hinted {
    Hinted {
        text: "this recount was built without SQL: the feature `sql` is off by default because it takes minutes to compile".into(),
        hint: "cargo install --locked --path crates/recount-cli --features sql installs recount with it",
    }
}

/// The command was built without what talks to other machines.
#[cfg(not(feature = "remote"))]
pub(crate) fn no_remote() -> Hinted {
    Hinted {
        text: "this recount was built without remote machines: the feature `remote` is off by default because it takes minutes to compile".into(),
        hint: "cargo install --locked --path crates/recount-cli --features remote installs recount with them",
    }
}

/// The command was built without the server for models.
#[cfg(not(feature = "mcp"))]
pub(crate) fn no_mcp() -> Hinted {
    Hinted {
        text: "this recount was built without `recount mcp`: the feature `mcp` is off by default".into(),
        hint: "cargo install --locked --path crates/recount-cli --features mcp installs recount with it",
    }
}

/// No counter matches the patterns of a command; with the name that was probably meant.
pub(super) fn no_counters(selection: &Selection, captures: &[Capture]) -> Hinted {
    Hinted::no_counters(unmatched(selection, captures).unwrap_or_default())
}

/// An error, after what was found on opening, which may be the reason for it.
pub(super) fn no_samples(timeline: &Timeline, error: NoSamples) -> anyhow::Error {
    report_health(&timeline.name(), &timeline.health());
    error.into()
}

/// Says on standard error that values which others computed can't be computed anew over longer intervals.
pub(super) fn report_cooked(captures: &[Capture]) {
    if let Some(capture) = captures.iter().find(|capture| capture.source.info().is_cooked) {
        output::message(&format!(
            "{CYAN}note:{CYAN:#} {}: its values are already computed; --every and --interval can only pick some of them\n",
            output::visible(&capture.name())
        ));
    }
}

/// Why captures have nothing to show.
pub(super) fn nothing(timeline: &Timeline, selection: &Selection) -> anyhow::Error {
    if let Some(why) = timeline.no_samples() {
        return no_samples(timeline, why);
    }
    report_losses(timeline);
    if selection.is_all() {
        return anyhow::anyhow!("no sample has any counters");
    }
    no_counters(selection, timeline.captures()).into()
}

/// Samples per capture that are read again to find out why there is nothing.
const MAX_EXPLAINED: usize = 16;

/// Reports what could not be read in the first samples of a span, as the reason why there is nothing to show.
pub(super) fn report_losses(timeline: &Timeline) {
    let mut health = timeline.health();
    for input in timeline.inputs() {
        let first = &input.samples[..input.samples.len().min(MAX_EXPLAINED)];
        health.absorb(input.source.decode(first, &Selection::all()).health);
    }
    report_health(&timeline.name(), &health);
}

/// Findings that are reported one by one.
const MAX_REPORTED: usize = 10;

/// Reports what could not be read on opening the captures and later; returns how the command ends. Findings about times
/// only are reported if the answer shows times or was selected by them.
pub(super) fn outcome_of(name: &str, mut health: Health, found: Health, has_times: bool) -> Outcome {
    health.absorb(found);
    let health = if has_times { health } else { health.without(FindingKind::Time) };
    report_health(name, &health);
    Outcome::of(&health)
}

/// Says something on standard error that isn't a failure.
pub(super) fn report_note(text: &str) {
    output::message(&format!("{CYAN}note:{CYAN:#} {}\n", output::visible(text)));
}

/// Says on standard error which patterns have matched nothing in captures, while others have.
pub(super) fn report_unmatched(selection: &Selection, captures: &[Capture]) {
    if let Some(text) = unmatched(selection, captures) {
        output::message(&format!("{CYAN}note:{CYAN:#} {text}\n"));
    }
}

/// Which patterns match nothing.
fn unmatched(selection: &Selection, captures: &[Capture]) -> Option<String> {
    unmatched_text(selection.unmatched(), captures).map(|text| output::visible(&text))
}

/// Says on standard error which rows are about several instances that had one name.
pub(super) fn report_shared(names: impl Iterator<Item = String>) {
    let mut names: Vec<String> = names.collect();
    names.dedup();
    let Some(first) = names.first() else { return };
    let more = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
    output::message(&format!(
        "{CYAN}note:{CYAN:#} several instances had the name {}{more}, one after the other: each such row combines them \
         (recount view and recount report show each of them)\n",
        output::visible(first)
    ));
}

/// Reports on standard error which totals have values that are too small.
pub(super) fn report_hidden<'p>(mut totals: impl Iterator<Item = (&'p str, u64)>) {
    let Some((first, num)) = totals.next() else { return };
    let values = if num == 1 { "1 value is".to_owned() } else { format!("{num} values are") };
    let others = totals.count();
    let more = if others > 0 { format!(" (and some of {others} more)") } else { String::new() };
    output::message(&format!(
        "{CYAN}note:{CYAN:#} {}{more}: {values} too small, because an instance ended in the interval and what it had counted is missing \
         in the total (hides-fall)\n",
        output::visible(first)
    ));
}

/// Reports on standard error which of many captures could not be read, or not as a whole, and why.
pub(super) fn report_unread<'u>(unread: impl Iterator<Item = (&'u str, &'u str)>) {
    let (mut text, mut num) = (String::new(), 0_usize);
    for (name, why) in unread {
        num += 1;
        if num <= MAX_REPORTED {
            text.push_str(&format!(
                "{YELLOW}warning:{YELLOW:#} {}\n",
                output::visible(&format!("{name}: {why}"))
            ));
        }
    }
    if num > MAX_REPORTED {
        let more = num - MAX_REPORTED;
        text.push_str(&format!("{YELLOW}warning:{YELLOW:#} {more} more that could not be read as a whole\n"));
    }
    let _ = write!(anstream::stderr(), "{text}");
}

/// Reports on standard error what could not be read. Findings that are normal for such a recording are left to `info`,
/// `verify` and `report`; with `--quiet` also notes, which change no value.
pub(super) fn report_health(name: &str, health: &Health) {
    let mut text = String::new();
    let is_reported = |finding: &&Finding| match finding.kind {
        FindingKind::Expected => false,
        FindingKind::Odd | FindingKind::Time => !output::is_quiet(),
        _ => true,
    };
    // Each with how many more captures have it.
    let mut findings: Vec<(&Finding, u64)> = Vec::new();
    let mut num_repeated = 0;
    for finding in health.findings().iter().filter(is_reported) {
        match findings.iter_mut().find(|(known, _)| is_alike(known, finding)) {
            // What is read several times is found as often.
            Some((known, num)) => {
                num_repeated += 1;
                *num += u64::from(known.capture != finding.capture);
            }
            None => findings.push((finding, 0)),
        }
    }
    for (finding, num_alike) in findings.iter().take(MAX_REPORTED) {
        let (style, label) = if matches!(finding.kind, FindingKind::Odd | FindingKind::Time) {
            (CYAN, "note")
        } else {
            (YELLOW, "warning")
        };
        let name = output::visible(finding.capture.as_deref().unwrap_or(name));
        let finding = output::visible(&Finding { capture: None, ..(*finding).clone() }.to_string());
        let alike = match num_alike {
            0 => String::new(),
            1 => " (and 1 more capture alike)".to_owned(),
            num => format!(" (and {num} more captures alike)"),
        };
        let first = format!("{style}{label}:{style:#} ");
        text.push_str(&wrapped(&format!("{name}: {finding}{alike}"), [&first, "  "], room_of_errors()));
    }
    let unreported =
        FindingKind::HARMLESS.iter().filter(|kind| output::is_quiet() || **kind == FindingKind::Expected);
    let num_unreported: u64 = unreported.map(|kind| health.count(*kind)).sum();
    let more = health.total() - num_unreported - num_repeated - findings.len().min(MAX_REPORTED) as u64;
    if more > 0 {
        let findings = if more == 1 { "finding" } else { "findings" };
        text.push_str(&format!(
            "{YELLOW}warning:{YELLOW:#} {}: {more} more {findings} (recount info shows them)\n",
            output::visible(name)
        ));
    }
    let _ = write!(anstream::stderr(), "{text}");
}

/// Whether two findings are the same, or notes about two captures that differ in numbers only, such as those of a folder of logs
/// with the same form of dates.
fn is_alike(one: &Finding, other: &Finding) -> bool {
    let without_numbers =
        |finding: &Finding| finding.what.replace(|letter: char| letter.is_ascii_digit(), "");
    one == other
        || one.kind == other.kind
            && matches!(one.kind, FindingKind::Odd | FindingKind::Time)
            && one.capture != other.capture
            && without_numbers(one) == without_numbers(other)
}
