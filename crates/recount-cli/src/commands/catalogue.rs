//! `recount catalogue`

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use recount::{CaptureRow, Catalogue as Made, catalogue};

use crate::exit::{Outcome, report_unread};
use crate::output::{self, plural};
use crate::progress;

/// List captures in a Parquet file, a row per file, and bring it up to date: only what changed is opened
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount catalogue captures/ -o catalogue.parquet
  recount catalogue web1/ web2/ monday.blg -o catalogue.parquet

A row has path, size, format, host, first and last sample, objects and health; a file that can't be read is a row with the \
reason. Directories are walked. Rows of files with the same size and modification time are kept; rows of deleted files are \
removed. The columns: formats/catalogue.md.

The exit code is 1 if something of a capture could not be read; files of other kinds don't change it.")]
pub(crate) struct Catalogue {
    /// Captures, and directories of them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The catalogue: a Parquet file, which is brought up to date if it exists
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Read every capture, and replace FILE even if it isn't a catalogue
    #[arg(long, short)]
    force: bool,
}

pub(crate) fn run(arguments: &Catalogue, quiet: bool) -> anyhow::Result<Outcome> {
    let Catalogue { paths, output, force } = arguments;
    let line = progress::line(quiet);
    let made = catalogue(paths, output, *force, &|step| {
        line.set_message(format!("{} of {} read", step.num_read, plural(step.num_all, "file")));
        ControlFlow::Continue(())
    });
    line.finish_and_clear();
    let made = made?;
    let read = made.read.iter().filter_map(|at| made.rows.get(*at));
    let unread = read.filter(|row| is_capture(row) && !row.is_complete);
    report_unread(unread.map(|row| (row.path.as_str(), row.health.as_deref().unwrap_or_default())));
    if !quiet {
        output::print(&output::visible(&text(&made, &output.display().to_string())))?;
        output::print("\n")?;
    }
    let is_complete = made.rows.iter().all(|row| row.is_complete || !is_capture(row));
    Ok(if is_complete { Outcome::Done } else { Outcome::Findings })
}

/// Whether a row is one of a capture, or may be: the system refused to open it.
fn is_capture(row: &CaptureRow) -> bool {
    row.format.is_some() || row.modified.is_none()
}

fn text(made: &Made, path: &str) -> String {
    let num_captures = made.rows.iter().filter(|row| is_capture(row)).count();
    let num_broken = made.rows.iter().filter(|row| is_capture(row) && row.samples.is_none()).count();
    let (num_read, num_others) = (made.read.len(), made.rows.len() - num_captures);
    let mut text = format!("{path}: {}", plural(num_captures, "capture"));
    if num_others > 0 {
        text.push_str(&format!(", {}", plural(num_others, "other file")));
    }
    text.push_str(&format!(": {num_read} read, {} unchanged", made.rows.len() - num_read));
    let mut add = |num: usize, what: &str| {
        if num > 0 {
            text.push_str(&format!(", {num} {what}"));
        }
    };
    add(made.num_gone, "gone");
    add(num_broken, "can't be read");
    text
}
