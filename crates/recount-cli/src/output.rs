//! Standard output: text and JSON.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use recount::analysis::shown::{number, plural, styled_number, visible};
use recount::is_stdio;
use recount_output::{Access, check_outputs, write_aside};
use serde::Serialize;

/// Whether `--quiet` was given.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Whether `--json` was given.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Sets whether errors are written as JSON.
pub(super) fn set_json(is_json: bool) {
    IS_JSON.store(is_json, Ordering::Relaxed);
}

/// Whether errors are written as JSON.
pub(super) fn is_json() -> bool {
    IS_JSON.load(Ordering::Relaxed)
}

/// Sets whether notes are left out.
pub(super) fn set_quiet(is_quiet: bool) {
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Whether notes are left out.
pub(super) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Writes text to standard output. A closed pipe is an error that ends the command quietly.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes bytes to standard output, as they are.
pub(super) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes a document to a file, or to standard output if it is called `-`. A file is as private as what it was made from.
pub(super) fn put(path: &Path, force: bool, access: &Access, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stdio(path) { Ok(print_bytes(bytes)?) } else { Ok(write_aside(path, force, access, bytes)?) }
}

/// Checks the outputs of [`put`] before the work begins. Returns whether one of them is standard output.
pub(super) fn check_put<'a>(
    outputs: impl IntoIterator<Item = &'a PathBuf>,
    inputs: &[PathBuf],
    force: bool,
) -> anyhow::Result<bool> {
    let (stdout, files): (Vec<&Path>, Vec<&Path>) =
        outputs.into_iter().map(PathBuf::as_path).partition(|path| is_stdio(path));
    check_outputs(files, inputs, force)?;
    if stdout.len() > 1 {
        crate::mistake::mistake!("only one output can be -, which is standard output");
    }
    Ok(!stdout.is_empty())
}

/// Writes text to standard error, where standard output is used by something else.
pub(super) fn message(text: &str) {
    // Nothing can be done if standard error is closed.
    let _ = write!(anstream::stderr(), "{text}");
}

/// A value as a line of JSON.
pub(super) fn json_line(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(value)? + "\n")
}

/// Writes a value as a line of JSON.
pub(super) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    Ok(print(&json_line(value)?)?)
}

/// The name of a file without its directory: for titles.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string())
}
