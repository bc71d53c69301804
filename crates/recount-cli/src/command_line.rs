//! The command line as a whole.

use clap::{Parser, Subcommand};

use super::commands::{
    catalogue, completions, convert, diff, dump, info, list, mark, pack, query, record, repair, report,
    rules, show, stats, top, unpack, verify, view,
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
  recount view monday.blg                                 look for yourself, in the browser
  recount convert monday.blg -o monday.parquet            every value, one row each
  recount convert monday.blg -o monday/ --layout objects  a table per object, a column per counter

Exit codes: 0 done; 1 done with findings (parts of an input could not be read, a rule of the level of --fail-on fired, or a \
tolerance was exceeded); 2 failed."
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
    List(list::List),
    Show(show::Show),
    Top(top::Top),
    Stats(stats::Stats),
    Query(query::Query),
    View(Box<view::View>),
    Report(Box<report::Report>),
    Diff(Box<diff::Diff>),
    Rules(rules::Rules),
    Convert(convert::Convert),
    Catalogue(catalogue::Catalogue),
    // The largest by far.
    Record(Box<record::Record>),
    #[cfg(feature = "remote")]
    Serve(super::commands::serve::Serve),
    Mark(mark::Mark),
    Pack(pack::Pack),
    Unpack(unpack::Unpack),
    Verify(verify::Verify),
    Repair(repair::Repair),
    Dump(dump::Dump),
    Completions(completions::Completions),
    /// Print the manual page
    Man,
}
