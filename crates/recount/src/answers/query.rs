//! SQL over captures: for `recount query`.

use arrow_array::RecordBatch;
use recount_compute::Progress;
use recount_model::Health;
use recount_sql::QueryError;

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

/// The tables that a query over captures may name, with their columns. No value is computed.
pub fn tables(captures: &[Capture], span: &Span) -> Result<(RecordBatch, Health), QueryError> {
    recount_sql::tables(&inputs(captures, span))
}
