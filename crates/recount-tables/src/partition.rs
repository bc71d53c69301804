//! Partitions: one file per host, per day, or both (`formats/tables.md#partitions`).

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, TimestampNanosecondType};
use arrow_array::{Array, BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, Schema, SchemaRef};

use crate::PartitionKey;
use crate::safe_name::{is_forbidden, percent_decode, percent_encode};
use crate::schema;

const NANOS_PER_DAY: i64 = 86_400 * 1_000_000_000;

/// The value of a partition whose rows have none.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// Column of a table that a partition by host replaces.
const HOST: &str = schema::HOST.name;

/// One partition of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Partition {
    /// Its directories, such as `host=WEB1/date=2013-02-20`; empty for a table without partitions.
    pub(crate) directory: String,
    /// Its day since 1970-01-01, if partitioned by day.
    pub(crate) day: Option<i64>,
}

impl PartitionKey {
    const ALL: [PartitionKey; 2] = [PartitionKey::Host, PartitionKey::Date];

    /// How the names of its directories begin.
    const fn prefix(self) -> &'static str {
        match self {
            PartitionKey::Host => "host=",
            PartitionKey::Date => "date=",
        }
    }

    /// Whether a directory has the name of a partition.
    pub fn is_partition(directory: &str) -> bool {
        PartitionKey::ALL.iter().any(|key| directory.starts_with(key.prefix()))
    }
}

/// The host in a file's path: `None` if there is none, empty if the host is marked as unknown.
pub(crate) fn host_in(path: &str) -> Option<String> {
    let (directories, _) = path.rsplit_once('/')?;
    let value = directories
        .split('/')
        .rev()
        .find_map(|directory| directory.strip_prefix(PartitionKey::Host.prefix()))?;
    Some(if value == NO_VALUE { String::new() } else { percent_decode(value) })
}

/// The columns of the files: those of the table, without those given by the directories.
pub(crate) fn file_schema(schema: &SchemaRef, keys: &[PartitionKey]) -> SchemaRef {
    if !keys.contains(&PartitionKey::Host) {
        return Arc::clone(schema);
    }
    let fields = schema.fields().iter().filter(|field| field.name() != HOST).cloned();
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The day since 1970-01-01 of a time in nanoseconds.
pub(crate) fn day_of(nanos: i64) -> i64 {
    nanos.div_euclid(NANOS_PER_DAY)
}

/// Cuts a batch, sorted by `time`, its first column, into partitions, which stay sorted.
pub(crate) fn split(
    batch: &RecordBatch,
    keys: &[PartitionKey],
) -> Result<Vec<(Partition, RecordBatch)>, ArrowError> {
    let mut parts = Vec::new();
    for (day, batch) in by_day(batch, keys) {
        for (host, batch) in by_host(&batch, keys)? {
            let directories: Vec<String> = keys
                .iter()
                .map(|key| {
                    let value = match key {
                        PartitionKey::Host => hive_value(host.as_deref()),
                        PartitionKey::Date => date(day.unwrap_or_default()),
                    };
                    format!("{}{value}", key.prefix())
                })
                .collect();
            parts.push((Partition { directory: directories.join("/"), day }, batch));
        }
    }
    Ok(parts)
}

fn by_day(batch: &RecordBatch, keys: &[PartitionKey]) -> Vec<(Option<i64>, RecordBatch)> {
    if !keys.contains(&PartitionKey::Date) {
        return vec![(None, batch.clone())];
    }
    let times = batch.column(0).as_primitive::<TimestampNanosecondType>().values();
    let mut parts = Vec::new();
    let mut start = 0;
    while start < times.len() {
        let day = day_of(times[start]);
        let num = times[start..].partition_point(|&time| day_of(time) <= day);
        parts.push((Some(day), batch.slice(start, num)));
        start += num;
    }
    parts
}

fn by_host(
    batch: &RecordBatch,
    keys: &[PartitionKey],
) -> Result<Vec<(Option<String>, RecordBatch)>, ArrowError> {
    if !keys.contains(&PartitionKey::Host) {
        return Ok(vec![(None, batch.clone())]);
    }
    let at = batch.schema().index_of(HOST)?;
    let hosts = batch.column(at).as_dictionary::<Int32Type>();
    let names = hosts.values().as_string::<i32>();
    // After interleaving batches, a dictionary may contain a name twice.
    let first: Vec<i32> = (0..names.len())
        .map(|key| (0..key).find(|other| names.value(*other) == names.value(key)).unwrap_or(key) as i32)
        .collect();
    let first_of = |key: Option<i32>| key.map(|key| first[key as usize]);
    let mut found: Vec<Option<i32>> = Vec::new();
    for key in hosts.keys().iter().map(first_of) {
        if found.last() != Some(&key) && !found.contains(&key) {
            found.push(key);
        }
    }
    let kept: Vec<usize> = (0..batch.num_columns()).filter(|&column| column != at).collect();
    let rest = batch.project(&kept)?;
    let parts = found.iter().map(|&host| {
        let name = host.map(|key| names.value(key as usize).to_owned());
        if found.len() == 1 {
            return Ok((name, rest.clone()));
        }
        let rows: BooleanArray = hosts.keys().iter().map(|key| Some(first_of(key) == host)).collect();
        Ok((name, arrow_select::filter::filter_record_batch(&rest, &rows)?))
    });
    parts.collect()
}

/// A value in a directory's name, as in Hive: characters that aren't allowed in a path are percent-encoded,
/// and a missing value has a special name.
fn hive_value(value: Option<&str>) -> String {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return NO_VALUE.into();
    };
    let mut out = String::with_capacity(value.len());
    let last = value.chars().count() - 1;
    for (at, c) in value.chars().enumerate() {
        let awkward_here = at == last && matches!(c, '.' | ' ');
        if awkward_here || is_forbidden(c) || matches!(c, '"' | '#' | '\'' | '=' | '^' | ' ' | '+') {
            percent_encode(c, &mut out);
        } else {
            out.push(c);
        }
    }
    out
}

