//! `generate-blg PATH --size 1GB --flavour objects --seed 1`: writes a generated performance log.
#![expect(clippy::print_stdout, reason = "reports what it wrote")]

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Parser;
use recount_bench::generate::{Flavour, Parameters, generate};

/// Writes a performance log of any length, like that of a busy Windows server. The same parameters give the
/// same bytes.
#[derive(Debug, Parser)]
struct Arguments {
    /// The file to write; an existing one is overwritten.
    path: PathBuf,
    /// Its minimum length: in bytes, or with kB, MB or GB after the number.
    #[arg(long, default_value = "1GB", value_parser = len_of)]
    size: u64,
    /// How samples are stored.
    #[arg(long, value_enum, default_value_t = Flavour::Objects)]
    flavour: Flavour,
    /// Start of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let begun = Instant::now();
    let parameters =
        Parameters { flavour: arguments.flavour, len_file: arguments.size, seed: arguments.seed };
    let generated = generate(&arguments.path, parameters)?;
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{}: {} samples, {} bytes in {seconds:.1} s ({:.0} MB/s)",
        arguments.path.display(),
        generated.num_samples,
        generated.len_file,
        generated.len_file as f64 / 1e6 / seconds
    );
    Ok(())
}

/// `250MB` as bytes.
fn len_of(text: &str) -> Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        unit => anyhow::bail!("unit {unit:?} where kB, MB or GB was expected"),
    };
    let number: u64 = digits.parse().with_context(|| format!("{digits:?} is no whole number"))?;
    number.checked_mul(factor).context("more bytes than 64 bits can count")
}
