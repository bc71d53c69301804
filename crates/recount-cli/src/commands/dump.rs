//! `recount dump`

use std::path::PathBuf;

use clap::Args;
use recount::{Outline, dump};

use crate::exit::Outcome;
use crate::output;

/// Show the structure of a binary capture in text, every field with its offset
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount dump monday.blg | less
  recount dump block.bin --samples 1")]
pub(crate) struct Dump {
    /// Capture: a .blg, a raw dump or an MS-PCQ session, or - for standard input
    file: PathBuf,
    /// Show the first N samples only; the structure around them is shown whole
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
}

pub(crate) fn run(arguments: &Dump) -> anyhow::Result<Outcome> {
    let Outline { text, sound } = dump(&arguments.file, arguments.samples.unwrap_or(usize::MAX))?;
    output::print(&text)?;
    Ok(if sound { Outcome::Done } else { Outcome::Findings })
}
