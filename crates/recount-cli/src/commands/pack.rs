//! `recount pack`

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use recount::{Packed, pack};

use crate::exit::Outcome;
use crate::{output, progress};

/// Pack a capture into a capture log: much smaller, byte for byte the same when unpacked, and readable as it is
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount pack monday.blg      (to monday.rcap)
  recount pack monday.blg -o archive/2026-11-16.rcap

Every command reads a packed capture as it reads the file itself, except files of PCP archives, which have to be unpacked \
first. Any file can be packed; binary captures are cut along their structure, which makes them smallest. The log is read \
back and compared before it gets its name. FILE is kept: delete it yourself.")]
pub(crate) struct Pack {
    /// Files of any format, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where to write [default: FILE with the extension .rcap]
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace a log that exists
    #[arg(long, short)]
    force: bool,
}

pub(crate) fn run(arguments: &Pack, quiet: bool) -> anyhow::Result<Outcome> {
    if arguments.output.is_some() && arguments.files.len() > 1 {
        anyhow::bail!(
            "-o names one log, but there are {} files: leave it out, or pack one at a time",
            arguments.files.len()
        );
    }
    for file in &arguments.files {
        let line = progress::line(quiet);
        let len_read = AtomicU64::new(0);
        let packed = pack(file, arguments.output.as_deref(), arguments.force, &|len| {
            let len = len_read.fetch_add(len, Ordering::Relaxed) + len;
            line.set_message(format!("{}: {} MiB", file.display(), len >> 20));
            ControlFlow::Continue(())
        });
        line.finish_and_clear();
        let packed = packed?;
        if !quiet {
            output::print(&text(&file.display().to_string(), &packed))?;
        }
    }
    Ok(Outcome::Done)
}

fn text(file: &str, packed: &Packed) -> String {
    let (len_file, len_packed) = (packed.len_file as f64, packed.len_packed as f64);
    let ratio = (len_file / len_packed * 10.0).round() / 10.0;
    // Frames and facts take about a kilobyte, so the ratio of small files says nothing.
    let ratio =
        if ratio > 1.0 { format!(": {} times smaller", output::number(ratio)) } else { String::new() };
    let format = packed.format.map_or_else(|| "unknown format".to_owned(), ToString::to_string);
    let text = format!(
        "{}: {file} ({format}), {} KiB in {} KiB{ratio}",
        packed.path.display(),
        kib(len_file),
        kib(len_packed)
    );
    output::visible(&text) + "\n"
}

pub(super) fn kib(len: f64) -> String {
    output::number((len / 1024.0 * 10.0).round() / 10.0)
}
