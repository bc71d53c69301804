//! Why a query has no answer.

use std::sync::Arc;

use polars::prelude::PolarsError;

use super::names::near;

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
    pub(super) fn of_sql(error: &PolarsError) -> QueryError {
        QueryError::Sql(text(error))
    }

    /// Finds names like the one that isn't there.
    pub(super) fn of_query(error: &PolarsError, columns: &[String], tables: &[Arc<str>]) -> QueryError {
        let said = text(error);
        let name = first_quoted(&said);
        match (error, name) {
            (PolarsError::ColumnNotFound(_) | PolarsError::SchemaFieldNotFound(_), Some(name)) => {
                let near = near(&name, columns.iter().map(String::as_str));
                QueryError::UnknownColumn { name, near }
            }
            (PolarsError::SQLInterface(_), Some(name))
                if said.contains("relation") && said.contains("not found") =>
            {
                let near = near(&name, tables.iter().map(|table| &**table).chain(["counters", "nulls"]));
                QueryError::UnknownTable { name, near }
            }
            (PolarsError::SQLInterface(_) | PolarsError::SQLSyntax(_), Some(name))
                if said.contains("column") && (said.contains("not found") || said.contains("no column")) =>
            {
                let near = near(&name, columns.iter().map(String::as_str));
                QueryError::UnknownColumn { name, near }
            }
            _ => QueryError::Sql(said),
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
