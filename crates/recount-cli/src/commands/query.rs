//! `recount query`

#[cfg(feature = "sql")]
use std::path::PathBuf;

use clap::Args;
#[cfg(feature = "sql")]
use recount::Answer;

use crate::answer::AnswerArguments;
use crate::args::{Reading, Samples};
use crate::exit::Outcome;
#[cfg(feature = "sql")]
use crate::{exit::told, progress};

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
    reading: Reading,
    #[command(flatten)]
    samples: Samples,
    #[command(flatten)]
    answer: AnswerArguments,
}

/// The command was built without the engine that answers queries.
#[cfg(not(feature = "sql"))]
#[derive(Debug, thiserror::Error)]
#[error("this recount was built without SQL, which is optional because it takes minutes to build")]
pub(crate) struct NoSql;

#[cfg(not(feature = "sql"))]
pub(crate) fn run(_: &Query, _: bool) -> anyhow::Result<Outcome> {
    Err(NoSql.into())
}

#[cfg(feature = "sql")]
pub(crate) fn run(arguments: &Query, quiet: bool) -> anyhow::Result<Outcome> {
    // clap asks for two at least.
    let Some((sql, inputs)) = arguments.words.split_last() else { anyhow::bail!("no query") };
    let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    arguments.answer.check(&inputs)?;
    let captures = arguments.reading.open(&inputs)?;
    let bar = progress::bar(&captures, quiet);
    let span = arguments.samples.span(&captures)?;
    let (batch, found) = recount::query(&captures, &span, sql, &progress::steps(&bar))?;
    bar.finish_and_clear();
    arguments.answer.write(&Answer::try_from(batch)?)?;
    let name = recount::names_of(&captures);
    Ok(told(&name, &captures, found))
}
