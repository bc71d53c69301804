//! The command line as a whole.

use clap::{Parser, Subcommand};

use super::commands::{
    baseline, catalogue, completions, convert, diff, digest, dump, info, list, mark, moved, pack, query,
    record, redact, repair, report, rules, show, stats, top, unpack, verify, view,
};

/// Read performance counter captures on any system: Windows .blg logs, PDH-CSV/TSV, raw dumps, its own logs, and those of
/// sysstat, PCP and atop.
#[derive(Debug, Parser)]
#[command(
    name = "recount",
    version,
    propagate_version = true,
    max_term_width = 110,
    after_help = "Examples:
  recount info monday.blg                                 what is in it, and whether it is sound
  recount show monday.blg '\\Processor(_Total)\\*'          newest, min, mean, max of every counter
  recount report monday.blg -o monday.html                what happened, in one page
  recount moved monday.blg --span 14:00..14:10            what changed there, and who it was
  recount view monday.blg                                 look for yourself, in the browser
  recount convert monday.blg -o monday.parquet            every value, one row each
  recount convert monday.blg -o monday/ --layout objects  a table per object, a column per counter

Exit codes: 0 done; 1 done with findings (parts of an input could not be read); 2 failed. Of diff, and of report with --fail-on, \
1 means a regression, or a rule that fired, and nothing else: 3 says that there is none, but parts of an input could not be read."
)]
pub(super) struct Arguments {
    /// No progress and no notes on standard error: only warnings and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Info(info::Info),
    Digest(digest::Digest),
    List(list::List),
    Show(show::Show),
    Top(top::Top),
    Stats(stats::Stats),
    Query(query::Query),
    View(Box<view::View>),
    Report(Box<report::Report>),
    Diff(Box<diff::Diff>),
    Moved(Box<moved::Moved>),
    Baseline(baseline::Baseline),
    Rules(rules::Rules),
    Convert(convert::Convert),
    Catalogue(catalogue::Catalogue),
    // The largest by far.
    Record(Box<record::Record>),
    #[cfg(feature = "remote")]
    Serve(super::commands::serve::Serve),
    #[cfg(feature = "mcp")]
    Mcp(super::commands::mcp::Mcp),
    Mark(mark::Mark),
    Pack(pack::Pack),
    Unpack(unpack::Unpack),
    Redact(redact::Redact),
    Verify(verify::Verify),
    Repair(repair::Repair),
    Dump(dump::Dump),
    Completions(completions::Completions),
    /// Print the manual page
    Man,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// The words of a line, as a shell reads it, up to a pipe or a redirection.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
        for letter in line.chars() {
            match letter {
                '\'' => is_quoted = !is_quoted,
                '|' | '>' if !is_quoted => break,
                ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
                _ => {
                    assert!(is_quoted || letter != '\\', "shells drop a backslash outside quotes: {line}");
                    word.push(letter);
                }
            }
        }
        words.push(word);
        words.retain(|word| !word.is_empty());
        words
    }

    /// People copy them.
    #[test]
    fn examples_parse() {
        let whole = Arguments::command();
        let mut num = 0;
        for command in std::iter::once(&whole).chain(whole.get_subcommands()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            // What an example does is said after it, apart from it.
            let lines = help.lines().filter(|line| line.starts_with("  recount "));
            for line in lines.filter_map(|line| line.trim().split("   ").next()) {
                if let Err(error) = Arguments::try_parse_from(words(line)) {
                    panic!("{line}\n{error}");
                }
                num += 1;
            }
        }
        assert!(num >= 50, "only {num} examples were found");
    }
}
