//! `recount query`

use std::path::PathBuf;

use clap::Args;
use recount::{open, query};

use crate::cli::answer::AnswerArguments;
use crate::cli::args::{Names, Samples};
use crate::cli::exit::{Outcome, told};
use crate::cli::progress;

/// Ask in SQL: a table per performance object
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount query monday.blg 'SELECT host, max(\"% User Time\") FROM Processor GROUP BY host'
  recount query web1.rcap 'SELECT time, \"Page Faults/sec\" FROM memory ORDER BY 2 DESC LIMIT 5'
  recount query tables/ 'SELECT * FROM counters' --format json

Tables are the performance objects, with the columns time (UTC), interval_s, host, instance, instance_id and one per counter,
as `recount convert` writes them (formats/tables.md). Two more: counters (the catalogue: type, unit, help), and nulls
(which value is missing, and why); an object of such a name comes first. Only
SELECT and WITH are answered.

Names that aren't plain words stand in double quotes: \"Network Interface\", \"% Processor Time\". A table may also be named
without regard to case and punctuation (network_interface); columns are named exactly. Texts stand in single quotes.

The SQL is that of polars. The columns that the query names are held in memory (all of an object, for SELECT *).")]
pub(crate) struct Query {
    /// Captures (files, directories, - for standard input), and the query behind them
    #[arg(required = true, num_args = 2.., value_names = ["INPUT", "SQL"])]
    words: Vec<String>,
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    samples: Samples,
    #[command(flatten)]
    answer: AnswerArguments,
}

pub(crate) fn run(arguments: &Query, quiet: bool) -> anyhow::Result<Outcome> {
    // clap asks for two at least.
    let Some((sql, inputs)) = arguments.words.split_last() else { anyhow::bail!("no query") };
    let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    arguments.answer.check(&inputs)?;
    let captures = open(&inputs, &arguments.names.read()?)?;
    let bar = progress::bar(&captures, quiet);
    let (answer, found) = query(&captures, &arguments.samples.span(&captures)?, sql, &progress::steps(&bar))?;
    bar.finish_and_clear();
    arguments.answer.write(&answer)?;
    let name = recount::names_of(&captures);
    Ok(told(&name, &captures, found))
}
