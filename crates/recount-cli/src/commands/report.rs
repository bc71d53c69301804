//! `recount report`

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use recount::analysis::report::{
    AgainstBaseline, MAX_CHANGED, Observed, ReportOptions, ViewFile, html, html_of_view, json, junit,
    markdown,
};
use recount::analysis::rules::{Finding, Severity, Span};
use recount::{read_baseline, report_against};
use recount_output::Access;

use super::view::view_file;
use crate::args::{Beside, Counters, Inputs, Samples};
use crate::exit::{Outcome, nothing, report_health, report_unmatched};
use crate::rule_sets::rule_sets;
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
    report_unmatched(&options.selection, &captures);
    report_health(&timeline.name(), &observed.health);
    // What nobody has checked hasn't passed.
    if arguments.fail_on.is_some() && observed.num_evaluated() == 0 {
        anyhow::bail!("--fail-on has nothing to judge: {}", observed.checked_in_words());
    }
    if !has_stdout {
        output::print(&text(&observed))?;
    }
    let Some(level) = arguments.fail_on else { return Ok(Outcome::of(&observed.health)) };
    let has_fired = observed.findings.iter().any(|finding| finding.severity >= level.severity());
    Ok(Outcome::judged(has_fired, observed.health.is_complete()))
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

/// The findings, for people.
fn text(observed: &Observed) -> String {
    let changed = observed.changed.iter().take(MAX_CHANGED);
    let changed = changed.fold(String::new(), |text, noted| {
        text + &format!("{:<8}  {}\n", noted.kind, output::visible(&noted.text))
    });
    let unusual = observed.baseline.iter().flat_map(AgainstBaseline::lines);
    let unusual = unusual
        .fold(String::new(), |text, (kind, line)| text + &format!("{kind:<8}  {}\n", output::visible(line)));
    let mut text = String::new();
    // Where no rule has anything to say, this is the answer.
    if observed.findings.is_empty() {
        text.push_str(&unusual);
        text.push_str(&changed);
    }
    for finding in &observed.findings {
        let headline = output::visible(&observed.headline(finding));
        text.push_str(&format!("{:<8}  {headline}\n", finding.severity.as_str()));
        let when = spans(observed, finding);
        let title = output::visible(&finding.title);
        text.push_str(&format!("          {title} ({}/{}), {when}\n", finding.set, finding.rule));
    }
    if !observed.findings.is_empty() {
        text.push_str(&unusual);
        text.push_str(&changed);
    }
    text.push_str(&format!("{}\n", observed.checked_in_words()));
    text
}

/// When a rule fired; if that was often, when it was worst.
fn spans(observed: &Observed, finding: &Finding) -> String {
    const MOST: u64 = 3;
    let stated = |span: &Span| {
        let [begin, end] = [span.begin, span.end].map(|time| observed.facts.stated_local(time));
        format!("{begin} to {end}")
    };
    if finding.num_spans > MOST || finding.spans.is_empty() {
        return stated(&finding.worst);
    }
    finding.spans.iter().map(stated).collect::<Vec<_>>().join(", ")
}
