//! `recount mark`

use std::path::PathBuf;

use clap::Args;
use recount::{Marked, TimeBound, mark};

use crate::args::time_bound;
use crate::exit::Outcome;
use crate::output;

/// Mark a time in a capture log, finished or being recorded: a deployment, the beginning of a test
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount mark web1.rcap 'deploy v42'
  recount mark monday.rcap 'disk full' --at 2013-02-20T02:55:00Z
  recount mark monday.rcap 'warm' --at 'mark+5m:deploy v42'
  recount show web1.rcap cpu --begin 'mark:deploy v42' --end 'mark+10m:deploy v42'

If logs rotate, the mark goes to the one that is being written. While a log is being recorded, the mark waits next to it, in \
FILE.marks, until the next sample is taken; commands that read the log see it at once. If the recorder was killed, \
recount repair adds it to the log. Samples are never changed.")]
pub(crate) struct Mark {
    /// Capture log, or the name of a series of logs (web1.rcap for web1-20261121T101500Z.rcap)
    file: PathBuf,
    /// What to mark the time as; shown on charts and by recount info
    text: String,
    /// The time to mark, in the forms of --begin [default: now]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time_bound)]
    at: Option<TimeBound>,
}

pub(crate) fn run(arguments: &Mark, quiet: bool) -> anyhow::Result<Outcome> {
    let marked = mark(&arguments.file, &arguments.text, arguments.at.as_ref())?;
    if !quiet {
        output::print(&text(&marked))?;
    }
    Ok(Outcome::Done)
}

fn text(marked: &Marked) -> String {
    let mut lines =
        vec![format!("{}: {} is marked: {}", marked.path.display(), marked.mark.time, marked.mark.text)];
    if let Some(directory) = &marked.waits_in {
        lines.push(format!(
            "  the log is still open: the mark is kept in {} until the recorder adds it; other commands already see it",
            directory.display()
        ));
    }
    let outside = marked.samples.and_then(|(first, last)| {
        let seconds = |later: recount::Timestamp, earlier| output::number(later.seconds_since(earlier));
        if marked.mark.time < first {
            Some(format!("{} s before the first sample", seconds(first, marked.mark.time)))
        } else if marked.mark.time > last && marked.waits_in.is_none() {
            Some(format!("{} s after the last sample", seconds(marked.mark.time, last)))
        } else {
            None
        }
    });
    lines.extend(outside.map(|outside| format!("  this is {outside}; use --at to choose another time")));
    lines.iter().map(|line| output::visible(line) + "\n").collect()
}
