//! `read-proc`: every second reads the files that `recount record` reads by default, and does nothing with
//! them.
//!
//! This is the minimum cost of recording: the kernel's work to generate the texts. The files are those of
//! `crates/recount-record/src/linux`, read the same way: files about the machine kept open and read to their
//! end; `stat`, `statm` and `io` of processes kept open, as many as the recorder keeps, and read at once; for
//! `fd` of processes only the size is queried; files of cgroups opened, read and closed. With `--reopen`
//! nothing is kept open. `recording/same_files.py` compares the calls of the two, file by file.
#![expect(clippy::print_stdout, reason = "reports what it read")]

#[cfg(target_os = "linux")]
mod cgroups;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod processes;

use std::time::Duration;

use anyhow::Result;
use clap::Parser;

/// Reads the files of `/proc` that recount reads, and does nothing with them.
#[derive(Debug, Parser)]
struct Arguments {
    /// How often they are read.
    #[arg(long, default_value_t = 60)]
    samples: u32,
    /// Milliseconds from one reading to the next.
    #[arg(long, default_value_t = 1000)]
    interval_ms: u64,
    /// Opens, reads and closes every file every time, and keeps none open.
    #[arg(long)]
    reopen: bool,
}

/// What was read so far.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    num_files: u64,
    len_bytes: u64,
}

impl Tally {
    #[cfg(target_os = "linux")]
    fn add(&mut self, len: usize) {
        self.num_files += 1;
        self.len_bytes += len as u64;
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let tally = read_all(&arguments)?;
    println!(
        "{{\"samples\": {}, \"files\": {}, \"bytes\": {}}}",
        arguments.samples, tally.num_files, tally.len_bytes
    );
    Ok(())
}

#[cfg(target_os = "linux")]
fn read_all(arguments: &Arguments) -> Result<Tally> {
    use std::time::Instant;

    let mut tally = Tally::default();
    let mut machine = machine::Machine::open(!arguments.reopen);
    let mut processes = processes::Processes::open(!arguments.reopen)?;
    let mut cgroups = cgroups::Cgroups::find();
    let interval = Duration::from_millis(arguments.interval_ms);
    let begun = Instant::now();
    for sample in 0..arguments.samples {
        std::thread::sleep((begun + interval * sample).saturating_duration_since(Instant::now()));
        machine.read(&mut tally);
        processes.read(&mut tally)?;
        if let Some(cgroups) = &mut cgroups {
            cgroups.read(&mut tally);
        }
    }
    Ok(tally)
}

#[cfg(not(target_os = "linux"))]
fn read_all(arguments: &Arguments) -> Result<Tally> {
    let _ = Duration::from_millis(arguments.interval_ms);
    anyhow::bail!("only Linux has /proc (reopen: {})", arguments.reopen)
}
