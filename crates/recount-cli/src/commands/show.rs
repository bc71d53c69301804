//! `recount show`

mod follow;

use clap::Args;
use recount::{SeriesSummary, show};

use crate::args::{Reading, Samples, selection};
use crate::exit::{NoCounters, Outcome, told};
use crate::{output, progress};

/// Show the newest value and the minimum, mean and maximum of every counter
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount show monday.blg
  recount show monday.blg '\\Processor(*)\\% Processor Time' --begin +5m --end +10m
  recount show monday.blg disk
  recount show -f web1.rcap '\\Processor(_Total)\\*'

The short form of stats: the mean is taken over time, each value counts as long as its interval.

With --follow, a terminal shows the table, drawn anew as samples come. Elsewhere every new value is a line: time in UTC, \
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
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &Show, quiet: bool) -> anyhow::Result<Outcome> {
    let selection = selection(&arguments.patterns)?;
    if arguments.follow {
        return follow::run(&arguments.file, arguments.samples.span_to_come(), selection, arguments.json);
    }
    let captures = arguments.reading.open(std::slice::from_ref(&arguments.file))?;
    let span = arguments.samples.span(&captures)?;
    let bar = progress::bar(&captures, quiet);
    let steps = progress::steps(&bar);
    let (series, found) = show(&captures, &span, &selection, &steps);
    bar.finish_and_clear();
    if series.is_empty() && !arguments.patterns.is_empty() {
        return Err(NoCounters.into());
    }
    if arguments.json {
        output::print_json(&series)?;
    } else {
        output::print(&table(&series))?;
    }
    let has_times = arguments.samples.has_times();
    Ok(told(&arguments.file.display().to_string(), &captures, found, has_times))
}

fn table(series: &[SeriesSummary]) -> String {
    let header = ["counter", "newest", "min", "mean", "max", "unit", "values", "missing"];
    let mut table = output::table(&header, &[1, 2, 3, 4, 6, 7]);
    for one in series {
        let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), output::number);
        let newest = one.newest.map_or_else(|| one.newest_status.to_owned(), output::number);
        table.add_row([
            output::clean(&one.path),
            newest,
            cell(one.min),
            cell(one.mean),
            cell(one.max),
            one.unit.clone(),
            one.num_values.to_string(),
            one.num_nulls.to_string(),
        ]);
    }
    format!("{}\n", table.trim_fmt())
}
