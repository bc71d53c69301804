//! The command `recount`: a thin layer over the library of that name.
//!
//! It is a library of its own so that the Python package has the whole command in its one extension module
//! (`recount-python`); the program is three lines.

mod answer;
mod args;
mod command_line;
mod commands;
mod exit;
mod mistake;
mod output;
mod pal;
mod paragraph;
mod progress;
#[cfg(feature = "remote")]
mod remote;
mod rule_sets;
mod series_label;
mod sparkline;
mod table;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{CommandFactory, Parser};

use command_line::{Arguments, Command};
use exit::Outcome;
use recount::Fault;

/// Runs the command: `arguments` are those of a process, the first of which is the program's name. Errors are reported on
/// standard error. Returns the exit code of the process: 0, 1 if something was found, 2 if it failed, or that of a command
/// that was recorded.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = with_files_joined(without_quotes(&arguments.into_iter().collect::<Vec<_>>()));
    output::set_json(arguments.iter().any(|argument| is_json_flag(argument)));
    #[cfg(not(feature = "remote"))]
    let asks_for_remote = arguments.get(1).is_some_and(|command| command == "serve")
        || arguments.iter().any(|argument| argument.to_string_lossy().split('=').next() == Some("--host"));
    #[cfg(not(feature = "mcp"))]
    let asks_for_mcp = arguments.get(1).is_some_and(|command| command == "mcp");
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        #[cfg(not(feature = "remote"))]
        Err(_) if asks_for_remote => return exit::failure(&exit::no_remote().into()),
        #[cfg(not(feature = "mcp"))]
        Err(_) if asks_for_mcp => return exit::failure(&exit::no_mcp().into()),
        Err(usage) if usage.use_stderr() && output::is_json() => {
            let text = usage.render().to_string();
            exit::report_fault(&Fault::usage(text.trim_start_matches("error: ").trim_end().to_owned()));
            return u8::try_from(usage.exit_code()).unwrap_or(exit::FAILED);
        }
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

/// `--json` for standard output. With JSON that goes to a file, standard error is read by people.
fn is_json_flag(argument: &OsStr) -> bool {
    argument == "--json" || argument == "--json=-"
}

/// Counter paths as `cmd.exe` passes them if they were quoted for another shell: with the quotes, and cut at blanks. No path begins with
/// a quote otherwise. The arguments of a command to be recorded, after `--`, stay as they are.
fn without_quotes(arguments: &[OsString]) -> Vec<OsString> {
    let mut joined = Vec::with_capacity(arguments.len());
    let mut rest = arguments;
    while let Some((first, others)) = rest.split_first().filter(|(first, _)| *first != "--") {
        let path = quoted_path(rest);
        let num_words = path.as_ref().map_or(1, |(_, num_words)| *num_words);
        joined.push(path.map_or_else(|| first.clone(), |(path, _)| path.into()));
        rest = &others[num_words - 1..];
    }
    joined.extend(rest.iter().cloned());
    joined
}

