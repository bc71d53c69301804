//! SQL over captures: for `recount query`.

use arrow_array::RecordBatch;
use recount_compute::OnProgress;
use recount_model::Health;
use recount_sql::{NamedInputs, QueryError};

use crate::Timeline;

/// Answers a query over captures, one table per performance object.
pub fn query(
    timeline: &Timeline,
    sql: &str,
    progress: OnProgress<'_>,
) -> Result<(RecordBatch, Health), QueryError> {
    recount_sql::query(timeline.inputs(), sql, progress)
}

/// A time line with the name that queries use for it.
#[derive(Clone)]
pub struct NamedTimeline {
    /// Prefix of its tables: `monday.Processor`.
    pub name: String,
    /// The captures.
    pub timeline: Timeline,
}

/// Answers a query over several time lines; their tables are prefixed with their names. If there is only one, its tables
/// can also be named without the prefix.
pub fn query_named(
    timelines: &[NamedTimeline],
    sql: &str,
    progress: OnProgress<'_>,
) -> Result<(RecordBatch, Health), QueryError> {
    let named = timelines.iter();
    let named: Vec<_> =
        named.map(|of| NamedInputs { name: Some(&of.name), inputs: of.timeline.inputs() }).collect();
    recount_sql::query_named(&named, sql, progress)
}

/// The tables that a query over captures may name, with their columns. No value is computed.
pub fn tables(timeline: &Timeline) -> Result<(RecordBatch, Health), QueryError> {
    recount_sql::tables(timeline.inputs())
}
