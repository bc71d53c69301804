//! SQL over captures: a table per performance object (`formats/tables.md#objects`).

mod answer;
mod error;
mod names;
mod tables;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use arrow_array::RecordBatch;
use polars::prelude::{DataFrame, IntoLazy, PolarsResult};
use polars::sql::{SQLContext, extract_table_identifiers};
use recount_compute::{CookOptions, Input, PipelineOptions, Progress, run};
use recount_model::{CounterPath, Health, Pattern, Selection};

pub use error::QueryError;
pub use names::{Resolved, TableName, resolve};

use tables::{CountersTable, Mentioned, NullsTable, ObjectTable};

/// Answers a query over captures whose objects are `objects`.
///
/// Memory: that of the pipeline, and of the objects that the query names the rows, 50 bytes each and 8 for each column that
/// it names (all, if it has a star).
pub fn query(
    inputs: &[Input],
    objects: &[Arc<str>],
    sql: &str,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(RecordBatch, Health), QueryError> {
    let plan = Plan::new(objects, sql)?;
    let mentioned = Mentioned::new(sql);
    let mut by_object: BTreeMap<Arc<str>, ObjectTable> = BTreeMap::new();
    let (mut counters, mut nulls) = (CountersTable::default(), NullsTable::default());
    let cook = CookOptions { selection: plan.selection(), ..CookOptions::default() };
    let options = PipelineOptions { cook, ..PipelineOptions::default() };
    let done = run(inputs, &options, |batch, step| {
        for cooked in &batch {
            if plan.objects.values().any(|object| **object == *cooked.object.name) {
                let table = by_object.entry(Arc::clone(&cooked.object.name)).or_insert_with(ObjectTable::new);
                table.add(cooked, &mentioned);
            }
            if plan.wants_counters() {
                counters.add(cooked);
            }
            if plan.wants_nulls() {
                nulls.add(cooked);
            }
        }
        progress(step);
        Ok::<(), Infallible>(())
    });
    let health = done.unwrap_or_else(|never| match never {});

    let columns: Vec<String> =
        by_object.values().flat_map(|table| table.names().map(str::to_owned).collect::<Vec<_>>()).collect();
    let mut context = SQLContext::new();
    let finished: PolarsResult<BTreeMap<Arc<str>, DataFrame>> =
        by_object.into_iter().map(|(name, table)| Ok((name, table.finish()?))).collect();
    let finished = finished.map_err(|error| QueryError::of_sql(&error))?;
    for (name, object) in &plan.objects {
        if let Some(frame) = finished.get(object.as_str()) {
            context.register(name, frame.clone().lazy());
        }
    }
    let (counters, nulls) = (counters.finish(), nulls.finish());
    for (name, frame) in
        plan.counters.iter().map(|name| (name, &counters)).chain(plan.nulls.iter().map(|name| (name, &nulls)))
    {
        let frame = frame.as_ref().map_err(QueryError::of_sql)?;
        context.register(name, frame.clone().lazy());
    }
    let failed = |error| QueryError::of_query(&error, &columns, objects);
    let answer = context.execute(sql).map_err(failed)?.collect().map_err(failed)?;
    let batch = answer::batch(&answer).map_err(failed)?;
    Ok((batch, health))
}

/// Which tables a query names, and what they are.
struct Plan {
    /// As named by the query, each with its object.
    objects: BTreeMap<String, String>,
    /// Names that the query has for the catalogue, and for what is missing.
    counters: Vec<String>,
    nulls: Vec<String>,
}

impl Plan {
    fn new(objects: &[Arc<str>], sql: &str) -> Result<Plan, QueryError> {
        let mut plan = Plan { objects: BTreeMap::new(), counters: Vec::new(), nulls: Vec::new() };
        for name in tables_of(sql)? {
            match resolve(&name, objects.iter().map(|object| &**object)) {
                Resolved::Table(TableName::Object(object)) => {
                    plan.objects.insert(name, object);
                }
                Resolved::Table(TableName::Counters) => plan.counters.push(name),
                Resolved::Table(TableName::Nulls) => plan.nulls.push(name),
                Resolved::Ambiguous(tables) => return Err(QueryError::Ambiguous { name, tables }),
                // A name that the query gives itself, or one of which the error tells.
                Resolved::Unknown => {}
            }
        }
        Ok(plan)
    }

    fn wants_counters(&self) -> bool {
        !self.counters.is_empty()
    }

    fn wants_nulls(&self) -> bool {
        !self.nulls.is_empty()
    }

    /// The objects that it names; everything, if it asks for the catalogue or for what is missing.
    fn selection(&self) -> Selection {
        if self.wants_counters() || self.wants_nulls() {
            return Selection::all();
        }
        let pattern = |object: &String| Pattern::Path(CounterPath::of("", object, None, "*"));
        Selection { patterns: self.objects.values().map(pattern).collect() }
    }
}

/// The tables that a query names, as it writes them, each once. Names that the query itself gives (`WITH`) are among them.
fn tables_of(sql: &str) -> Result<Vec<String>, QueryError> {
    let first =
        sql.trim_start().trim_start_matches('(').split_whitespace().next().unwrap_or_default().to_lowercase();
    if !["select", "with", "from"].contains(&first.as_str()) {
        return Err(QueryError::Sql(format!(
            "only SELECT and WITH are answered, and it begins with {first:?}"
        )));
    }
    extract_table_identifiers(sql, false, true).map_err(|error| QueryError::of_sql(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_as_written() {
        let sql = r#"WITH busy AS (SELECT * FROM "Network Interface") SELECT * FROM busy JOIN Processor USING (time)"#;
        let mut tables = tables_of(sql).expect("sound");
        tables.sort();
        assert_eq!(tables, ["Network Interface", "Processor", "busy"]);
        assert!(matches!(tables_of("SELEC x"), Err(QueryError::Sql(_))));
    }

    #[test]
    fn a_query_says_what_it_needs() {
        let objects = ["Processor".into(), "Network Interface".into()];
        let plan = Plan::new(&objects, "SELECT 1 FROM network_interface JOIN processor USING (time)")
            .expect("sound");
        assert_eq!(plan.objects.values().collect::<Vec<_>>(), ["Network Interface", "Processor"]);
        assert_eq!(plan.selection().patterns.len(), 2);
        assert!(Plan::new(&objects, "SELECT * FROM counters").expect("sound").selection().is_all());
    }
}
