//! The capture log: its size, writing it and reading it, over a generated capture and the shared files.
//!
//! Every case runs in a process of its own, so that its peak memory is its own. Run with
//! `cargo bench -p recount-bench --bench capture_log`; `README.md` says how to read it.
#![expect(clippy::print_stdout, reason = "prints its results")]

mod case;
mod decode;
mod encode;
mod input;
#[expect(dead_code, reason = "of what is shared with the other bench, it uses more")]
#[path = "../throughput/measured.rs"]
mod measured;
#[path = "../throughput/memory.rs"]
mod memory;
mod pack;
mod report;
mod unzip;

use anyhow::Result;

use crate::case::Case;
use crate::input::Input;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, case, input] = arguments.as_slice()
        && flag == case::FLAG
    {
        return Case::named(case)?.run(Input::named(input)?);
    }
    report::print()
}
