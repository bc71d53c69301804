//! Throughput and peak memory of `convert`, of parsing and of cooking, over one generated log.
//!
//! Every case runs in a process of its own, so that its peak memory is its own. Run with `cargo bench`; `README.md`
//! says how to read it.
#![expect(clippy::print_stdout, reason = "prints its results")]

mod allocations;
mod baseline;
mod blocks;
mod case;
mod container;
mod convert;
mod cook;
mod measured;
mod memory;
mod report;

use std::path::Path;

use anyhow::Result;
use recount_bench::bench_data::bench_data;
use recount_bench::generate::{Flavour, Parameters};

use crate::case::Case;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// Start of the generator's random numbers.
const SEED: u64 = 1;

/// Bytes of the generated log, unless `RECOUNT_BENCH_BYTES` says otherwise.
const LEN_LOG: u64 = 1_073_741_824;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, case, log] = arguments.as_slice()
        && flag == case::FLAG
    {
        return Case::named(case)?.run(Path::new(log));
    }
    let len_file = match std::env::var("RECOUNT_BENCH_BYTES") {
        Ok(bytes) => bytes.parse()?,
        Err(_) => LEN_LOG,
    };
    let log = bench_data(Parameters { flavour: Flavour::Objects, len_file, seed: SEED })?;
    report::print(&log)
}
