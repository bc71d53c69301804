//! Figures as a table.

use polars::prelude::{
    Column, DataFrame, DataType, IntoColumn, NamedFrom, PolarsResult, Series, TimeUnit, TimeZone,
};
use recount_model::Status;

use super::StatsRow;
use crate::Answer;

/// The rows as a table: names, figures, and a column for each reason of missing values that there is.
pub fn stats_table(rows: &[StatsRow]) -> Answer {
    Answer::new(frame(rows).unwrap_or_default())
}

fn frame(rows: &[StatsRow]) -> PolarsResult<DataFrame> {
    let texts = |name: &str, of: fn(&StatsRow) -> Option<&str>| {
        Series::new(name.into(), rows.iter().map(of).collect::<Vec<_>>()).into_column()
    };
    let numbers = |name: &str, of: fn(&StatsRow) -> Option<f64>| {
        Series::new(name.into(), rows.iter().map(of).collect::<Vec<_>>()).into_column()
    };
    let counts = |name: &str, of: &dyn Fn(&StatsRow) -> u64| {
        Series::new(name.into(), rows.iter().map(of).collect::<Vec<_>>()).into_column()
    };
    let mut columns = vec![
        texts("host", |row| row.host.as_deref()),
        texts("object", |row| Some(&row.object)),
        texts("instance", |row| row.instance.as_deref()),
        texts("counter", |row| Some(&row.counter)),
        texts("unit", |row| Some(row.unit)),
    ];
    if rows.iter().any(|row| row.bucket.is_some()) {
        columns.push(buckets(rows)?);
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
    for (reason, status) in Status::ALL.iter().skip(1).enumerate() {
        if rows.iter().any(|row| row.nulls[reason] > 0) {
            let name = format!("nulls_{}", status.as_str().replace('-', "_"));
            columns.push(counts(&name, &|row| row.nulls[reason]));
        }
    }
    DataFrame::new(rows.len(), columns)
}

/// Times as the tables have them.
fn buckets(rows: &[StatsRow]) -> PolarsResult<Column> {
    let nanos: Vec<Option<i64>> =
        rows.iter().map(|row| row.bucket.and_then(recount_model::Timestamp::unix_nanos)).collect();
    let times = DataType::Datetime(TimeUnit::Nanoseconds, Some(TimeZone::UTC));
    Series::new("bucket".into(), nanos).cast(&times).map(IntoColumn::into_column)
}
