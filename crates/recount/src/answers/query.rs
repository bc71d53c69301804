//! SQL over captures: for `recount query`.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use recount_compute::Progress;
use recount_model::{Health, Selection};
use recount_sql::QueryError;

use crate::catalogue::Catalogue;
use crate::{Capture, Span, inputs};

/// Answers a query over captures, one table per performance object.
pub fn query(
    captures: &[Capture],
    span: &Span,
    sql: &str,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(RecordBatch, Health), QueryError> {
    let (catalogue, _) = Catalogue::read(captures, &Selection::all());
    let objects: BTreeSet<Arc<str>> =
        catalogue.objects.iter().map(|found| Arc::clone(&found.object.name)).collect();
    let objects: Vec<Arc<str>> = objects.into_iter().collect();
    recount_sql::query(&inputs(captures, span), &objects, sql, progress)
}
