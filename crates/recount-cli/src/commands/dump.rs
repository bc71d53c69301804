//! `recount dump`

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use recount::{DumpError, dump};

use crate::exit::Outcome;

/// Show the structure of a binary capture in text, every field with its offset
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount dump monday.blg | less
  recount dump web1.rcap --samples 0
  recount dump block.bin --samples 1")]
pub(crate) struct Dump {
    /// Capture in any binary format, or - for standard input
    file: PathBuf,
    /// Show the first N samples only; the structure around them is shown whole
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
}

pub(crate) fn run(arguments: &Dump) -> anyhow::Result<Outcome> {
    let mut out = BufWriter::new(anstream::stdout().lock());
    let dumped = dump(&arguments.file, arguments.samples.unwrap_or(usize::MAX), &mut out);
    out.flush()?;
    match dumped {
        Ok(true) => Ok(Outcome::Done),
        Ok(false) => Ok(Outcome::Findings),
        // The hint is that of the error itself.
        Err(DumpError::Open(error)) => Err(error.into()),
        Err(error) => Err(error.into()),
    }
}
