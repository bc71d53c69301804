//! `recount show`

mod follow;

use clap::Args;
use std::io::IsTerminal;

use ratatui::crossterm::terminal;
use recount::{Capture, SeriesSummary, Status};

use crate::args::{Json, ReadingOptions, Samples, selection};
use crate::exit::{Outcome, nothing, outcome_of, report_hidden, report_shared, report_unmatched};
use crate::series_label::series_labels;
use crate::table::{Amounts, Table, width_of};
use crate::{output, progress, sparkline};

/// Show the newest value and the minimum, mean and maximum of every counter
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount show monday.blg
  recount show monday.blg '\\Processor(*)\\% Processor Time' --begin +5m --end +10m
  recount show monday.blg disk
  recount show -f web1.rcap '\\Processor(_Total)\\*'

The short form of stats: the mean is taken over time, each value counts as long as its interval, and the first one as long as an interval usually is. \
A value across a gap, in which nobody sampled, counts nothing.

Counters may be named as in the capture, or as Windows names them in English, as reports do.

A terminal that is wide enough also shows each counter over time, the largest value of each part of it as a block: ▁▂▃▄▅▆▇█.

With --follow, a terminal shows the table, redrawn as samples arrive. Elsewhere every new value is a line: time in UTC, \
path, value (or why there is none) and unit, with tabs between; with --json an object per line.")]
pub(crate) struct Show {
    /// Capture: a file, a directory of files, or - for standard input
    file: std::path::PathBuf,
    /// Path with wildcards, or any part of a path
    patterns: Vec<String>,
    #[command(flatten)]
    samples: Samples,
    /// Show a capture log while it is being recorded, until it is closed or Ctrl-C
    #[arg(long, short, conflicts_with_all = ["end", "names"])]
    follow: bool,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    reading: ReadingOptions,
}

pub(crate) fn run(arguments: &Show, quiet: bool) -> anyhow::Result<Outcome> {
    let selection = selection(&arguments.patterns)?;
    if arguments.follow {
        return follow::run(&arguments.file, arguments.samples.span(), &selection, arguments.json.json);
    }
    let has_room = !arguments.json.json && is_for_sparklines();
    let num_parts = if has_room { SPARKLINE_WIDTHS[0] } else { 0 };
    let read = |captures: &[Capture]| {
        let timeline = arguments.samples.of(captures)?;
        let bar = progress::bar(captures, quiet);
        let found = recount::show(&timeline, &selection, num_parts, &progress::steps(&bar))?;
        bar.finish_and_clear();
        Ok((timeline, found.0, found.1))
    };
    let captures = arguments.reading.open(std::slice::from_ref(&arguments.file))?;
    let has_none = |(_, series, _): &(_, Vec<SeriesSummary>, _)| series.is_empty();
    let ((timeline, series, found), captures) = arguments.reading.answered(captures, read, has_none)?;
    if series.is_empty() {
        return Err(nothing(&timeline, &selection));
    }
    if arguments.json.json {
        output::print_json(&series)?;
    } else {
        output::print(&table_with_sparklines(&series))?;
    }
    report_unmatched(&selection, &captures);
    report_shared(series.iter().filter(|one| one.is_shared).map(|one| instance_path(&one.path)));
    report_hidden(series.iter().filter(|one| one.num_hidden > 0).map(|one| (&*one.path, one.num_hidden)));
    let has_times = arguments.samples.has_times();
    Ok(outcome_of(&arguments.file.display().to_string(), timeline.health(), found, has_times))
}

/// The path of a series without its counter.
fn instance_path(path: &str) -> String {
    path.rsplit_once(r")\").map_or_else(|| path.to_owned(), |(instance, _)| format!("{instance})"))
}

/// Columns that a sparkline takes, the widest first.
const SPARKLINE_WIDTHS: [usize; 2] = [32, 16];

/// Whether standard output is a terminal that may show sparklines.
fn is_for_sparklines() -> bool {
    std::io::stdout().is_terminal() && sparkline::is_utf8_locale()
}

/// The table, with as wide a sparkline as the terminal has room for.
fn table_with_sparklines(series: &[SeriesSummary]) -> String {
    let plain = table(series);
    let used = plain.lines().map(width_of).max().unwrap_or(0);
    let has_parts = series.iter().any(|one| !one.parts.is_empty());
    let Some(room) = terminal::size().ok().filter(|_| has_parts) else { return plain };
    let fits = |width: &&usize| used + 2 + **width <= usize::from(room.0);
    let Some(width) = SPARKLINE_WIDTHS.iter().find(fits) else { return plain };
    let mut lines = plain.lines();
    let mut text = format!("{:used$}  over time\n", lines.next().unwrap_or_default());
    for (line, one) in lines.zip(series) {
        let blocks = sparkline::blocks(&sparkline::thinned(&one.parts, *width), true);
        let padding = " ".repeat(used - width_of(line));
        text.push_str(format!("{line}{padding}  {blocks}").trim_end());
        text.push('\n');
    }
    text
}

fn table(series: &[SeriesSummary]) -> String {
    let header = ["counter", "newest", "min", "mean", "max", "unit", "values", "missing"];
    let mut table = Table::new(header, &[1, 2, 3, 4, 6, 7]).with_optional(&["missing", "values", "min"]);
    let labels = series_labels(series.iter().map(|one| (one.path.clone(), one.instance_id)));
    let described = |one: &SeriesSummary| one.described.as_deref().map(|who| format!(": {who}"));
    for (one, label) in series.iter().zip(labels) {
        let label = described(one).map_or(label.clone(), |who| format!("{}{who}", one.path));
        let counter = one.path.rsplit('\\').next().unwrap_or_default();
        let amounts = Amounts::of(counter, &one.unit);
        let number = |value: f64| amounts.cell(value, |value| output::styled_number(value, one.style));
        let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
        let why = || one.newest_text.as_deref().map_or_else(|| one.newest_status.to_owned(), output::visible);
        let is_hidden = one.newest_status == Status::HidesFall.as_str();
        let mark = if is_hidden { " (hides-fall)" } else { "" };
        let newest = one.newest.map_or_else(why, |value| format!("{}{mark}", number(value)));
        table.add_row([
            output::visible(&label),
            newest,
            cell(one.min),
            cell(one.mean),
            cell(one.max),
            amounts.unit(),
            one.num_values.to_string(),
            one.num_nulls.to_string(),
        ]);
    }
    table.text()
}
