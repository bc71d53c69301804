//! `recount diff`

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use jiff::SignedDuration;
use recount::analysis::diff::{
    Breach, Difference, Tolerance, ToleranceSet, Unjudged, Verdict, WhyUnjudged, diff_html, diff_json,
    diff_junit, diff_markdown, tolerances_kept,
};
use recount::{
    Cancelled, Capture, CounterPath, FindingKind, Health, Hinted, Selection, Span, TimeBound, Timeline, diff,
};
use recount_output::Access;

use super::report::check_page;
use crate::args::{Counters, ReadingOptions, span_bound};
use crate::exit::{Outcome, no_samples, report_health, report_losses, report_unmatched};
use crate::mistake::mistake;
use crate::paragraph::{room, room_of_errors, wrapped};
use crate::rule_sets::tolerance_set;
use crate::table::{Amounts, Table};
use crate::{output, progress};

/// Compare two captures or more, or two spans of one: what changed, by how much, and whether it may be chance
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount diff before.rcap after.rcap
  recount diff base.blg new.blg -c '\\Process(app)\\*' --html diff.html
  recount diff base.rcap new.rcap --align marker --rules tolerances.toml --markdown comment.md
  recount diff monday.blg --base 13:00..14:00 --new 14:00..14:10
  recount diff monday.rcap --base mark:v41..mark:v42 --new mark:v42..
  recount diff monday.blg tuesday.blg --base 09:00..10:00 --new 09:00..10:00
  recount diff run1.rcap run2.rcap run3.rcap new.rcap

With more than two captures, the last is the new one and the others are bases. Each is compared with the new one, and a counter has the mildest of \
the verdicts: what differs between the bases, too, is no change. The numbers are those of the first base.

Counters are compared if a base and the new capture have them under the same name (the machines' names don't matter). Programs that only one of \
the two has are named if they used at least 1 % of a processor. Consecutive samples \
are correlated, so means of long stretches are compared, not samples; formats/rules.md says how, and how tolerances are \
written.

