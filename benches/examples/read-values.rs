//! `read-values CAPTURE --counters '\Process(*)\% Processor Time' --columns time,instance,value`: what the library alone takes for
//! values that others ask it for.
#![expect(clippy::print_stdout, reason = "reports what it read")]

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Parser;

/// Reads values of a capture as Arrow batches, and counts their rows.
#[derive(Debug, Parser)]
struct Arguments {
    /// The capture.
    path: PathBuf,
    /// Which counters; all by default.
    #[arg(long)]
    counters: Option<String>,
    /// Which columns; all by default.
    #[arg(long, value_delimiter = ',')]
    columns: Option<Vec<String>>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let begun = Instant::now();
    let mut batches = recount::open(&arguments.path)?.batches();
    if let Some(counters) = &arguments.counters {
        batches = batches.counters(counters)?;
    }
    if let Some(columns) = arguments.columns {
        batches = batches.columns(columns);
    }
    let mut num_rows = 0;
    for batch in batches.reader()? {
        num_rows += batch?.num_rows();
    }
    // Line by line for `fleet/package.py`.
    println!("rows {num_rows}");
    println!("seconds {:.3}", begun.elapsed().as_secs_f64());
    Ok(())
}