/// The path in quotes with which arguments begin, and how many of them it is.
fn quoted_path(arguments: &[OsString]) -> Option<(String, usize)> {
    let mut words: Vec<&str> = Vec::new();
    for argument in arguments {
        let word = argument.to_str()?;
        let is_part = if words.is_empty() { word.starts_with(r"'\") } else { !word.starts_with('-') };
        if !is_part {
            return None;
        }
        words.push(word);
        if word.ends_with('\'') {
            return Some((words.join(" ").trim_matches('\'').to_owned(), words.len()));
        }
    }
    None
}

/// `report` and `diff` once wrote JSON only to files: `--json FILE.json` and `--json -` still mean `--json=FILE.json` and `--json=-`.
fn with_files_joined(arguments: Vec<OsString>) -> Vec<OsString> {
    let command = arguments.iter().skip(1).find(|argument| !argument.to_string_lossy().starts_with('-'));
    if !command.is_some_and(|command| command == "report" || command == "diff") {
        return arguments;
    }
    let mut joined: Vec<OsString> = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let is_file = argument == "-" || Path::new(&argument).extension().is_some_and(|end| end == "json");
        match joined.last_mut().filter(|last| is_file && last.as_os_str() == "--json") {
            Some(last) => {
                last.push("=");
                last.push(argument);
            }
            None => joined.push(argument),
        }
    }
    joined
}

fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    let quiet = arguments.quiet;
    output::set_quiet(quiet);
    let writes = matches!(
        arguments.command,
        Command::Baseline(_)
            | Command::Catalogue(_)
            | Command::Convert(_)
            | Command::Mark(_)
            | Command::Pack(_)
            | Command::Unpack(_)
            | Command::Redact(_)
            | Command::Repair(_)
    );
    recount::on_lost_page(exit::lost_page)?;
    #[cfg(feature = "mcp")]
    commands::mcp::end_with_server()?;
    if writes {
        // Outputs appear whole or not at all, even if the command is interrupted.
        recount::before_termination(recount::remove_partial)?;
    }
    match arguments.command {
        Command::Info(command) => commands::info::run(&command),
        Command::Digest(command) => commands::digest::run(&command, quiet),
        Command::List(command) => commands::list::run(&command),
        Command::Show(command) => commands::show::run(&command, quiet),
        Command::Top(command) => commands::top::run(&command),
        Command::Stats(command) => commands::stats::run(&command, quiet),
        Command::Query(command) => commands::query::run(&command, quiet),
        Command::View(command) => commands::view::run(&command, quiet),
        Command::Report(command) => commands::report::run(&command, quiet),
        Command::Diff(command) => commands::diff::run(&command, quiet),
        Command::Moved(command) => commands::moved::run(&command, quiet),
        Command::Baseline(command) => commands::baseline::run(&command, quiet),
        Command::Rules(command) => commands::rules::run(&command),
        Command::Convert(command) => commands::convert::run(&command, quiet),
        Command::Catalogue(command) => commands::catalogue::run(&command, quiet),
        Command::Record(command) => commands::record::run(&command, quiet),
        #[cfg(feature = "remote")]
        Command::Serve(command) => commands::serve::run(&command, quiet),
        #[cfg(feature = "mcp")]
        Command::Mcp(command) => commands::mcp::run(command),
        Command::Mark(command) => commands::mark::run(&command, quiet),
        Command::Pack(command) => commands::pack::run(&command, quiet),
        Command::Unpack(command) => commands::unpack::run(&command, quiet),
        Command::Redact(command) => commands::redact::run(&command, quiet),
        Command::Verify(command) => commands::verify::run(&command, quiet),
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
    fn quotes_of_another_shell_are_taken_off() {
        let taken_off = |words: &str| {
            let words = without_quotes(&words.split(' ').map(OsString::from).collect::<Vec<_>>());
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let path = r"\Processor(_Total)\% Processor Time";
        assert_eq!(
            taken_off(&format!("recount show a.blg '{path}' -q")),
            ["recount", "show", "a.blg", path, "-q"]
        );
        assert_eq!(taken_off(r"recount show a.blg '\Memory\*'"), ["recount", "show", "a.blg", r"\Memory\*"]);
        for other in [
            r"recount record -- sh '\a b'",
            r"recount show a.blg '\Memory\* -q b'",
            r"recount show a.blg '\Memory\* -q",
            "recount mark a.rcap 'tis done'",
            "recount show a.blg '",
        ] {
            assert_eq!(taken_off(other).join(" "), other);
        }
    }

    #[test]
    fn files_of_json_are_joined_with_their_option() {
        let joined = |words: &str| {
            let words = with_files_joined(words.split(' ').map(OsString::from).collect());
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(joined("recount -q report a.blg --json b.json"), "recount -q report a.blg --json=b.json");
        assert_eq!(joined("recount diff --json - a b"), "recount diff --json=- a b");
        assert_eq!(joined("recount report --json a.blg"), "recount report --json a.blg");
        assert_eq!(joined("recount info --json b.json"), "recount info --json b.json");
    }

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
