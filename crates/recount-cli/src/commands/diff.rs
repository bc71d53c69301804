//! `recount diff`

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use jiff::SignedDuration;
use recount::analysis::diff::{
    Breach, Difference, ToleranceSet, Verdict, diff_html, diff_json, diff_junit, diff_markdown,
    parse_tolerances,
};
use recount::{Capture, FindingKind, Span, TimeBound, Timeline, diff};
use recount_output::Access;

use crate::args::{Counters, Reading};
use crate::exit::{Outcome, tell_health, tell_losses, tell_unmatched};
use crate::rule_sets::mistakes;
use crate::table::Table;
use crate::{output, progress};

/// Compare two captures: what changed, by how much, and whether it may be chance
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount diff before.rcap after.rcap
  recount diff base.blg new.blg -c '\\Process(app)\\*' --html diff.html
  recount diff base.rcap new.rcap --align marker --rules tolerances.toml --markdown comment.md

Counters are compared if both captures have them under the same name (the machines' names don't matter). Consecutive samples \
are correlated, so means of long stretches are compared, not samples; formats/rules.md says how, and how tolerances are \
written.

Exit codes: 0 no regression; 1 a tolerance is exceeded (without --rules: a counter got clearly and much worse), or parts of \
an input could not be read; 2 failed.")]
pub(crate) struct Diff {
    /// The capture to compare with
    base: PathBuf,
    /// The capture to compare
    new: PathBuf,
    /// Where the two captures are aligned
    #[arg(long, value_enum, default_value = "start")]
    align: Align,
    /// The mark to align at, with --align marker [default: the first of each]
    #[arg(long, value_name = "TEXT")]
    mark: Option<String>,
    /// Files of tolerances
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    rules: Vec<PathBuf>,
    /// Page to write
    #[arg(long, short = 'o', value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the comparison as Markdown, for a pull request
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write it as JUnit XML, for CI systems
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write it as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    counters: Counters,
    #[command(flatten)]
    reading: Reading,
    /// Title of the page [default: names of the inputs]
    #[arg(long)]
    title: Option<String>,
    /// Replace outputs that exist
    #[arg(long, short)]
    force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Align {
    /// At their first samples
    Start,
    /// At a mark (recount mark)
    Marker,
}

pub(crate) fn run(arguments: &Diff, quiet: bool) -> anyhow::Result<Outcome> {
    if arguments.mark.is_some() && arguments.align != Align::Marker {
        bail!("--mark goes with --align marker");
    }
    let sets = arguments.rules.iter().map(|path| tolerances(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let outputs = [&arguments.html, &arguments.markdown, &arguments.junit, &arguments.json];
    let inputs = [arguments.base.clone(), arguments.new.clone()];
    let has_stdout = output::check_put(outputs.into_iter().flatten(), &inputs, arguments.force)?;
    let selection = arguments.counters.selection()?;
    let base = arguments.reading.open_in_english(std::slice::from_ref(&arguments.base))?;
    let new = arguments.reading.open_in_english(std::slice::from_ref(&arguments.new))?;
    let both: Vec<Capture> = base.iter().chain(&new).cloned().collect();
    let (base, new) = (arguments.aligned(&base)?, arguments.aligned(&new)?);
    let bar = progress::bar(&both, quiet);
    let difference = diff(&base, &new, &selection, &progress::steps(&bar))?;
    bar.finish_and_clear();
    if difference.changes.is_empty() {
        tell_losses(&base);
        tell_losses(&new);
        bail!("no counter has values in both captures");
    }
    let (mut breaches, mut notes) = (Vec::new(), Vec::new());
    for set in &sets {
        let (found, told) = set.check(&difference);
        breaches.extend(found);
        notes.extend(told);
    }
    arguments.write(&difference, &sets, (&breaches, &notes), &recount::access_of(&both))?;
    tell_unmatched(&selection);
    for (path, side) in [(&arguments.base, &difference.base), (&arguments.new, &difference.new)] {
        // Elapsed time counts from the first samples.
        tell_health(&path.display().to_string(), &side.health.clone().without(FindingKind::Time));
    }
    // With --quiet, outputs say it.
    if !has_stdout && (!quiet || outputs.iter().all(|output| output.is_none())) {
        output::print(&text(&difference, &breaches, &notes))?;
    }
    let is_worse =
        if sets.is_empty() { difference.count(Verdict::Regression) > 0 } else { !breaches.is_empty() };
    let is_whole = difference.base.health.is_complete() && difference.new.health.is_complete();
    Ok(if is_worse || !is_whole { Outcome::Findings } else { Outcome::Done })
}

fn tolerances(path: &Path) -> anyhow::Result<ToleranceSet> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| name.clone())?;
    parse_tolerances(&text).map_err(|faults| mistakes(&name, &faults))
}

impl Diff {
    /// The samples of captures from where they are aligned.
    fn aligned(&self, captures: &[Capture]) -> anyhow::Result<Timeline> {
        let whole = Timeline::whole(captures)?;
        if self.align == Align::Start {
            return Ok(whole);
        }
        let first = || whole.marks().into_iter().next().map(|mark| mark.text);
        let text = self.mark.clone().or_else(first);
        let text =
            text.with_context(|| format!("{}: has no marks (recount mark sets them)", whole.name()))?;
        let begin = TimeBound::Mark { text, offset: SignedDuration::ZERO };
        let span = Span { begin: Some(begin), ..Span::default() };
        whole.with_span(&span).with_context(|| whole.name())
    }

