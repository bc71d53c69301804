//! `recount query`

#[cfg(feature = "sql")]
use std::path::{Path, PathBuf};

use clap::Args;
#[cfg(feature = "sql")]
use recount::Selection;
#[cfg(feature = "sql")]
use recount::analysis::Answer;

use crate::answer::AnswerArguments;
use crate::args::{Beside, ReadingOptions, Samples};
use crate::exit::Outcome;
#[cfg(feature = "sql")]
use crate::{
    exit::{nothing, outcome_of},
    progress,
};

/// Ask in SQL: a table per performance object
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount query monday.blg                   (the tables and their columns)
  recount query monday.blg 'DESCRIBE Processor'
  recount query monday.blg 'SELECT host, max(\"% User Time\") FROM Processor GROUP BY host'
  recount query web1.rcap 'SELECT time, \"Page Faults/sec\" FROM memory ORDER BY 2 DESC LIMIT 5'
  recount query tables/ 'SELECT * FROM counters' --json

Tables are the performance objects, with the columns time (UTC), interval_s, weight_s, host, instance, instance_id and one \
per counter, named as `recount convert` names them (formats/tables.md). Two more: counters (the catalogue: type, unit, help), \
and nulls (which value is missing, and why); an object of such a name comes first. SHOW TABLES lists the tables with their \
instances and counters, DESCRIBE T (or SHOW COLUMNS FROM T) the columns of one with type, unit and counter type; neither \
computes values. All other queries are SELECT and WITH.

A mean over time, as `recount show` has it, is SELECT sum(x * weight_s) / sum(weight_s) FROM T WHERE x IS NOT NULL.

Names that aren't plain words are written in double quotes: \"Network Interface\", \"% Processor Time\". A table may also be \
named without regard to case and punctuation (network_interface); columns are named exactly. Texts are written in single \
quotes. Missing values sort last, unless the query says NULLS FIRST.

Times are compared with texts: time > '2026-11-25 14:00:33' (UTC), '2026-11-25T14:00:33Z', '2026-11-25 15:00:33+01:00' or \
'2026-11-25 15:00:33 Europe/Berlin'. date_trunc('minute', time) and time_bucket('5 minutes', time) round times down, for \
GROUP BY. information_schema.tables and information_schema.columns list tables and columns. Everything else is the SQL of \
polars. The columns that the query names are held in memory (all of an object, for SELECT *).")]
pub(crate) struct Query {
    /// Captures (files, directories, - for standard input), then the query; without one, tables and columns are listed
    #[arg(required = true, num_args = 1.., value_name = "INPUT|SQL")]
    words: Vec<String>,
    #[command(flatten)]
    beside: Beside,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    samples: Samples,
    #[command(flatten)]
    answer: AnswerArguments,
}

#[cfg(not(feature = "sql"))]
pub(crate) fn run(_: &Query, _: bool) -> anyhow::Result<Outcome> {
    Err(crate::exit::no_sql().into())
}

#[cfg(feature = "sql")]
pub(crate) fn run(arguments: &Query, quiet: bool) -> anyhow::Result<Outcome> {
    let (inputs, sql) = inputs_and_sql(&arguments.words);
    let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    arguments.answer.check(&arguments.beside.inputs(&inputs))?;
    let reading = &arguments.reading;
    let captures = arguments.beside.add_to(reading.open(&inputs)?, |paths| reading.open(paths))?;
    let bar = progress::bar(&captures, quiet);
    let timeline = arguments.samples.of(&captures)?;
    if timeline.no_samples().is_some() {
        return Err(nothing(&timeline, &Selection::all()));
    }
    let (batch, found) = match sql {
        Some(sql) => recount::query(&timeline, sql, &progress::steps(&bar))?,
        None => recount::tables(&timeline)?,
    };
    bar.finish_and_clear();
    let mut table = Answer::try_from(batch)?;
    if timeline.is_zone_unknown() {
        table = table.with_zone_unknown()?;
    }
    arguments.answer.write(&recount::access_of(&captures), &table)?;
    Ok(outcome_of(&timeline.name(), timeline.health(), found, true))
}

/// Every statement has several words, and isn't the name of a file.
#[cfg(feature = "sql")]
fn inputs_and_sql(words: &[String]) -> (&[String], Option<&str>) {
    match words.split_last() {
        Some((last, inputs))
            if !inputs.is_empty()
                && last.trim().contains(char::is_whitespace)
                && !Path::new(last).exists() =>
        {
            (inputs, Some(last))
        }
        _ => (words, None),
    }
}

#[cfg(all(test, feature = "sql"))]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "live-tests")]
    fn live_the_query_is_reported_from_inputs() {
        let split = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            let (inputs, sql) = inputs_and_sql(&words);
            (inputs.len(), sql.map(str::to_owned))
        };
        assert_eq!(split(&["a.blg"]), (1, None));
        assert_eq!(split(&["a.blg", "b.blg"]), (2, None));
        assert_eq!(split(&["a.blg", "b.blg", "SHOW TABLES"]), (2, Some("SHOW TABLES".to_owned())));
        assert_eq!(split(&["my log.blg"]), (1, None));
    }
}
