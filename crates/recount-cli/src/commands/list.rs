//! `recount list`

use clap::Args;
use recount::list;

use crate::args::{Reading, selection};
use crate::exit::{NoCounters, Outcome, told};
use crate::output;

/// List counter paths with type and unit
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount list monday.blg
  recount list monday.blg '\\Process(svc*)\\*'
  recount list monday.blg 'disk'")]
pub(crate) struct List {
    /// Capture: a file, a directory of files, or - for standard input
    file: std::path::PathBuf,
    /// Path with wildcards, or any part of a path
    patterns: Vec<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &List) -> anyhow::Result<Outcome> {
    let selection = selection(&arguments.patterns)?;
    let captures = arguments.reading.open(std::slice::from_ref(&arguments.file))?;
    let (entries, found) = list(&captures, &selection);
    if entries.is_empty() && !arguments.patterns.is_empty() {
        return Err(NoCounters.into());
    }
    if arguments.json {
        output::print_json(&entries)?;
    } else {
        let mut table = output::table(&["path", "type", "unit"], &[]);
        for entry in &entries {
            table.add_row([output::clean(&entry.path), entry.type_name.clone(), entry.unit.clone()]);
        }
        output::print(&format!("{}\n", table.trim_fmt()))?;
    }
    Ok(told(&arguments.file.display().to_string(), &captures, found, false))
}
