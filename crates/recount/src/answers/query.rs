//! SQL over captures: for `recount query`.

use arrow_array::RecordBatch;
use recount_compute::OnProgress;
use recount_model::{FindingKind, Health};
use recount_sql::{NamedInputs, QueryError, time_texts};

use crate::Timeline;

/// Answers a query over captures, one table per performance object.
pub fn query(
    timeline: &Timeline,
    sql: &str,
    progress: OnProgress<'_>,
) -> Result<(RecordBatch, Health), QueryError> {
    let note = local_times(&[timeline], sql)?;
    let answer = recount_sql::query(timeline.inputs(), sql, progress)?;
    Ok(noted(answer, note))
}

/// Times of an unknown zone can be compared with local times only. What names a zone is refused; that the others are local is
/// noted.
fn local_times(timelines: &[&Timeline], sql: &str) -> Result<Option<String>, QueryError> {
    let Some(unknown) = timelines.iter().find(|timeline| timeline.is_zone_unknown()) else { return Ok(None) };
    let texts = time_texts(sql);
    let name = unknown.name();
    if texts.is_zoned {
        return Err(QueryError::Sql(format!(
            "{name}: its zone is unknown, so its local times can't be compared with a time of a zone, in UTC, or with now(); \
             name the zone (--zone), or write local times: '2026-11-25 14:00:33'"
        )));
    }
    let note = || {
        format!(
            "its zone is unknown: times in the query are compared as local times; --zone names the zone of {name}"
        )
    };
    Ok(texts.is_any.then(note))
}

fn noted((batch, mut health): (RecordBatch, Health), note: Option<String>) -> (RecordBatch, Health) {
    if let Some(note) = note {
        health.note(FindingKind::Time, None, note);
    }
    (batch, health)
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
    let all: Vec<&Timeline> = timelines.iter().map(|of| &of.timeline).collect();
    let note = local_times(&all, sql)?;
    Ok(noted(recount_sql::query_named(&named, sql, progress)?, note))
}

/// The tables that a query over captures may name, with their columns. No value is computed.
pub fn tables(timeline: &Timeline) -> Result<(RecordBatch, Health), QueryError> {
    recount_sql::tables(timeline.inputs())
}
