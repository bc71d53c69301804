//! Figures as a table.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampNanosecondArray, UInt64Array};
use recount_model::{Status, Timestamp};

use super::StatsRow;
use crate::{Answer, AnswerError};

/// The rows as a table: names, figures, and a column for each reason for missing values that occurs.
pub fn stats_table(rows: &[StatsRow]) -> Result<Answer, AnswerError> {
    let texts = |name: &'static str, of: fn(&StatsRow) -> Option<&str>| -> (String, ArrayRef) {
        (name.to_owned(), Arc::new(rows.iter().map(of).collect::<StringArray>()))
    };
    let numbers = |name: &'static str, of: fn(&StatsRow) -> Option<f64>| -> (String, ArrayRef) {
        (name.to_owned(), Arc::new(rows.iter().map(of).collect::<Float64Array>()))
    };
    let counts = |name: &str, of: &dyn Fn(&StatsRow) -> u64| -> (String, ArrayRef) {
        (name.to_owned(), Arc::new(UInt64Array::from_iter_values(rows.iter().map(of))))
    };
    let mut columns = vec![
        texts("host", |row| row.host.as_deref()),
        texts("object", |row| Some(&row.object)),
        texts("instance", |row| row.instance.as_deref()),
    ];
    if rows.iter().any(|row| row.instance_id.is_some()) {
        let ids = rows.iter().map(|row| row.instance_id).collect::<UInt64Array>();
        columns.push(("instance_id".to_owned(), Arc::new(ids)));
    }
    columns.extend([texts("counter", |row| Some(&row.counter)), texts("unit", |row| Some(row.unit))]);
    if rows.iter().any(|row| row.bucket.is_some()) {
        columns.push(("bucket".to_owned(), buckets(rows)));
    }
    columns.push(counts("count", &|row| row.count));
    columns.push(counts("nulls", &StatsRow::num_nulls));
    columns.extend([
        numbers("min", |row| row.min),
        numbers("mean", |row| row.mean),
        numbers("max", |row| row.max),
        numbers("std", |row| row.std),
        numbers("p50", |row| row.p50),
        numbers("p90", |row| row.p90),
        numbers("p95", |row| row.p95),
        numbers("p99", |row| row.p99),
        numbers("trend_per_hour", |row| row.trend_per_hour),
        numbers("first", |row| row.first),
        numbers("last", |row| row.last),
    ]);
    for (reason, status) in Status::REASONS.iter().enumerate() {
        if rows.iter().any(|row| row.nulls[reason] > 0) {
            let name = format!("nulls_{}", status.as_str().replace('-', "_"));
            columns.push(counts(&name, &|row| row.nulls[reason]));
        }
    }
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns)?.try_into()
}

/// Times in the form used by the tables.
fn buckets(rows: &[StatsRow]) -> ArrayRef {
    let nanos = rows.iter().map(|row| row.bucket.and_then(Timestamp::unix_nanos));
    Arc::new(nanos.collect::<TimestampNanosecondArray>().with_timezone("UTC"))
}
