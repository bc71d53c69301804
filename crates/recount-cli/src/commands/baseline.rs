//! `recount baseline`

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use recount::analysis::baseline::Baseline as Known;
use recount::{Capture, Health, Timeline, is_baseline, learn, read_baseline};

use crate::args::{Counters, ReadingOptions};
use crate::exit::{Outcome, outcome_of, report_note, report_unmatched};
use crate::{output, progress};

/// Learn what is usual for a machine, so that a report can say what isn't
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount baseline captures/ -o base.parquet
  recount report today.blg --baseline base.parquet
  recount baseline base.parquet yesterday.blg -o base.parquet --force    (adds a day)
  recount baseline web1.parquet web2.parquet -o web.parquet              (of two machines)

Of each counter, means of five minutes are counted by their size, over all and for each hour of the week. Captures of the same \
machine and time count once, so a day can be added again without harm. Processes and threads are left out, except their totals.")]
pub(crate) struct Baseline {
    /// Captures: files, directories of files, or - for standard input; and baselines to add them to
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Baseline to write
    #[arg(long, short, value_name = "PARQUET")]
    output: PathBuf,
    #[command(flatten)]
    counters: Counters,
    #[command(flatten)]
    reading: ReadingOptions,
    /// Replace a file that exists
    #[arg(long, short)]
    force: bool,
}

pub(crate) fn run(arguments: &Baseline, quiet: bool) -> anyhow::Result<Outcome> {
    let (old, new): (Vec<PathBuf>, Vec<PathBuf>) =
        arguments.inputs.iter().cloned().partition(|input| is_baseline(input));
    output::check_put([&arguments.output], &new, arguments.force)?;
    let mut known = Known::default();
    for path in &old {
        known.merge(read_baseline(path)?).with_context(|| path.display().to_string())?;
    }
    let selection = arguments.counters.selection()?;
    let captures: Vec<Capture> =
        if new.is_empty() { Vec::new() } else { arguments.reading.open_in_english(&new)? };
    let mut outcome = Outcome::Done;
    if !captures.is_empty() {
        let timeline = Timeline::whole(&captures)?;
        let bar = progress::bar(&captures, quiet);
        let (found, hours) = learn(&mut known, &timeline, &selection, &progress::steps(&bar))?;
        bar.finish_and_clear();
        outcome = outcome_of(&timeline.name(), Health::default(), found, true);
        if known.num_series() == 0 {
            bail!("nothing to learn: no counter has values for 2.5 of five minutes");
        }
        if hours <= 0.0 {
            report_note(
                "nothing is new: the baseline has these captures, or they are shorter than 2.5 minutes",
            );
        }
        report_unmatched(&selection, &captures);
    }
    let mut bytes = Vec::new();
    known.write(&mut bytes)?;
    output::put(&arguments.output, arguments.force, &recount::access_of(&captures), &bytes)?;
    if !quiet && !recount::is_stdio(&arguments.output) {
        output::print(&(text(&known, &output::file_name(&arguments.output)) + "\n"))?;
    }
    Ok(outcome)
}

fn text(known: &Known, name: &str) -> String {
    let (captures, samples) = known.counts();
    let hosts = known.hosts();
    let of = match hosts.as_slice() {
        [one] if one.is_empty() => String::new(),
        [one] => format!(" of {one}"),
        several => format!(" of {} machines", several.len()),
    };
    output::visible(&format!(
        "{name}: {} from {}{of}, {} hours, {}",
        output::plural(known.num_series() as u64, "counter"),
        output::plural(captures, "capture"),
        output::number((known.hours() * 10.0).round() / 10.0),
        output::plural(samples, "sample"),
    ))
}
