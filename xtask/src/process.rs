//! Other programs: found, run, and their failure an error that names them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cargo that runs this program, in the root of the workspace.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// The first of some programs that is installed; `packages` are those of Debian that have them.
pub(crate) fn tool(names: &[&'static str], packages: &str) -> Result<&'static str, String> {
    let folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let is_there = |name: &&&'static str| folders.iter().any(|folder| folder.join(name).is_file());
    names
        .iter()
        .find(is_there)
        .copied()
        .ok_or_else(|| format!("{} is missing: apt-get install {packages}", names[0]))
}

pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{}: {status}", shown(command))),
        Err(error) => Err(format!("{}: {error}", shown(command))),
    }
}

/// What a program that succeeds prints.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", shown(command)))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: {}\n{said}{errors}", shown(command), output.status))
}

/// The same as text, without the end of its last line.
pub(crate) fn text(command: &mut Command) -> Result<String, String> {
    Ok(String::from_utf8_lossy(&output(command)?).trim_end().to_owned())
}

/// A command as it would be typed.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
