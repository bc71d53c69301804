//! `recount unpack`

use std::path::PathBuf;

use clap::Args;
use recount::{UnpackOptions, Unpacked, UnpackedSort, is_stdio, unpack};

use super::pack::kib;
use crate::exit::{Outcome, report_health};
use crate::output;

/// Unpack a capture log: the file that was packed, byte for byte, or recorded samples as raw dumps or as a session
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount unpack monday.rcap      (the file packed in it, by its name)
  recount unpack monday.rcap -o - | sha256sum
  recount unpack web1.rcap -o web1.bin --names counters.txt

A packed file is compared by length and checksum, and written whole or not at all. A log of recorded samples \
becomes its PERF_DATA_BLOCKs one after the other, as they were recorded; other commands read these with --names. A log of \
MS-PCQ messages becomes a session (.pcq), which other commands read as it is. Events (late or missed samples, clock steps) \
can't be stored there and are left out. So are damaged samples, which are reported.")]
pub(crate) struct Unpack {
    /// Capture log
    file: PathBuf,
    /// Where to write, or - for standard output [default: next to FILE, under the name it was packed with; samples: FILE
    /// with the extension .bin or .pcq]
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write the log's names of objects and counters to this file
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long, short)]
    force: bool,
}

pub(crate) fn run(arguments: &Unpack, quiet: bool) -> anyhow::Result<Outcome> {
    let mut options = UnpackOptions::default();
    options.output.clone_from(&arguments.output);
    options.names.clone_from(&arguments.names);
    options.force = arguments.force;
    let unpacked = unpack(&arguments.file, &options)?;
    let is_samples = unpacked.sort != UnpackedSort::File;
    if !quiet && !is_stdio(&unpacked.path) {
        output::print(&text(&unpacked))?;
    }
    if !is_samples {
        // The file is complete; other faults of the log are for verify to report.
        return Ok(Outcome::Done);
    }
    report_health(&arguments.file.display().to_string(), &unpacked.health);
    Ok(Outcome::of(&unpacked.health))
}

fn text(unpacked: &Unpacked) -> String {
    let text = format!("{}: {} KiB", unpacked.path.display(), kib(unpacked.len as f64));
    let more = match unpacked.sort {
        UnpackedSort::File => String::new(),
        UnpackedSort::Samples { num_samples, num_events } => {
            format!(", {}{}", output::plural(num_samples, "sample"), left_out(num_events))
        }
        UnpackedSort::Session { num_samples, num_messages, num_events } => {
            let (samples, messages) =
                (output::plural(num_samples, "sample"), output::plural(num_messages, "message"));
            format!(", {samples} in {messages}{}", left_out(num_events))
        }
    };
    output::visible(&(text + &more)) + "\n"
}

fn left_out(num_events: u64) -> String {
    if num_events == 0 { String::new() } else { format!("; {} omitted", output::plural(num_events, "event")) }
}