Exit codes: 0 no regression; 1 a regression: a tolerance is exceeded (without --rules: a counter got clearly and much worse); 2 \
failed, or there is a tolerance for counters that the captures lack; 3 no regression, but parts of an input could not be read.")]
pub(crate) struct Diff {
    /// One base or more, and then the new capture; one capture alone if two of its spans are compared
    #[arg(value_name = "CAPTURE", required = true)]
    captures: Vec<PathBuf>,
    /// Compare this span of the base, or of each base: two times with .. between them (13:00..14:00, mark:a..mark:b, +5m..)
    #[arg(long = "base", value_name = "A..B", allow_hyphen_values = true, value_parser = span_bound, conflicts_with = "align")]
    base_span: Option<Span>,
    /// Compare this span of the new capture
    #[arg(long = "new", value_name = "A..B", allow_hyphen_values = true, value_parser = span_bound, conflicts_with = "align")]
    new_span: Option<Span>,
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
    /// As JSON (formats/json/README.md) instead of text, and errors as JSON on standard error; --json=FILE writes it to a file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
    #[command(flatten)]
    counters: Counters,
    #[command(flatten)]
    reading: ReadingOptions,
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
        mistake!("--mark goes with --align marker");
    }
    arguments.html.as_deref().map_or(Ok(()), check_page)?;
    let (base_paths, new_path) = arguments.paths()?;
    let sets = arguments.rules.iter().map(|path| tolerance_set(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let outputs = [&arguments.html, &arguments.markdown, &arguments.junit, &arguments.json];
    let has_stdout = output::check_put(outputs.into_iter().flatten(), &arguments.captures, arguments.force)?;
    let selection = arguments.counters.selection()?;
    let open = |path: &PathBuf| arguments.reading.open_in_english(std::slice::from_ref(path));
    let bases = base_paths.iter().map(open).collect::<anyhow::Result<Vec<_>>>()?;
    let new = new_path.map_or_else(|| Ok(bases[0].clone()), open)?;
    // The new one is read for each base.
    let of_new = bases.iter().flat_map(|_| &new);
    let all: Vec<Capture> = bases.iter().flatten().chain(of_new).cloned().collect();
    let bases = bases.iter().map(|base| arguments.side(base, "--base", arguments.base_span.as_ref()));
    let bases = bases.collect::<anyhow::Result<Vec<_>>>()?;
    let new = arguments.side(&new, "--new", arguments.new_span.as_ref())?;
    if new_path.is_none() && overlap(&bases[0], &new) {
        mistake!("--base and --new overlap: a time can't be compared with itself");
    }
    let bar = progress::bar(&all, quiet);
    let compared = compare(&bases, &new, &selection, &bar)?;
    bar.finish_and_clear();
    let (difference, healths) = match compared {
        Ok(compared) => compared,
        Err(number) => {
            for side in [&bases[number], &new] {
                report_losses(side);
            }
            let nothing = nothing_in_common(base_paths, number, new_path);
            return Err(hint_of_machines(&nothing, [&bases[number], &new]).map_or(nothing, Into::into));
        }
    };
    let (mut breaches, mut notes) = (Vec::new(), Vec::new());
    let mut not_judged = None;
    for (set, path) in sets.iter().zip(&arguments.rules) {
        if let Some((tolerance, counter)) = set.first_mismatch(&difference) {
            return Err(mismatch(path, tolerance, counter).into());
        }
        let unjudged = set.unjudged(&difference);
        if !unjudged.is_empty() && not_judged.is_none() {
            not_judged = Some(not_checked(path, &unjudged));
        }
        let (found, set_notes) = set.check(&difference);
        breaches.extend(found);
        notes.extend(set_notes);
    }
    arguments.write(&difference, &sets, (&breaches, &notes), &recount::access_of(&all))?;
    report_unmatched(&selection, &all);
    let of_new = new_path.map(|path| (path, &difference.new.health));
    for (path, health) in base_paths.iter().zip(&healths).chain(of_new) {
        // Elapsed time counts from the first samples.
        report_health(&path.display().to_string(), &health.clone().without(FindingKind::Time));
    }
    // A local time of a span may not be the moment that was meant.
    if !quiet && (arguments.base_span.is_some() || arguments.new_span.is_some()) {
        let notes = bases.iter().chain([&new]).flat_map(|side| side.notes().findings());
        let mut doubts: Vec<&str> =
            notes.filter(|note| note.kind == FindingKind::Time).map(|note| &*note.what).collect();
        doubts.dedup();
        for doubt in doubts {
            output::message(&wrapped(&output::visible(doubt), ["note: ", "  "], room_of_errors()));
        }
    }
    // With --quiet, outputs say it.
    if !has_stdout && (!quiet || outputs.iter().all(|output| output.is_none())) {
        let sides = if new_path.is_some() { "capture" } else { "span" };
        output::print(&text(&difference, &sets, (&breaches, &notes), sides))?;
    }
    // What nobody has checked hasn't passed.
    if let Some(error) = not_judged {
        return Err(error.into());
    }
    let is_worse =
        if sets.is_empty() { difference.count(Verdict::Regression) > 0 } else { !breaches.is_empty() };
    let is_whole = healths.iter().chain([&difference.new.health]).all(Health::is_complete);
    Ok(Outcome::judged(is_worse, is_whole))
}

/// What changed from all bases, and what could not be read of each; or the number of one that has no counter of the new capture.
fn compare(
    bases: &[Timeline],
    new: &Timeline,
    selection: &Selection,
    bar: &ProgressBar,
) -> Result<Result<(Difference, Vec<Health>), usize>, Cancelled> {
    let mut difference = diff(&bases[0], new, selection, &progress::steps(bar))?;
    let mut healths = vec![difference.base.health.clone()];
    if difference.changes.is_empty() {
        return Ok(Err(0));
    }
    for (number, base) in bases.iter().enumerate().skip(1) {
        let other = diff(base, new, selection, &progress::steps(bar))?;
        if other.changes.is_empty() {
            return Ok(Err(number));
        }
        healths.push(other.base.health.clone());
        difference.add_base(other);
    }
    Ok(Ok((difference, healths)))
}

/// `number`: the base that has nothing.
fn nothing_in_common(bases: &[PathBuf], number: usize, new: Option<&PathBuf>) -> anyhow::Error {
    match (bases, new) {
        (_, None) => anyhow!("no counter has values in both spans"),
        ([_], Some(_)) => anyhow!("no counter has values in both captures"),
        (_, Some(new)) => {
            anyhow!("no counter has values in both {} and {}", bases[number].display(), new.display())
        }
    }
}

/// The machine is in the paths of a capture of several.
fn hint_of_machines(error: &anyhow::Error, sides: [&Timeline; 2]) -> Option<Hinted> {
    let [base, new] = sides.map(Timeline::hosts);
    let (several, side) = match (base.len(), new.len()) {
        (2.., ..2) => (base, "base"),
        (..2, 2..) => (new, "new one"),
        _ => return None,
    };
    let names = several.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Some(Hinted {
        text: format!("{error}: the {side} has several machines ({names})"),
        hint: "take one out first: recount convert CAPTURE -c '\\\\MACHINE\\*' -o machine.parquet",
    })
}

/// Whether two parts of a capture have a time in common; where one ends, the other may begin.
fn overlap(one: &Timeline, other: &Timeline) -> bool {
    let ends = |part: &Timeline| {
        part.times().first().zip(part.times().last()).map(|(first, last)| (first.utc, last.utc))
    };
    let both = ends(one).zip(ends(other));
    both.is_some_and(|((first, last), (other_first, other_last))| first < other_last && other_first < last)
}

/// Some tolerances can't be judged; all that are named have the first one's reason.
fn not_checked(file: &Path, unjudged: &[Unjudged<'_>]) -> Hinted {
    const MAX_NAMED: usize = 4;
    let why = unjudged.first().map_or(WhyUnjudged::NoCounter, |first| first.why);
    let alike: Vec<&Tolerance> =
        unjudged.iter().filter(|other| other.why == why).map(|other| other.tolerance).collect();
    let named = |tolerance: &&Tolerance| format!("{} ({})", tolerance.id, tolerance.path);
    let mut named: Vec<String> = alike.iter().take(MAX_NAMED).map(named).collect();
    if let num_more @ 1.. = alike.len().saturating_sub(MAX_NAMED) {
        named.push(format!("and {num_more} more"));
    }
    Hinted {
        text: format!("{}: {} for {}", file.display(), why.text(), named.join(", ")),
        hint: match why {
            WhyUnjudged::NoCounter => {
                "correct the path of the tolerance; if its counters may be absent, say so there: optional = true"
            }
            WhyUnjudged::FewValues => "record for longer, or more often",
        },
    }
}

/// The amount of a tolerance isn't one of a counter.
fn mismatch(file: &Path, tolerance: &Tolerance, counter: &CounterPath) -> Hinted {
    Hinted {
        text: format!(
            "{}: {}: its amounts and {counter} are in different units, or the counter's unit isn't known",
            file.display(),
            tolerance.id
        ),
        hint: "write the number without a unit, in the counter's own",
    }
}

impl Diff {
    /// The bases, and the new capture; `None` if two spans of one are compared.
    fn paths(&self) -> anyhow::Result<(&[PathBuf], Option<&PathBuf>)> {
        match self.captures.as_slice() {
            [bases @ .., new] if !bases.is_empty() => Ok((bases, Some(new))),
            only if self.base_span.is_some() && self.new_span.is_some() => Ok((only, None)),
            _ => bail!(
                "one capture is compared with itself by two spans: --base 13:00..14:00 --new 14:00..14:10; or name a second capture"
            ),
        }
    }

    /// The samples of a side.
    fn side(&self, captures: &[Capture], option: &str, span: Option<&Span>) -> anyhow::Result<Timeline> {
        let Some(span) = span else { return self.aligned(captures) };
        let timeline = Timeline::of(captures, span).with_context(|| option.to_owned())?;
        match timeline.no_samples() {
            Some(error) => Err(no_samples(&timeline, error).context(option.to_owned())),
            None => Ok(timeline),
        }
    }

    /// The name of a side.
    fn side_name(path: &Path, span: Option<&Span>) -> String {
        let name = output::file_name(path);
        match span {
            Some(span) => format!("{name} {span}"),
            None => name,
        }
    }

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
        let aligned = whole.with_span(&span).with_context(|| whole.name())?;
        match aligned.no_samples() {
            Some(error) => Err(no_samples(&aligned, error).context(whole.name())),
            None => Ok(aligned),
        }
    }

    fn write(
        &self,
        difference: &Difference,
        sets: &[ToleranceSet],
        (breaches, notes): (&[Breach], &[String]),
        access: &Access,
    ) -> anyhow::Result<()> {
        let (bases, new) = self.paths()?;
        let new = Diff::side_name(new.unwrap_or(&bases[0]), self.new_span.as_ref());
        let bases = bases.iter().map(|base| Diff::side_name(base, self.base_span.as_ref()));
        let title = format!("{new} against {}", bases.collect::<Vec<_>>().join(", "));
        let title = self.title.as_deref().unwrap_or(&title);
        let put = |path: &Path, text: &str| output::put(path, self.force, access, text.as_bytes());
        if let Some(path) = &self.html {
            put(path, &diff_html(difference, breaches, notes, title)?)?;
        }
        if let Some(path) = &self.markdown {
            put(path, &diff_markdown(difference, sets, (breaches, notes), title))?;
        }
        if let Some(path) = &self.junit {
            put(path, &diff_junit(difference, sets, (breaches, notes), title)?)?;
        }
        if let Some(path) = &self.json {
            put(path, &output::json_line(&diff_json(difference, breaches, notes))?)?;
        }
        Ok(())
    }
}

/// Four digits.
fn shown_probability(p: f64) -> String {
    const LEAST: f64 = 1e-4;
    if p < LEAST { format!("<{LEAST}") } else { format!("{p:.4}") }
}

/// What changed, for people.
fn text(
    difference: &Difference,
    sets: &[ToleranceSet],
    (breaches, notes): (&[Breach], &[String]),
    sides: &str,
) -> String {
    const MAX_REPORTED: usize = 20;
    let mut table = Table::new(
        ["verdict", "counter", "mean", "new mean", "change", "p95", "new p95", "p", "effect"],
        &[2, 3, 4, 5, 6, 7, 8],
    )
    .with_name(1)
    .with_optional(&["effect", "p", "new p95", "p95"]);
    let notable: Vec<_> = difference.notable().collect();
    for change in notable.iter().take(MAX_REPORTED) {
        let amounts = Amounts::of(&change.path.counter, change.unit);
        let number = |value: f64| amounts.cell(value, output::number);
        table.add_row([
            change.verdict.as_str().to_owned(),
            output::visible(&format!("{}{}", change.path, change.alike())),
            number(change.mean.base),
            number(change.mean.new),
            change.mean.relative().map_or_else(|| "-".to_owned(), |share| format!("{:+.1} %", 100.0 * share)),
            number(change.p95.base),
            number(change.p95.new),
            change.probability.map_or_else(|| "-".to_owned(), shown_probability),
            format!("{:+.2}", change.effect),
        ]);
    }
    let mut text = if notable.is_empty() { String::new() } else { table.text() };
    if notable.len() > MAX_REPORTED {
        text.push_str(&format!("... and {} more\n", notable.len() - MAX_REPORTED));
    }
    for breach in breaches {
        let (severity, id) = (breach.severity.as_str(), &breach.tolerance);
        let first = format!("{severity}: ");
        let said = format!("{}/{id}: {}", breach.set, output::visible(&breach.text));
        text.push_str(&wrapped(&said, [&first, "  "], room()));
    }
    let of_further_bases = difference.of_further_bases();
    for note in
        difference.machines().iter().chain(&of_further_bases).chain(&difference.programs()).chain(notes)
    {
        text.push_str(&wrapped(&output::visible(note), ["note: ", "  "], room()));
    }
    // The verdicts know nothing of tolerances.
    let beyond = tolerances_kept(difference, sets, breaches)
        .map_or_else(String::new, |kept| format!("{kept}; without tolerances: "));
    let count = |verdict| difference.count(verdict);
    let sums = format!(
        "{beyond}{}, {}, {}, {} unsure{}, {} the same; {} series with values only in the base, {} only in the new {sides}",
        output::plural(count(Verdict::Regression) as u64, "regression"),
        output::plural(count(Verdict::Improvement) as u64, "improvement"),
        output::plural(count(Verdict::Change) as u64, "other change"),
        count(Verdict::Unsure),
        match difference.num_with_few_values() {
            0 => String::new(),
            num => format!(" ({num} with too few values)"),
        },
        count(Verdict::Same),
        difference.num_only_base,
        difference.num_only_new
    );
    text.push_str(&wrapped(&sums, ["", ""], room()));
    text
}
