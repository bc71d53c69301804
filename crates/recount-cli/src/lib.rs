//! The command `recount`: a thin layer over the library of that name.
//!
//! It is a library of its own so that the Python package has the whole command in its one extension module
//! (`recount-python`); the program is three lines.

mod answer;
mod args;
mod command_line;
mod commands;
mod exit;
mod output;
mod pal;
mod progress;
#[cfg(feature = "remote")]
mod remote;
mod rule_sets;
mod series_label;
mod sparkline;
mod table;

use std::ffi::OsString;

use clap::{CommandFactory, Parser};

use command_line::{Arguments, Command};
use exit::Outcome;

/// Runs the command: `arguments` are those of a process, the first of which is the program's name. Errors are reported on
/// standard error. Returns the exit code of the process: 0, 1 if something was found, 2 if it failed, or that of a command
/// that was recorded.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    #[cfg(not(feature = "remote"))]
    let asks_for_remote = arguments.get(1).is_some_and(|command| command == "serve")
        || arguments.iter().any(|argument| argument.to_string_lossy().split('=').next() == Some("--host"));
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        #[cfg(not(feature = "remote"))]
        Err(_) if asks_for_remote => return exit::failure(&exit::no_remote().into()),
        Err(usage) => {
            // Nothing can be done if the output is closed.
            let _ = usage.print();
            return u8::try_from(usage.exit_code()).unwrap_or(exit::FAILED);
        }
    };
    match run(arguments) {
        Ok(outcome) => outcome.code(),
        Err(error) => exit::failure(&error),
    }
}

fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    let quiet = arguments.quiet;
    output::set_quiet(quiet);
    let writes = matches!(
        arguments.command,
        Command::Catalogue(_)
            | Command::Convert(_)
            | Command::Mark(_)
            | Command::Pack(_)
            | Command::Unpack(_)
            | Command::Repair(_)
    );
    recount::on_lost_page(exit::lost_page)?;
    if writes {
        // Outputs appear whole or not at all, even if the command is interrupted.
        recount::before_termination(recount::remove_partial)?;
    }
    match arguments.command {
        Command::Info(command) => commands::info::run(&command),
        Command::List(command) => commands::list::run(&command),
        Command::Show(command) => commands::show::run(&command, quiet),
        Command::Top(command) => commands::top::run(&command),
        Command::Stats(command) => commands::stats::run(&command, quiet),
        Command::Query(command) => commands::query::run(&command, quiet),
        Command::View(command) => commands::view::run(&command, quiet),
        Command::Report(command) => commands::report::run(&command, quiet),
        Command::Diff(command) => commands::diff::run(&command, quiet),
        Command::Rules(command) => commands::rules::run(&command),
        Command::Convert(command) => commands::convert::run(&command, quiet),
        Command::Catalogue(command) => commands::catalogue::run(&command, quiet),
        Command::Record(command) => commands::record::run(&command, quiet),
        #[cfg(feature = "remote")]
        Command::Serve(command) => commands::serve::run(&command, quiet),
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
