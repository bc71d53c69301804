//! Exit codes, and how failures are reported.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use recount::{Capture, Finding, FindingKind, Health, Hinted, NoSamples, Selection, Timeline, near_name};

use super::output;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// 0: done.
    Done,
    /// 1: done, and something was found: parts of an input that could not be read.
    Findings,
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
            Outcome::Code(code) => code,
        }
    }

    /// `Findings` if a part of a capture could not be read. Oddities are only reported.
    pub(crate) fn of(health: &Health) -> Outcome {
        if health.is_complete() { Outcome::Done } else { Outcome::Findings }
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
    let mut text = format!("{RED}error:{RED:#} {}", output::clean(&with_causes(error)));
    if let Some(hint) = recount::hint_of(error.as_ref()) {
        text.push_str(&format!("\n{CYAN}hint:{CYAN:#} {hint}"));
    }
    // Nothing can be done if standard error is closed.
    let _ = writeln!(anstream::stderr(), "{text}");
    FAILED
}

/// Reports something on standard error that doesn't end the command.
pub(super) fn warn(text: &str) {
    output::tell(&format!("{YELLOW}warning:{YELLOW:#} {}\n", output::clean(text)));
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

/// The error and its causes, without those that the text before them contains.
fn with_causes(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| {
        if text.is_empty() {
            cause
        } else if text.contains(&cause) {
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

/// No counter matches the patterns of a command; with the name that was probably meant.
pub(super) fn no_counters(selection: &Selection, captures: &[Capture]) -> Hinted {
    let meant = selection.patterns().iter().find_map(|pattern| near_name(pattern, captures));
    let meant = meant.map(|near| format!("; {}", output::clean(&near))).unwrap_or_default();
    Hinted::no_counters(format!("{}{meant}", unmatched(selection).unwrap_or_default()))
}

/// An error, after what was found on opening, which may be the reason for it.
pub(super) fn no_samples(timeline: &Timeline, error: NoSamples) -> anyhow::Error {
    tell_health(&timeline.name(), &timeline.health());
    error.into()
}

/// Says on standard error that values which others computed can't be computed anew over longer intervals.
pub(super) fn tell_cooked(captures: &[Capture]) {
    if let Some(capture) = captures.iter().find(|capture| capture.source.info().is_cooked) {
        output::tell(&format!(
            "{CYAN}note:{CYAN:#} {}: its values are already computed; --every and --interval can only pick some of them\n",
            output::clean(&capture.name())
        ));
    }
}

/// Why captures have nothing to show.
pub(super) fn nothing(timeline: &Timeline, selection: &Selection) -> anyhow::Error {
    if let Some(why) = timeline.no_samples() {
        return no_samples(timeline, why);
    }
    tell_losses(timeline);
    if selection.is_all() {
        return anyhow::anyhow!("no sample has any counters");
    }
    no_counters(selection, timeline.captures()).into()
}

/// Samples per capture that are read again to find out why there is nothing.
const MAX_EXPLAINED: usize = 16;

/// Reports what could not be read in the first samples of a span, as the reason why there is nothing to show.
pub(super) fn tell_losses(timeline: &Timeline) {
    let mut health = timeline.health();
    for input in timeline.inputs() {
        let first = &input.samples[..input.samples.len().min(MAX_EXPLAINED)];
        health.absorb(input.source.decode(first, &Selection::all()).health);
    }
    tell_health(&timeline.name(), &health);
}

/// Findings that are reported one by one.
const MAX_TOLD: usize = 10;

/// Reports what could not be read on opening the captures and later; returns how the command ends. Findings about times
/// only are reported if the answer shows times or was selected by them.
pub(super) fn told(name: &str, mut health: Health, found: Health, has_times: bool) -> Outcome {
    health.absorb(found);
    let health = if has_times { health } else { health.without(FindingKind::Time) };
    tell_health(name, &health);
    Outcome::of(&health)
}

/// Says something on standard error that isn't a failure.
pub(super) fn tell_note(text: &str) {
    output::tell(&format!("{CYAN}note:{CYAN:#} {}\n", output::clean(text)));
}

/// Says on standard error which patterns have matched nothing, while others have.
pub(super) fn tell_unmatched(selection: &Selection) {
    if let Some(text) = unmatched(selection) {
        output::tell(&format!("{CYAN}note:{CYAN:#} {text}\n"));
    }
}

fn unmatched(selection: &Selection) -> Option<String> {
    let patterns: Vec<String> =
        selection.unmatched().map(|pattern| output::clean(&pattern.to_string())).collect();
    match &patterns[..] {
        [] => None,
        [one] => Some(format!("no counter matches {one}")),
        all if all.len() <= MAX_TOLD => Some(format!("no counter matches any of {}", all.join(", "))),
        all => Some(format!(
            "no counter matches any of {}, and {} more patterns",
            all[..MAX_TOLD].join(", "),
            all.len() - MAX_TOLD
        )),
    }
}

/// Says on standard error which rows are about several instances that had one name.
pub(super) fn tell_shared(names: impl Iterator<Item = String>) {
    let mut names: Vec<String> = names.collect();
    names.dedup();
    let Some(first) = names.first() else { return };
    let more = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
    output::tell(&format!(
        "{CYAN}note:{CYAN:#} several instances had the name {}{more}, one after the other: each such row combines them \
         (recount view and recount report tell them apart)\n",
        output::clean(first)
    ));
}

/// Reports on standard error which of many captures could not be read, or not as a whole, and why.
pub(super) fn tell_unread<'u>(unread: impl Iterator<Item = (&'u str, &'u str)>) {
    let (mut text, mut num) = (String::new(), 0_usize);
    for (name, why) in unread {
        num += 1;
        if num <= MAX_TOLD {
            text.push_str(&format!(
                "{YELLOW}warning:{YELLOW:#} {}\n",
                output::clean(&format!("{name}: {why}"))
            ));
        }
    }
    if num > MAX_TOLD {
        let more = num - MAX_TOLD;
        text.push_str(&format!("{YELLOW}warning:{YELLOW:#} {more} more that could not be read as a whole\n"));
    }
    let _ = write!(anstream::stderr(), "{text}");
}

/// Reports on standard error what could not be read. Findings that are normal for such a recording are left to `info`,
/// `verify` and `report`; with `--quiet` also notes, which change no value.
pub(super) fn tell_health(name: &str, health: &Health) {
    let mut text = String::new();
    let worth_telling = |finding: &&Finding| match finding.kind {
        FindingKind::Expected => false,
        FindingKind::Odd | FindingKind::Time => !output::is_quiet(),
        _ => true,
    };
    let findings: Vec<&Finding> = health.findings().iter().filter(worth_telling).collect();
    for finding in findings.iter().take(MAX_TOLD) {
        let (style, label) = if matches!(finding.kind, FindingKind::Odd | FindingKind::Time) {
            (CYAN, "note")
        } else {
            (YELLOW, "warning")
        };
        let finding = output::clean(&finding.to_string());
        text.push_str(&format!("{style}{label}:{style:#} {name}: {finding}\n"));
    }
    let untold =
        FindingKind::HARMLESS.iter().filter(|kind| output::is_quiet() || **kind == FindingKind::Expected);
    let num_untold: u64 = untold.map(|kind| health.count(*kind)).sum();
    let more = health.total() - num_untold - findings.len().min(MAX_TOLD) as u64;
    if more > 0 {
        text.push_str(&format!(
            "{YELLOW}warning:{YELLOW:#} {name}: {more} more findings (recount info shows them)\n"
        ));
    }
    let _ = write!(anstream::stderr(), "{text}");
}
