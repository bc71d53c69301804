//! The command `recount`: a thin face over the library of that name.

mod answer;
mod args;
mod command_line;
mod commands;
mod exit;
mod output;
mod progress;
mod rule_sets;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use command_line::{Arguments, Command};
use exit::Outcome;

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(outcome) => outcome.into(),
        Err(error) => exit::failure(&error),
    }
}

fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    let quiet = arguments.quiet;
    let writes = matches!(
        arguments.command,
        Command::Convert(_) | Command::Mark(_) | Command::Pack(_) | Command::Unpack(_) | Command::Repair(_)
    );
    if writes {
        // Outputs appear whole or not at all, also if somebody loses patience.
        recount::before_termination(recount::remove_partial)?;
    }
    match arguments.command {
        Command::Info(command) => commands::info::run(&command),
        Command::List(command) => commands::list::run(&command),
        Command::Show(command) => commands::show::run(&command, quiet),
        Command::Stats(command) => commands::stats::run(&command, quiet),
        Command::Query(command) => commands::query::run(&command, quiet),
        Command::View(command) => commands::view::run(&command, quiet),
        Command::Report(command) => commands::report::run(&command, quiet),
        Command::Diff(command) => commands::diff::run(&command, quiet),
        Command::Rules(command) => commands::rules::run(&command),
        Command::Convert(command) => commands::convert::run(&command, quiet),
        Command::Record(command) => commands::record::run(&command, quiet),
        Command::Mark(command) => commands::mark::run(&command, quiet),
        Command::Pack(command) => commands::pack::run(&command, quiet),
        Command::Unpack(command) => commands::unpack::run(&command, quiet),
        Command::Verify(command) => commands::verify::run(&command),
        Command::Repair(command) => commands::repair::run(&command, quiet),
        Command::Dump(command) => commands::dump::run(&command),
        Command::Completions(command) => commands::completions::run(&command, &mut Arguments::command()),
        Command::Man => commands::man::run(&Arguments::command()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
