//! SQL over the tables of a capture, one table per performance object (`formats/tables.md#objects`).

mod directory;
mod error;
mod names;

use polars::prelude::LazyFrame;
use polars::sql::{SQLContext, extract_table_identifiers};

pub use directory::TableDirectory;
pub use error::QueryError;
pub use names::{Resolved, TableName, resolve};

use crate::Answer;

/// The tables that a query names, as it writes them, in order and each once. Names that the query itself gives (`WITH`)
/// are among them.
pub fn tables_of(sql: &str) -> Result<Vec<String>, QueryError> {
    extract_table_identifiers(sql, false, true).map_err(|error| QueryError::of_sql(&error))
}

/// Answers a query over the tables of a directory. Memory: what the query keeps; tables are read in batches, and only
/// the columns and rows that it needs.
pub fn query(directory: &TableDirectory, sql: &str) -> Result<Answer, QueryError> {
    let context = SQLContext::new();
    let mut columns = Vec::new();
    for name in tables_of(sql)? {
        // Others are names that the query itself gives, or unknown: of that the error tells.
        let Some(table) = directory.table(&name) else { continue };
        let mut frame = table.frame()?;
        let schema = frame.collect_schema().map_err(|error| QueryError::of_table(&name, &error))?;
        columns.extend(schema.iter_names().map(ToString::to_string));
        context.register(&name, frame);
    }
    let failed = |error| QueryError::of_query(&error, &columns, &directory.names());
    let mut context = context;
    let frame: LazyFrame = context.execute(sql).map_err(failed)?;
    frame.with_streaming(true).collect().map(Answer::new).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_as_written() {
        let sql = r#"WITH busy AS (SELECT * FROM "Network Interface") SELECT * FROM busy JOIN Processor USING (time)"#;
        assert_eq!(tables_of(sql).expect("sound"), ["Network Interface", "busy", "Processor"]);
        assert!(matches!(tables_of("SELEC x"), Err(QueryError::Sql(_))));
    }
}