/// `2013-02-20`.
fn date(day: i64) -> String {
    // 64 bits of nanoseconds span 106,752 days in either direction, well within the calendar.
    match jiff::Timestamp::from_second(day * 86_400) {
        Ok(time) => jiff::tz::Offset::UTC.to_datetime(time).date().to_string(),
        Err(_) => day.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_begin_at_midnight_utc() {
        assert_eq!(date(day_of(1_361_328_617_844_722_500)), "2013-02-20");
        assert_eq!(date(day_of(-1)), "1969-12-31");
        assert_eq!(date(day_of(0)), "1970-01-01");
    }

    #[test]
    fn values_are_encoded_as_hive_does() {
        assert_eq!(hive_value(Some("web1.example.org")), "web1.example.org");
        assert_eq!(hive_value(Some("a/b=c%")), "a%2Fb%3Dc%25");
        assert_eq!(hive_value(Some("x.")), "x%2E");
        assert_eq!(hive_value(Some("")), "__HIVE_DEFAULT_PARTITION__");
        assert_eq!(hive_value(None), "__HIVE_DEFAULT_PARTITION__");
    }

    #[test]
    fn hosts_are_decoded() {
        assert_eq!(host_in("Memory/host=web%2F2/date=2013-02-20/part-0.parquet").as_deref(), Some("web/2"));
        assert_eq!(host_in("date=2013-02-20/host=%C3%A9%/part-0.parquet").as_deref(), Some("é%"));
        assert_eq!(host_in("host=__HIVE_DEFAULT_PARTITION__/x.parquet").as_deref(), Some(""));
        assert_eq!(host_in("date=2013-02-20/host=a.parquet"), None);
        assert_eq!(host_in("Memory.parquet"), None);
    }

    #[test]
    fn what_is_written_as_a_directory_is_read_back() {
        for host in ["web1.example.org", "a/b=c%", "x.", "é \u{1}", "%41"] {
            let path = format!("{}{}/part-0.parquet", PartitionKey::Host.prefix(), hive_value(Some(host)));
            assert_eq!(host_in(&path).as_deref(), Some(host), "{path}");
        }
        assert!(PartitionKey::is_partition("date=2013-02-20") && !PartitionKey::is_partition("dates"));
    }
}
