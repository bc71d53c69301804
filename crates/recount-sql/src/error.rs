//! Why a query has no answer.

use std::sync::Arc;

use polars::prelude::PolarsError;

use crate::names::near;

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The query isn't SQL, or not of a kind that is known.
    #[error("the query: {0}")]
    Sql(String),
    /// A table that isn't there.
    #[error("there is no table {name:?}{}", like(near))]
    UnknownTable {
        /// As the query writes it.
        name: String,
        /// Tables of names like it.
        near: Vec<String>,
    },
    /// A name that several tables have, if case and punctuation are left aside.
    #[error("{name:?} may be any of the tables {}", quoted(tables))]
    Ambiguous {
        /// As the query writes it.
        name: String,
        /// The tables.
        tables: Vec<String>,
    },
    /// A column that isn't there.
    #[error("there is no column {name:?} in the tables of the query{}", like(near))]
    UnknownColumn {
        /// As the query writes it.
        name: String,
        /// Columns of names like it.
        near: Vec<String>,
    },
}

impl QueryError {
    pub(crate) fn of_sql(error: &PolarsError) -> QueryError {
        QueryError::Sql(text(error))
    }

    /// Finds names like the one that isn't there.
    pub(crate) fn of_query(error: &PolarsError, columns: &[String], tables: &[Arc<str>]) -> QueryError {
        let said = text(error);
        let Some(name) = first_quoted(&said) else { return QueryError::Sql(said) };
        let is_of_sql = matches!(error, PolarsError::SQLInterface(_) | PolarsError::SQLSyntax(_));
        let is_column = matches!(error, PolarsError::ColumnNotFound(_) | PolarsError::SchemaFieldNotFound(_));
        let is_missing = said.contains("not found") || said.contains("no column");
        if matches!(error, PolarsError::SQLInterface(_))
            && said.contains("relation")
            && said.contains("not found")
        {
            let near = near(&name, tables.iter().map(|table| &**table).chain(["counters", "nulls"]));
            QueryError::UnknownTable { name, near }
        } else if is_column || (is_of_sql && said.contains("column") && is_missing) {
            let near = near(&name, columns.iter().map(String::as_str));
            QueryError::UnknownColumn { name, near }
        } else {
            QueryError::Sql(said)
        }
    }
}

/// The first lines of a message: behind them stand the library's own plans.
fn text(error: &PolarsError) -> String {
    let said = error.to_string();
    said.lines().next().unwrap_or_default().trim_end_matches(':').to_owned()
}

fn first_quoted(text: &str) -> Option<String> {
    let quote = text.find(['"', '\'', '`'])?;
    let mark = text[quote..].chars().next()?;
    let inside = &text[quote + 1..];
    Some(inside[..inside.find(mark)?].to_owned())
}

fn like(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; there is {}", quoted(near)) }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}
