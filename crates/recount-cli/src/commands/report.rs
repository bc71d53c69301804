//! `recount report`

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use recount::analysis::report::{
    AgainstBaseline, Days, MAX_CHANGED, Observed, ReportOptions, ViewFile, html, html_of_view, json, junit,
    markdown,
};
use recount::analysis::rules::Severity;
use recount::{read_baseline, report_against};
use recount_output::Access;

use super::view::view_file;
use crate::args::{Beside, Counters, Inputs, Samples};
use crate::exit::{Outcome, nothing, report_health, report_unmatched};
use crate::mistake::mistake;
use crate::paragraph::{room, wrapped};
use crate::rule_sets::rule_sets;
use crate::table::Table;
use crate::{output, progress};

/// Summarise what happened: findings of rules, charts and tables, in one HTML file
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount report monday.blg -o monday.html
  recount report web1.rcap -o web1.html --begin +5m --end +10m
  recount report tuesday.blg -o tuesday.html --view monday.view.toml
  recount report test.rcap --rules disk,./our-rules.toml --junit rules.xml --fail-on critical
  recount report db.blg --with load.csv --shift -2s       (the load generator's clock was 2 s ahead)
  recount report today.blg --baseline base.parquet        (what is unusual for this machine)
  recount report monday.blg                               (only the findings, here)

The page is one file that needs nothing else: it can be mailed, and opens without a network. `recount rules list` shows the \
rule sets; all are used by default, and none with --rules none. Rules use English names, so names in other languages are \
translated; --names own keeps them.

Captures of one machine over 3 to 400 days, such as a month of daily files, also have a row for each day, with the hour in which each was used \
most: processors, memory, disks, network.

The findings are also printed, unless an output is -; --quiet concerns notes on standard error only.

Exit codes: 0 done; 1 parts of an input could not be read; 2 failed. With --fail-on: 0 no rule of that level fired; 1 one did; 2 \
failed, or no rule could be checked; 3 none fired, but parts of an input could not be read.")]
pub(crate) struct Report {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    beside: Beside,
    /// Page to write
    #[arg(long, short, value_name = "HTML")]
    output: Option<PathBuf>,
    /// Draw the charts of a view that was saved in `recount view` instead of the default charts, over the view's time span
    #[arg(long, value_name = "FILE", requires = "output")]
    view: Option<PathBuf>,
    /// Rule sets: names of those that come with recount, files of rules or threshold files of PAL, or none
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    rules: Vec<String>,
    /// Also say what is unusual, compared with a baseline (recount baseline)
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the findings as JUnit XML, for CI systems
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// As JSON (formats/json/README.md) instead of text, and errors as JSON on standard error; --json=FILE writes it to a file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Exit with 1 if a rule of this level or worse fires, and with 2 if no rule could be checked
    #[arg(long, value_enum, value_name = "LEVEL")]
    fail_on: Option<Level>,
    /// Title of the page [default: names of the inputs]
    #[arg(long)]
    title: Option<String>,
    #[command(flatten)]
    counters: Counters,
    #[command(flatten)]
    samples: Samples,
    /// Replace outputs that exist
    #[arg(long, short)]
    force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Level {
    /// All findings, notes included
    Info,
    /// Warnings and critical findings
    Warning,
    /// Critical findings only
    Critical,
}

impl Level {
    pub(super) fn severity(self) -> Severity {
        match self {
            Level::Info => Severity::Info,
            Level::Warning => Severity::Warning,
            Level::Critical => Severity::Critical,
        }
    }
}

pub(crate) fn run(arguments: &Report, quiet: bool) -> anyhow::Result<Outcome> {
    let sets = rule_sets(&arguments.rules)?;
    let outputs = [&arguments.output, &arguments.markdown, &arguments.junit, &arguments.json];
    let all = arguments.beside.inputs(&arguments.inputs.inputs);
    let has_stdout = output::check_put(outputs.into_iter().flatten(), &all, arguments.force)?;
    if let Some(path) = &arguments.output {
        check_page(path)?;
    }
    let (inputs, reading) = (&arguments.inputs, arguments.inputs.reading());
    let captures =
        arguments.beside.add_to(inputs.open_in_english()?, |paths| reading.open_in_english(paths))?;
    let options = ReportOptions { selection: arguments.counters.selection()?, ..ReportOptions::default() };
    let view = arguments.view.as_deref().map(view_file).transpose()?;
    let baseline = arguments.baseline.as_deref().map(read_baseline).transpose()?;
    let samples = arguments.samples.or_of(view.as_ref());
    let timeline = samples.of(&captures)?;
    let bar = progress::bar(&captures, quiet);
    let observed = report_against(&timeline, &sets, &options, baseline.as_ref(), &progress::steps(&bar))?;
    bar.finish_and_clear();
    if observed.num_series() == 0 {
        return Err(nothing(&timeline, &options.selection));
    }
    let files = all.iter().map(|input| output::file_name(input)).collect::<Vec<_>>().join(", ");
    let saved = view.as_ref().and_then(|view| view.view.title.as_deref());
    let title = arguments.title.as_deref().or(saved).unwrap_or(&files);
    write(arguments, &observed, title, view.as_ref(), &recount::access_of(&captures))?;
    // What happened comes before what was noted.
    let is_judged = arguments.fail_on.is_none() || observed.num_evaluated() > 0;
    let printed = if has_stdout || !is_judged { Ok(()) } else { output::print(&text(&observed, room())) };
    report_unmatched(&options.selection, &captures);
    report_health(&timeline.name(), &observed.health);
    printed?;
    // What nobody has checked hasn't passed.
    if !is_judged {
        anyhow::bail!("--fail-on has nothing to judge: {}", observed.checked_in_words());
    }
    let Some(level) = arguments.fail_on else { return Ok(Outcome::of(&observed.health)) };
    let has_fired = observed.findings.iter().any(|finding| finding.severity >= level.severity());
    Ok(Outcome::judged(has_fired, observed.health.is_complete()))
}

/// A page is HTML, whatever its file is called; who opens a file by its name should find that.
pub(super) fn check_page(path: &Path) -> anyhow::Result<()> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let option = match extension.as_deref() {
        None | Some("html" | "htm") => return Ok(()),
        Some("md" | "markdown") => "--markdown writes Markdown",
        Some("xml") => "--junit writes XML",
        Some("json") => "--json=FILE writes JSON",
        Some("pdf") => "a browser prints the page as PDF",
        Some(_) => "--markdown, --junit and --json=FILE write other forms",
    };
    mistake!("-o {}: the page is HTML, so its name ends in .html; {option}", path.display());
}

fn write(
    arguments: &Report,
    observed: &Observed,
    title: &str,
    view: Option<&ViewFile>,
    access: &Access,
) -> anyhow::Result<()> {
    let put = |path: &Path, text: &str| output::put(path, arguments.force, access, text.as_bytes());
    if let Some(path) = &arguments.output {
        let page = match view {
            Some(view) => html_of_view(observed, title, view)?,
            None => html(observed, title)?,
        };
        put(path, &page)?;
    }
    if let Some(path) = &arguments.markdown {
        put(path, &markdown(observed, title))?;
    }
    if let Some(path) = &arguments.junit {
        put(path, &junit(observed, title, arguments.fail_on.map(Level::severity))?)?;
    }
    if let Some(path) = &arguments.json {
        put(path, &output::json_line(&json(observed)).context("the report as JSON")?)?;
    }
    Ok(())
}

/// So many days are printed, the last ones; the page has all.
const MAX_DAYS: usize = 31;

/// The findings, for people. On a terminal it begins with machine and time, and lines are at most `room` characters wide.
fn text(observed: &Observed, room: Option<usize>) -> String {
    let line = |kind: &str, text: &str| paragraph(kind, &output::visible(text), room);
    let changed = observed.changed.iter().take(MAX_CHANGED);
    let changed: String = changed.map(|noted| line(noted.kind, &noted.text)).collect();
    let unusual = observed.baseline.iter().flat_map(AgainstBaseline::lines);
    let unusual: String = unusual.map(|(kind, text)| line(kind, text)).collect();
    let mut text = room.map_or_else(String::new, |_| wrapped(&heading(observed), ["", ""], room));
    // Where no rule has anything to say, this is the answer.
    if observed.findings.is_empty() {
        text.push_str(&unusual);
        text.push_str(&changed);
    }
    for finding in &observed.findings {
        text.push_str(&line(finding.severity.as_str(), &observed.headline(finding)));
        let when = observed.times_of(finding);
        text.push_str(&line("", &format!("{} ({}/{}), {when}", finding.title, finding.set, finding.rule)));
    }
    if !observed.findings.is_empty() {
        text.push_str(&unusual);
        text.push_str(&changed);
    }
    for restarts in observed.facts.restarts_in_words() {
        text.push_str(&line("restart", &restarts));
    }
    let of_all = observed.facts.gap_in_words(&observed.facts.gaps);
    for gaps in of_all.into_iter().chain(observed.facts.gaps_of_hosts_in_words()) {
        text.push_str(&line("gap", &gaps));
    }
    for missing in observed.missing_in_words() {
        text.push_str(&line("missing", &missing));
    }
    if let Some(days) = &observed.days {
        let mut table = Table::new(days.header(), &[]);
        let num_more = days.days.len().saturating_sub(MAX_DAYS);
        for row in days.rows().skip(num_more) {
            table.add_row(row);
        }
        let earlier = if num_more > 0 { format!(" (and {num_more} earlier ones)") } else { String::new() };
        text.push_str(&format!("{}{earlier}:\n{}", Days::TITLE, table.text()));
    }
    let checked = observed.checked_in_words();
    text.push_str(&wrapped(&checked, ["", ""], room));
    text
}

/// Of which machines, and from when to when: `web1, 2026-11-21T08:10:00+01:00 to 09:10:00`.
fn heading(observed: &Observed) -> String {
    let facts = &observed.facts;
    let Some((first, last)) = facts.span() else { return String::new() };
    let hosts: String = match facts.hosts.as_slice() {
        [] => String::new(),
        [host] => format!("{}, ", output::visible(host)),
        [host, other] => format!("{} and {}, ", output::visible(host), output::visible(other)),
        [host, others @ ..] => format!("{} and {} other machines, ", output::visible(host), others.len()),
    };
    format!("{hosts}{}", facts.stated_spans(&[(first.utc, last.utc)]))
}

/// A text behind the word that says what it is.
fn paragraph(kind: &str, text: &str, room: Option<usize>) -> String {
    wrapped(text, [&format!("{kind:<8}  "), "          "], room)
}
