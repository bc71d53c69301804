//! `generate-storm PATH --samples 1200 --processes 5000`: writes a capture log in which processes come and go.
#![expect(clippy::print_stdout, reason = "reports what it wrote")]

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use recount_bench::storm::generate_storm;

/// Writes a capture log with 150 to 250 processes, one sample per second, and many more for 20 s in the middle. The same
/// parameters give the same samples.
#[derive(Debug, Parser)]
struct Arguments {
    /// The file to write.
    path: PathBuf,
    /// Samples: seconds of the capture.
    #[arg(long, default_value_t = 1_200)]
    samples: u64,
    /// How many more processes there are in the middle.
    #[arg(long, default_value_t = 5_000)]
    processes: usize,
}

fn main() -> Result<()> {
    let Arguments { path, samples, processes } = Arguments::parse();
    let generated = generate_storm(&path, samples, processes)?;
    println!("blocks {} bytes, log {} bytes", generated.len_raw, generated.len_file);
    Ok(())
}
