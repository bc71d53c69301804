//! `recount repair`

use std::path::PathBuf;

use clap::Args;
use recount::{RepairDone, RepairOptions, repair};

use super::pack::kib;
use crate::exit::Outcome;
use crate::output;

/// Repair a capture log: seal what a recorder left open, drop what is damaged, and write a new index
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount repair web1.rcap      (the damaged log is kept as web1.rcap.bak)
  recount repair web1.rcap -o mended.rcap      (web1.rcap stays as it is)

The repaired log is verified before it replaces the other. A sound log isn't changed. Nothing is made up: this command and \
recount info report what was dropped, by record and time. Logs that were not closed can be read without a repair.")]
pub(crate) struct Repair {
    /// Capture log
    file: PathBuf,
    /// Where to write the repaired log [default: in place of FILE, which is kept as FILE.bak]
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace OUT if it exists; repair in place even if the log was written to a moment ago
    #[arg(long, short)]
    force: bool,
}

pub(crate) fn run(arguments: &Repair, quiet: bool) -> anyhow::Result<Outcome> {
    let mut options = RepairOptions::default();
    options.output.clone_from(&arguments.output);
    options.force = arguments.force;
    let report = repair(&arguments.file, &options)?;
    let Some(done) = &report.done else {
        if !quiet {
            let nothing = match report.num_marks {
                0 if arguments.output.is_some() => "nothing was written".to_owned(),
                0 => "nothing was changed".to_owned(),
                num => format!("added {} that waited next to it", output::plural(num, "mark")),
            };
            let text = format!("{}: sound and closed; {nothing}", arguments.file.display());
            output::print(&(output::visible(&text) + "\n"))?;
        }
        return Ok(Outcome::Done);
    };
    if !quiet {
        output::print(&text(done, report.num_marks))?;
    }
    Ok(if done.repaired.dropped.is_empty() { Outcome::Done } else { Outcome::Findings })
}

fn text(done: &RepairDone, num_marks: usize) -> String {
    let repaired = &done.repaired;
    let mut lines = vec![format!(
        "{}: {} records, {} KiB (before: {} KiB)",
        done.path.display(),
        repaired.num_records,
        kib(repaired.len_file as f64),
        kib(done.len_before as f64)
    )];
    if repaired.num_sealed > 0 {
        lines.push(format!("  sealed: {} unsealed records", repaired.num_sealed));
    }
    if num_marks > 0 {
        let marks = output::plural(num_marks, "mark");
        lines.push(format!("  marks: added {marks} that waited next to the log"));
    }
    if !done.was_closed {
        lines.push("  closed: it had no valid index".to_owned());
    }
    lines.extend(repaired.dropped.iter().map(|dropped| format!("  dropped: {dropped}")));
    if let Some(backup) = &done.backup {
        lines.push(format!("  the log as it was: {}", backup.display()));
    }
    lines.iter().map(|line| output::visible(line) + "\n").collect()
}
