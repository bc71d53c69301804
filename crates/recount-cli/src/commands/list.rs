//! `recount list`

use std::path::Path;

use clap::Args;
use recount::{Capture, list};

use crate::args::{Json, ReadingOptions, selection};
use crate::exit::{Outcome, no_counters, outcome_of, report_unmatched};
#[cfg(feature = "remote")]
use crate::mistake::mistake;
use crate::output;
use crate::table::Table;

/// List counter paths with type and unit
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount list monday.blg
  recount list monday.blg '\\Process(svc*)\\*'
  recount list monday.blg 'disk'

Counters may be named as in the capture, or as Windows names them in English, as reports do.")]
pub(crate) struct List {
    /// Capture: a file, a directory of files, or - for standard input
    #[cfg(not(feature = "remote"))]
    file: std::path::PathBuf,
    /// Capture: a file, a directory of files, or - for standard input
    #[cfg(feature = "remote")]
    #[arg(required_unless_present = "host")]
    file: Option<std::path::PathBuf>,
    /// Path with wildcards, or any part of a path
    patterns: Vec<String>,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    reading: ReadingOptions,
    #[cfg(feature = "remote")]
    #[command(flatten)]
    remote: crate::remote::Remote,
}

pub(crate) fn run(arguments: &List) -> anyhow::Result<Outcome> {
    let Input { name, captures, patterns } = input(arguments)?;
    let selection = selection(&patterns)?;
    let listed = |captures: &[Capture]| Ok(list(captures, &selection));
    let ((entries, found), captures) =
        arguments.reading.answered(captures, listed, |(entries, _)| entries.is_empty())?;
    if entries.is_empty() && !patterns.is_empty() {
        return Err(no_counters(&selection, &captures).into());
    }
    if arguments.json.json {
        output::print_json(&entries)?;
    } else {
        let mut table = Table::new(["path", "type", "unit"], &[]);
        for entry in &entries {
            table.add_row([output::visible(&entry.path), entry.type_name.clone(), entry.unit.clone()]);
        }
        output::print(&table.text())?;
    }
    report_unmatched(&selection, &captures);
    let opened = captures.iter().map(Capture::health).collect();
    Ok(outcome_of(&name, opened, found, false))
}

/// What is listed.
struct Input {
    name: String,
    captures: Vec<Capture>,
    patterns: Vec<String>,
}

#[cfg(feature = "remote")]
fn input(arguments: &List) -> anyhow::Result<Input> {
    let mut patterns = arguments.patterns.clone();
    if let Some(options) = arguments.remote.options()? {
        if arguments.reading.is_set() {
            mistake!(
                "--host can't be combined with --names, --encoding or --zone: the machine names its own counters"
            );
        }
        // Without a file, the first argument is a pattern.
        patterns.splice(0..0, arguments.file.iter().map(|file| file.to_string_lossy().into_owned()));
        let captures = vec![recount::browse(&options)?];
        return Ok(Input { name: options.host.to_string(), captures, patterns });
    }
    let Some(file) = &arguments.file else { mistake!("no capture to list") };
    of_file(arguments, file)
}

#[cfg(not(feature = "remote"))]
fn input(arguments: &List) -> anyhow::Result<Input> {
    of_file(arguments, &arguments.file)
}

fn of_file(arguments: &List, file: &Path) -> anyhow::Result<Input> {
    let captures = arguments.reading.open(&[file.to_path_buf()])?;
    Ok(Input { name: file.display().to_string(), captures, patterns: arguments.patterns.clone() })
}
