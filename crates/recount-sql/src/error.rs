//! Why a query failed.

use polars::prelude::PolarsError;
use recount_compute::Cancelled;
use recount_tables::TableError;

use crate::capture::joined;
use crate::names::near;

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The query isn't SQL, or isn't supported.
    #[error("the query: {0}")]
    Sql(String),
    /// A table doesn't exist.
    #[error("there is no table {name:?}{}", like(near))]
    UnknownTable {
        /// As the query writes it.
        name: String,
        /// Tables with similar names.
        near: Vec<String>,
    },
    /// A table has no capture's name before it, and there are several captures.
    #[error("{name:?} is ambiguous: there are {}", quoted(&captures.iter().map(|capture| joined(capture, name)).collect::<Vec<_>>()))]
    Unqualified {
        /// As the query writes it.
        name: String,
        /// Names of the captures.
        captures: Vec<String>,
    },
    /// A table belongs to a capture that doesn't exist.
    #[error("there is no capture {name:?}; there are {}", quoted(captures))]
    UnknownCapture {
        /// As the query writes it.
        name: String,
        /// Names of the captures.
        captures: Vec<String>,
    },
    /// Several tables have this name if case and punctuation are ignored.
    #[error("{name:?} may be any of the tables {}", quoted(tables))]
    Ambiguous {
        /// As the query writes it.
        name: String,
        /// The tables.
        tables: Vec<String>,
    },
    /// A `WITH` query reads a table of the same name.
    #[error("WITH {0:?} AS (...) reads a table of the same name: give it another name")]
    Shadowed(String),
    /// A column doesn't exist.
    #[error("there is no column {name:?} in the tables of the query{}", like_column(name, near))]
    UnknownColumn {
        /// As the query writes it.
        name: String,
        /// Columns with similar names.
        near: Vec<String>,
    },
    /// The values don't make tables.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The query was cancelled while values were read.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl QueryError {
    /// Finds names similar to one that doesn't exist.
    pub(crate) fn of_query(error: &PolarsError, columns: &[&str]) -> QueryError {
        let said = text(error);
        let Some(name) = first_quoted(&said) else { return QueryError::Sql(in_our_words(&said)) };
        let is_of_sql = matches!(error, PolarsError::SQLInterface(_) | PolarsError::SQLSyntax(_));
        let is_column = matches!(error, PolarsError::ColumnNotFound(_) | PolarsError::SchemaFieldNotFound(_));
        let is_missing = said.contains("not found") || said.contains("no column");
        let is_unfound = said.contains("unable to find column");
        if is_column || is_unfound || (is_of_sql && said.contains("column") && is_missing) {
            let near = near(&name, columns.iter().copied());
            QueryError::UnknownColumn { name, near }
        } else {
            QueryError::Sql(in_our_words(&said))
        }
    }
}

impl From<PolarsError> for QueryError {
    fn from(error: PolarsError) -> QueryError {
        QueryError::Sql(in_our_words(&text(&error)))
    }
}

/// The first lines of a message: the library's own plans follow.
fn text(error: &PolarsError) -> String {
    let said = error.to_string();
    said.lines().next().unwrap_or_default().trim_end_matches(':').to_owned()
}

/// A message of the library as users understand it: without its names of types, and with what to do.
fn in_our_words(said: &str) -> String {
    const CAST: &str = "CAST(x AS DOUBLE), CAST(x AS VARCHAR) and CAST(x AS TIMESTAMP) make them the same";
    if said.starts_with("cannot compare") {
        return format!("values of different types are compared; {CAST}");
    }
    if said.starts_with("arithmetic on") {
        return format!("values of different types are added, subtracted, multiplied or divided; {CAST}");
    }
    if said.contains(" not allowed on ") || said.starts_with("got invalid or ambiguous") {
        return format!("values of different types are combined; {CAST}");
    }
    if said.contains("is duplicate") || said.contains("duplicate output name") {
        let name = first_quoted(said).unwrap_or_default();
        return format!("two columns would be called {name:?}; give one another name: x AS y");
    }
    if said.starts_with("conversion from") {
        let found = said.rsplit_once(": ").map_or("", |(_, found)| found);
        return format!(
            "a value can't be converted to the type of the CAST: {found}; TRY_CAST makes it NULL"
        );
    }
    if let Some(name) = said.strip_prefix("unsupported function ") {
        return format!(
            "there is no function {name}; there are count, sum, avg, min, max, median, quantile_cont, stddev, first, last, lag, \
             lead, date_trunc, time_bucket, extract, strftime, round, abs, coalesce and others"
        );
    }
    if said.starts_with("cannot cast List type") {
        return "HAVING compares a column that isn't grouped; write max(x) or avg(x), or add it to GROUP BY"
            .to_owned();
    }
    if said.starts_with("invalid series") || said.starts_with("expected String type") {
        return format!("a function or LIKE is given numbers or times where it takes text; {CAST}");
    }
    if said.contains("'is_in' cannot check") {
        return format!("IN compares values of different types; {CAST}");
    }
    // The library shows what it has parsed.
    if let Some((before, _)) = said.split_once(" { ") {
        let what = before.rsplit(' ').next().unwrap_or_default();
        let what = what.split('(').next().unwrap_or_default();
        return format!("a part of it isn't answered: {what}");
    }
    let mut text = said.replace("CTEs", "WITH queries").replace("not currently supported", "not supported");
    for (theirs, ours) in [
        ("datatype", "the type"),
        ("dtype", "the type"),
        ("datetime[ns]", "time"),
        ("`duration[ns]`", "length of time"),
        ("duration[ns]", "length of time"),
        ("`f64`", "number"),
        ("`str`", "text"),
        ("f64", "number"),
        ("i64", "whole number"),
        ("u64", "whole number"),
        (" currently", ""),
        (" (yet)", ""),
    ] {
        text = text.replace(theirs, ours);
    }
    text
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

fn like_column(name: &str, near: &[String]) -> String {
    format!("{}; text is written in single quotes: '{name}'", like(near))
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}
