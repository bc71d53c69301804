//! SQL over captures: a table per performance object (`formats/tables.md#objects`), as `recount_tables` lays it out.

mod answer;
mod defaults;
mod describe;
mod error;
mod frame;
mod names;
mod needs;
mod select;
mod statement;
mod tables;

use arrow_array::RecordBatch;
use recount_compute::{Input, Progress};
use recount_model::Health;

pub use error::QueryError;

use needs::Needs;
use statement::Statement;
use tables::Tables;

/// Answers a query over captures: `SELECT`, or about the tables themselves `SHOW TABLES`, `DESCRIBE T` and
/// `SHOW COLUMNS FROM T`, for which no value is computed.
///
/// Memory: that of the pipeline, and of the objects that the query names the columns that it names (all, if it has a
/// star), 8 bytes a number and 16 or more a text.
pub fn query(
    inputs: &[Input],
    sql: &str,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(RecordBatch, Health), QueryError> {
    match Statement::parse(sql)? {
        Statement::Select(needs, sql) => select::select(inputs, &sql, &needs, progress),
        Statement::Tables => described(inputs, describe::tables),
        Statement::Columns(table) => described(inputs, |tables| describe::columns(tables, &table)),
    }
}

/// The tables that captures have, with the names of their columns.
pub fn tables(inputs: &[Input]) -> Result<(RecordBatch, Health), QueryError> {
    described(inputs, describe::tables_and_columns)
}

fn described(
    inputs: &[Input],
    describe: impl FnOnce(&Tables<'_>) -> Result<RecordBatch, QueryError>,
) -> Result<(RecordBatch, Health), QueryError> {
    let nothing = Needs::default();
    let mut tables = Tables::known(inputs, &nothing);
    let health = tables.survey(inputs);
    Ok((describe(&tables)?, health))
}
