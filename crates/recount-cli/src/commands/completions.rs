//! `recount completions`

use clap::{Args, Command};
use clap_complete::Shell;

use crate::exit::Outcome;
use crate::output;

/// Print completions for a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(arguments: &Completions, command: &mut Command) -> anyhow::Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, command, "recount", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Done)
}
