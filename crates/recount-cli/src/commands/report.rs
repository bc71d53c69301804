//! `recount report`

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use recount::analysis::report::{
    Observed, ReportOptions, ViewFile, html, html_of_view, json, junit, markdown,
};
use recount::analysis::rules::Severity;
use recount::report;
use recount_output::Access;

use super::view::view_file;
use crate::args::{Counters, Inputs, Samples};
use crate::exit::{Outcome, nothing, tell_health, tell_unmatched};
use crate::rule_sets::rule_sets;
use crate::{output, progress};

/// Summarise what happened: findings of rules, charts and tables, in one HTML file
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount report monday.blg -o monday.html
  recount report web1.rcap -o web1.html --begin +5m --end +10m
  recount report tuesday.blg -o tuesday.html --view monday.view.toml
  recount report test.rcap --rules disk,./our-rules.toml --junit rules.xml --fail-on critical
  recount report monday.blg                               (only the findings, here)

The page is one file that needs nothing else: it can be mailed, and opens without a network. `recount rules list` shows the \
rule sets; all are used by default, and none with --rules none. Rules use English names, so names in other languages are \
translated; --names own keeps them.

The findings are also printed, unless an output is -; --quiet concerns notes on standard error only.

Exit codes: 0 done; 1 rules of the level of --fail-on fired, or parts of an input could not be read; 2 failed, or --fail-on was \
given and no rule could be checked.")]
pub(crate) struct Report {
    #[command(flatten)]
    inputs: Inputs,
    /// Page to write
    #[arg(long, short, value_name = "HTML")]
    output: Option<PathBuf>,
    /// Draw the charts of a view that was saved in `recount view` instead of the default charts, over the view's time span
    #[arg(long, value_name = "FILE", requires = "output")]
    view: Option<PathBuf>,
    /// Rule sets: names of those that come with recount, files of rules or threshold files of PAL, or none
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    rules: Vec<String>,
    /// Write the findings as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the findings as JUnit XML, for CI systems
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the findings as JSON
    #[arg(long, value_name = "FILE")]
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
    let has_stdout =
        output::check_put(outputs.into_iter().flatten(), &arguments.inputs.inputs, arguments.force)?;
    let captures = arguments.inputs.open_in_english()?;
    let options = ReportOptions { selection: arguments.counters.selection()?, ..ReportOptions::default() };
    let view = arguments.view.as_deref().map(view_file).transpose()?;
    let samples = arguments.samples.or_of(view.as_ref());
    let timeline = samples.of(&captures)?;
    let bar = progress::bar(&captures, quiet);
    let observed = report(&timeline, &sets, &options, &progress::steps(&bar))?;
    bar.finish_and_clear();
    if observed.num_series() == 0 {
        return Err(nothing(&timeline, &options.selection));
    }
    let files =
        arguments.inputs.inputs.iter().map(|input| output::file_name(input)).collect::<Vec<_>>().join(", ");
    let saved = view.as_ref().and_then(|view| view.view.title.as_deref());
    let title = arguments.title.as_deref().or(saved).unwrap_or(&files);
    write(arguments, &observed, title, view.as_ref(), &recount::access_of(&captures))?;
    tell_unmatched(&options.selection);
    tell_health(&timeline.name(), &observed.health);
    // What nobody has checked hasn't passed.
    if arguments.fail_on.is_some() && observed.num_evaluated() == 0 {
        anyhow::bail!("--fail-on has nothing to judge: {}", observed.checked_in_words());
    }
    if !has_stdout {
        output::print(&text(&observed))?;
    }
    let fails = arguments
        .fail_on
        .is_some_and(|level| observed.findings.iter().any(|finding| finding.severity >= level.severity()));
    Ok(if fails { Outcome::Findings } else { Outcome::of(&observed.health) })
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
        let fail_on = arguments.fail_on.map_or(Severity::Warning, Level::severity);
        put(path, &junit(observed, title, fail_on)?)?;
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&json(observed)).context("the report as JSON")?;
        put(path, &format!("{text}\n"))?;
    }
    Ok(())
}

/// The findings, for people.
fn text(observed: &Observed) -> String {
    let mut text = String::new();
    for finding in &observed.findings {
        let headline = output::clean(&observed.headline(finding));
        text.push_str(&format!("{:<8}  {headline}\n", finding.severity.as_str()));
        let stated = |time| observed.facts.stated(time);
        let when = format!("{} to {}", stated(finding.worst.begin), stated(finding.worst.end));
        let title = output::clean(&finding.title);
        text.push_str(&format!("          {title} ({}/{}), {when}\n", finding.set, finding.rule));
    }
    text.push_str(&format!("{}\n", observed.checked_in_words()));
    text
}
