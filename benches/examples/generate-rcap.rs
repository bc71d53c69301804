//! `generate-rcap [PATH] --samples 86400 --seed 1`: writes a generated capture log.
#![expect(clippy::print_stdout, reason = "reports what it wrote")]

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use recount_bench::generate_capture::{capture_path, generate_capture_whole};
use recount_capture::WriterOptions;

/// Writes a capture log of a busy Windows server with 300 processes, one sample per second, through the writer that the
/// recorder uses, with the recorder's settings. The same parameters give the same samples.
#[derive(Debug, Parser)]
struct Arguments {
    /// The file to write, which is replaced if it exists [default: below target/bench-data]
    path: Option<PathBuf>,
    /// Samples: seconds of the capture; a day by default.
    #[arg(long, default_value_t = 86_400)]
    samples: u64,
    /// Start of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<()> {
    let Arguments { path, samples, seed } = Arguments::parse();
    let path = path.unwrap_or_else(|| capture_path(samples, seed));
    let begun = Instant::now();
    let generated = generate_capture_whole(&path, samples, seed, WriterOptions::default())?;
    // Line by line for `recording/day.py`.
    println!("path {}", path.display());
    println!("samples {}", generated.num_samples);
    println!("raw_bytes {}", generated.len_raw);
    println!("file_bytes {}", generated.len_file);
    println!("seconds {:.1}", begun.elapsed().as_secs_f64());
    Ok(())
}
