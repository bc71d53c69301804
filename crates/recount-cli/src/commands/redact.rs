//! `recount redact`

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use recount::{RedactOptions, Redacted, redact};

use crate::exit::{Outcome, report_health};
use crate::output;

/// Replace the names in a capture by pseudonyms, so that it can be sent to a stranger
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount redact monday.blg -o redacted.blg
  recount redact monday.blg -o redacted.blg --key-file names.key      (captures with the same key fit together)
  recount redact monday.rcap -o redacted.rcap --keep 'sql*' --keep svchost

Hosts, users, processes, instances, paths, command lines and the texts of marks become pseudonyms such as \
process-4f2a91c07d. Values, times, and the names of objects and counters stay; so do instances that name nobody, such as \
_Total, 0 and C:. It reads and writes .rcap (packed files too), .blg, raw dumps, PDH text, and Parquet that recount wrote. Look at \
the result before you send it: values and times may say enough to those who know the machine.")]
pub(crate) struct Redact {
    /// Capture
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Where to write the capture without names, in the format of IN
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// File whose bytes are the key, 16 or more: the same name has the same pseudonym in all captures with that key. Keep it
    /// secret. Without it, a random key is used once
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Names that stay, with * for any number of characters: instances, hosts, users, and words of command lines. May be repeated
    #[arg(long, value_name = "PATTERN")]
    keep: Vec<String>,
    /// Replace an output that exists
    #[arg(long, short)]
    force: bool,
}

pub(crate) fn run(arguments: &Redact, quiet: bool) -> anyhow::Result<Outcome> {
    let mut options = RedactOptions::default();
    if let Some(path) = &arguments.key_file {
        options.key = Some(key(path).with_context(|| path.display().to_string())?);
        let is_key = |output: &Path| output.canonicalize().ok() == path.canonicalize().ok();
        if arguments.output.exists() && is_key(&arguments.output) {
            anyhow::bail!("{}: the key would be replaced", path.display());
        }
    }
    options.keep.clone_from(&arguments.keep);
    options.force = arguments.force;
    let redacted = redact(&arguments.input, &arguments.output, &options)?;
    report_health(&arguments.input.display().to_string(), &redacted.health);
    if !quiet {
        output::print(&text(&redacted))?;
    }
    Ok(Outcome::of(&redacted.health))
}

/// The bytes of a file, which may have no end.
fn key(path: &Path) -> anyhow::Result<Vec<u8>> {
    const MAX_LEN: u64 = 64 << 10;
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_LEN + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= MAX_LEN, "a key has at most 64 KiB");
    Ok(bytes)
}

/// The result, and how many names of each kind were replaced.
fn text(redacted: &Redacted) -> String {
    let counted = |(kind, num): &(&str, u64)| match kind.strip_suffix('s') {
        Some(_) if *num != 1 => format!("{num} {kind}es"),
        _ => output::plural(*num, kind),
    };
    let counts: Vec<String> = redacted.replaced.iter().map(counted).collect();
    let counts = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
    output::visible(&format!("{}: names replaced: {counts}", redacted.path.display())) + "\n"
}