    fn write(
        &self,
        difference: &Difference,
        sets: &[ToleranceSet],
        (breaches, notes): (&[Breach], &[String]),
        access: &Access,
    ) -> anyhow::Result<()> {
        let title = format!("{} against {}", output::file_name(&self.new), output::file_name(&self.base));
        let title = self.title.as_deref().unwrap_or(&title);
        let put = |path: &Path, text: &str| output::put(path, self.force, access, text.as_bytes());
        if let Some(path) = &self.html {
            put(path, &diff_html(difference, breaches, notes, title)?)?;
        }
        if let Some(path) = &self.markdown {
            put(path, &diff_markdown(difference, breaches, notes, title))?;
        }
        if let Some(path) = &self.junit {
            put(path, &diff_junit(difference, sets, breaches, title)?)?;
        }
        if let Some(path) = &self.json {
            let text = serde_json::to_string_pretty(&diff_json(difference, breaches, notes))?;
            put(path, &format!("{text}\n"))?;
        }
        Ok(())
    }
}

/// What changed, for people.
fn text(difference: &Difference, breaches: &[Breach], notes: &[String]) -> String {
    const MAX_TOLD: usize = 20;
    let mut table =
        Table::new(["verdict", "counter", "mean", "", "p95", "", "p", "effect"], &[2, 3, 4, 5, 6, 7])
            .with_name(1);
    let notable: Vec<_> = difference.notable().collect();
    for change in notable.iter().take(MAX_TOLD) {
        table.add_row([
            change.verdict.as_str().to_owned(),
            output::clean(&format!("{}{}", change.path, change.alike())),
            output::number(change.mean.base),
            output::number(change.mean.new),
            output::number(change.p95.base),
            output::number(change.p95.new),
            change.probability.map_or_else(|| "-".to_owned(), |p| format!("{p:.4}")),
            format!("{:+.2}", change.effect),
        ]);
    }
    let mut text = if notable.is_empty() { String::new() } else { table.text() };
    if notable.len() > MAX_TOLD {
        text.push_str(&format!("... and {} more\n", notable.len() - MAX_TOLD));
    }
    for breach in breaches {
        let (severity, id) = (breach.severity.as_str(), &breach.tolerance);
        text.push_str(&format!("{severity}: {}/{id}: {}\n", breach.set, output::clean(&breach.text)));
    }
    for note in notes {
        text.push_str(&format!("note: {}\n", output::clean(note)));
    }
    if !breaches.is_empty() {
        // The verdicts know nothing of tolerances.
        text.push_str(&format!("{} beyond tolerance; without tolerances: ", breaches.len()));
    }
    let count = |verdict| difference.count(verdict);
    text.push_str(&format!(
        "{}, {}, {}, {} unsure, {} the same; {} series with values only in the base, {} only in the new capture\n",
        output::plural(count(Verdict::Regression) as u64, "regression"),
        output::plural(count(Verdict::Improvement) as u64, "improvement"),
        output::plural(count(Verdict::Change) as u64, "other change"),
        count(Verdict::Unsure),
        count(Verdict::Same),
        difference.num_only_base,
        difference.num_only_new
    ));
    text
}
