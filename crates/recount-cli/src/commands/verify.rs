//! `recount verify`

mod against;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use recount::{OpenError, OpenOptions, Verified, verify, verify_directory};

use against::Compared;

use super::pack::kib;
use crate::args::{Json, ReadingOptions};
use crate::exit::{self, Outcome};
use crate::output;

/// Verify that captures are whole: every byte of a capture log, every sample of other formats
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount verify web1.rcap
  recount verify captures/*.rcap --json
  recount verify /var/log/pcp/pmlogger/web1
  recount verify perfmon.blg --against relog.csv --tolerance 1e-12
  recount verify web1.rcap --against tables/ -c '\\Process(*)\\*' --common

In a capture log, every frame and checksum is checked, every chunk decoded, the index compared with the frames, and a \
packed file compared with its checksum. Damage is reported with its place; recount repair mends what it can. A directory gives a line per capture in it and \
below it: the files of a PCP archive are one. The exit code is that of the worst.

With --against, the values of two captures are compared cell by cell: what a conversion made beside its source, or two tools over one file. Values are \
equal if every bit is, or within --tolerance. The exit code is 1 if they differ.")]
pub(crate) struct Verify {
    /// Captures, directories of captures, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare the values with those of another capture or table
    #[arg(long, value_name = "OTHER")]
    against: Option<PathBuf>,
    #[command(flatten)]
    compared: Compared,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    json: Json,
}

pub(crate) fn run(arguments: &Verify, quiet: bool) -> anyhow::Result<Outcome> {
    if let Some(other) = &arguments.against {
        // Names as `convert` writes them.
        let captures = arguments.reading.open(&arguments.files)?;
        let other = arguments.reading.open(std::slice::from_ref(other))?;
        return against::run(&captures, &other, &arguments.compared, (arguments.json.json, quiet));
    }
    let options = arguments.reading.options()?;
    let mut seen =
        Seen { is_json: arguments.json.json, all: Vec::new(), outcome: Outcome::Done, has_failed: false };
    for file in &arguments.files {
        match seen.verify(file, &options) {
            // The other files are still verified.
            Err(error) if arguments.files.len() > 1 => seen.fail(&error),
            other => other?,
        }
    }
    if arguments.json.json {
        output::print_json(&seen.all)?;
    }
    Ok(if seen.has_failed { Outcome::Code(exit::FAILED) } else { seen.outcome })
}

/// What was verified so far, and the worst of it.
struct Seen {
    is_json: bool,
    all: Vec<Verified>,
    outcome: Outcome,
    has_failed: bool,
}

impl Seen {
    fn verify(&mut self, file: &Path, options: &OpenOptions) -> anyhow::Result<()> {
        if !file.is_dir() {
            let verified = verify(file, options)?;
            let text = text(&verified, !self.all.is_empty());
            return self.take(verified, &text);
        }
        let mut printed = Ok(());
        verify_directory(file, options, |verified| {
            let result = match verified {
                Ok(verified) => {
                    let line = line(&verified);
                    self.take(verified, &line)
                }
                Err(error) if error.is_no_capture() => self.print(&no_capture(&error)),
                Err(error) => {
                    self.fail(&error.into());
                    Ok(())
                }
            };
            printed = std::mem::replace(&mut printed, Ok(())).and(result);
        })?;
        printed
    }

    fn take(&mut self, verified: Verified, text: &str) -> anyhow::Result<()> {
        if Outcome::of(&verified.health) == Outcome::Findings {
            self.outcome = Outcome::Findings;
        }
        self.all.push(verified);
        self.print(text)
    }

    fn print(&self, text: &str) -> anyhow::Result<()> {
        if self.is_json { Ok(()) } else { Ok(output::print(text)?) }
    }

    fn fail(&mut self, error: &anyhow::Error) {
        exit::failure(error);
        self.has_failed = true;
    }
}

/// A capture of a directory as a line.
fn line(verified: &Verified) -> String {
    let health = match verified.findings.first() {
        None => "sound".to_owned(),
        Some(_) if verified.health.is_sound() => "sound".to_owned(),
        Some(first) => format!("{}: {first}", output::plural(verified.num_findings, "finding")),
    };
    let samples = output::plural(verified.num_samples as u64, "sample");
    let (file, format) = (output::visible(&verified.file), output::visible(&verified.format));
    format!("{file}: {format}, {samples}, {}\n", output::visible(&health))
}

/// A file of a directory that isn't a capture.
fn no_capture(error: &OpenError) -> String {
    format!("{}; skipped\n", output::visible(&error.to_string()))
}

fn text(verified: &Verified, is_next: bool) -> String {
    let mut text = if is_next { "\n".to_owned() } else { String::new() };
    let mut line = |name: &str, value: &str| {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{name:<21} {}", output::visible(value));
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
