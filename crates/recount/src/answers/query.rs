//! SQL over captures: for `recount query`.

use arrow_array::RecordBatch;
use recount_compute::Progress;
use recount_model::Health;
use recount_sql::{NamedInputs, QueryError};

use crate::{Capture, Span, inputs};

/// Answers a query over captures, one table per performance object.
pub fn query(
    captures: &[Capture],
    span: &Span,
    sql: &str,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(RecordBatch, Health), QueryError> {
    recount_sql::query(&inputs(captures, span), sql, progress)
}

/// Captures that form one time line, with the name that queries use for them.
#[derive(Clone)]
pub struct NamedCaptures {
    /// Prefix of their tables: `monday.Processor`.
    pub name: String,
    /// The captures.
    pub captures: Vec<Capture>,
    /// Which of their samples to use.
    pub span: Span,
}

/// Answers a query over several captures; their tables are prefixed with their names. If there is only one, its tables
/// can also be named without the prefix.
pub fn query_named(
    captures: &[NamedCaptures],
    sql: &str,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(RecordBatch, Health), QueryError> {
    let all: Vec<_> = captures.iter().map(|named| inputs(&named.captures, &named.span)).collect();
    let named = captures.iter().zip(&all);
    let named: Vec<_> =
        named.map(|(named, inputs)| NamedInputs { name: Some(&named.name), inputs }).collect();
    recount_sql::query_named(&named, sql, progress)
}

/// The tables that a query over captures may name, with their columns. No value is computed.
pub fn tables(captures: &[Capture], span: &Span) -> Result<(RecordBatch, Health), QueryError> {
    recount_sql::tables(&inputs(captures, span))
}
