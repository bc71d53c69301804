//! SQL over captures, with a table per performance object (`formats/tables.md#objects`) in the layout of
//! `recount_tables`.

mod answer;
mod bucket;
mod capture;
mod defaults;
mod describe;
mod error;
mod frame;
mod information;
mod intervals;
mod joins;
mod names;
mod needs;
mod qualify;
mod select;
mod standard;
mod statement;
mod tables;
mod times;

use arrow_array::RecordBatch;
use recount_compute::{Input, OnProgress};
use recount_model::Health;

pub use capture::NamedInputs;
pub use error::QueryError;
pub use statement::time_texts;
pub use times::TimeTexts;

use needs::Needs;
use statement::Statement;
use tables::Tables;

/// Answers a query over captures: `SELECT`, or `SHOW TABLES`, `DESCRIBE T` and `SHOW COLUMNS FROM T`, which
/// describe the tables without computing values.
///
/// Memory: that of the pipeline, plus the named columns (all, with a star) of the named objects, at 8 bytes per
/// number and 16 or more per text.
pub fn query(
    inputs: &[Input],
    sql: &str,
    progress: OnProgress<'_>,
) -> Result<(RecordBatch, Health), QueryError> {
    query_named(&[NamedInputs { name: None, inputs }], sql, progress)
}

/// Answers a query over several captures, whose tables have prefixes: `monday.Processor`. With a single capture,
/// `Processor` suffices.
pub fn query_named(
    captures: &[NamedInputs<'_>],
    sql: &str,
    progress: OnProgress<'_>,
) -> Result<(RecordBatch, Health), QueryError> {
    let names: Vec<&str> = captures.iter().filter_map(|capture| capture.name).collect();
    match Statement::parse(sql, &names)? {
        Statement::Select { needs, sql } => select::select(captures, &sql, &needs, progress),
        Statement::Tables => described(captures, describe::tables),
        Statement::Columns(table) => {
            let Some(capture) = captures.iter().find(|capture| capture.own(&table).is_some()) else {
                return Err(QueryError::UnknownTable { name: table, near: Vec::new() });
            };
            let own = capture.own(&table).unwrap_or_default();
            let nothing = Needs::default();
            let (tables, health) = surveyed(capture, &nothing);
            Ok((describe::columns(&tables, own).map_err(|error| capture.named(error))?, health))
        }
    }
}

/// The tables of captures, with the names of their columns.
pub fn tables(inputs: &[Input]) -> Result<(RecordBatch, Health), QueryError> {
    described(&[NamedInputs { name: None, inputs }], describe::tables_and_columns)
}

/// Tables of captures, with the names of the captures.
type Described<'n, 't> = [(Option<&'n str>, Tables<'t>)];

fn described(
    captures: &[NamedInputs<'_>],
    describe: impl FnOnce(&Described<'_, '_>) -> Result<RecordBatch, QueryError>,
) -> Result<(RecordBatch, Health), QueryError> {
    let nothing = Needs::default();
    let mut health = Health::default();
    let mut all = Vec::new();
    for capture in captures {
        let (tables, found) = surveyed(capture, &nothing);
        health.absorb(found);
        all.push((capture.name, tables));
    }
    Ok((describe(&all)?, health))
}

/// The tables of a capture, without computing values.
fn surveyed<'t>(capture: &NamedInputs<'_>, nothing: &'t Needs) -> (Tables<'t>, Health) {
    let mut tables = Tables::known(capture.inputs, nothing);
    let health = tables.survey(capture.inputs);
    (tables, health)
}

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
