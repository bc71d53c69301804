//! `recount verify`

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use recount::{Verified, verify};

use super::pack::kib;
use crate::args::Reading;
use crate::exit::{self, Outcome};
use crate::output;

/// Verify that captures are whole: every byte of a capture log, every sample of other formats
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount verify web1.rcap
  recount verify captures/*.rcap --json

In a capture log, every frame and checksum is checked, every chunk decoded, the index compared with the frames, and a \
packed file compared with its checksum. Damage is reported with its place; recount repair mends what it can.")]
pub(crate) struct Verify {
    /// Captures, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// As JSON: one array with an object per file
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Verify) -> anyhow::Result<Outcome> {
    let options = arguments.reading.options()?;
    let (mut all, mut outcome, mut has_failed) = (Vec::new(), Outcome::Done, false);
    for file in &arguments.files {
        match verify(file, &options) {
            Ok(verified) => {
                if Outcome::of(&verified.health) == Outcome::Findings {
                    outcome = Outcome::Findings;
                }
                if !arguments.json {
                    output::print(&text(&verified, !all.is_empty()))?;
                }
                all.push(verified);
            }
            // The other files are still verified.
            Err(error) if arguments.files.len() > 1 => {
                exit::failure(&error.into());
                has_failed = true;
            }
            Err(error) => return Err(error.into()),
        }
    }
    if arguments.json {
        output::print_json(&all)?;
    }
    Ok(if has_failed { Outcome::Code(exit::FAILED) } else { outcome })
}

fn text(verified: &Verified, is_next: bool) -> String {
    let mut text = if is_next { "\n".to_owned() } else { String::new() };
    let mut line = |name: &str, value: &str| {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{name:<21} {}", output::clean(value));
    };
    line("file", &verified.file);
    line(
        "format",
        &match &verified.log {
            Some(log) => format!("{}, version {}", verified.format, log.version),
            None => verified.format.clone(),
        },
    );
    line("size", &format!("{} KiB", kib(verified.len_file as f64)));
    if let Some(log) = &verified.log {
        line("written by", log.writer.as_deref().unwrap_or("unknown: the header is damaged"));
        if let Some(packed) = &log.packed {
            line("packed file", packed);
        }
        line("frames", &log.num_frames.to_string());
        line("chunks", &log.num_chunks.to_string());
        line("records", &format!("{} ({} unsealed)", log.num_records, log.num_unsealed));
        line("closed", if log.is_closed { "yes" } else { "no" });
    }
    line("samples", &verified.num_samples.to_string());
    line(
        "health",
        &if verified.health.is_sound() {
            "sound".to_owned()
        } else {
            output::plural(verified.num_findings, "finding")
        },
    );
    for finding in &verified.findings {
        line("  finding", finding);
    }
    text
}
