//! Means over time as a table with a column per counter.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, TimestampNanosecondArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use recount::Timestamp;
use recount::analysis::stats::{StatsOptions, StatsRow};

use crate::answers::statistics;
use crate::capture::Capture;
use crate::errors::failed;
use crate::table::Table;
use crate::wanted::{Wanted, period};

/// The mean over time of each series in each period of a length.
#[pyfunction]
#[pyo3(signature = (capture, wanted, every, progress=None))]
pub(crate) fn wide(
    py: Python<'_>,
    capture: &Capture,
    wanted: &Bound<'_, PyDict>,
    every: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let wanted: Wanted = wanted.extract()?;
    let options = StatsOptions { bucket: Some(period(every)?.ticks()), ..StatsOptions::default() };
    let found = statistics(py, capture, &wanted, options, progress)?;
    let batch = pivot(&found.rows, found.has_hosts).map_err(|error| failed(py, &error))?;
    Table::new(py, batch, found.is_zone_unknown)
}

/// A row per period in which a series has a value, a column per series.
fn pivot(rows: &[StatsRow], has_hosts: bool) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let times: BTreeSet<Timestamp> =
        rows.iter().filter(|row| row.count > 0).filter_map(|row| row.bucket).collect();
    let places: HashMap<Timestamp, usize> =
        times.iter().enumerate().map(|(place, time)| (*time, place)).collect();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut columns: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    for row in rows.iter().filter(|row| row.count > 0) {
        let Some(place) = row.bucket.and_then(|time| places.get(&time)) else { continue };
        let name = name_of(row, has_hosts);
        // A process that has the id of one before it, in the same period, is another series.
        let names = (1..).map(|number| if number == 1 { name.clone() } else { format!("{name} ({number})") });
        for name in names {
            let at = *known.entry(name).or_insert_with_key(|name| {
                columns.push((name.clone(), vec![None; times.len()]));
                columns.len() - 1
            });
            let mean = &mut columns[at].1[*place];
            if mean.is_none() {
                *mean = row.mean;
                break;
            }
        }
    }
    let nanos = times.iter().map(|time| time.unix_nanos());
    let times: ArrayRef = Arc::new(nanos.collect::<TimestampNanosecondArray>().with_timezone("UTC"));
    let values = columns.into_iter().map(|(name, values)| {
        let values: ArrayRef = Arc::new(Float64Array::from(values));
        (name, values, true)
    });
    let time = std::iter::once(("time".to_owned(), times, false));
    RecordBatch::try_from_iter_with_nullable(time.chain(values))
}

/// The path of a series; with the id of its process if it has one, since a name may be used again.
fn name_of(row: &StatsRow, has_hosts: bool) -> String {
    let mut path = row.path();
    path.host = path.host.filter(|_| has_hosts);
    let path = path.to_string();
    row.instance_id.map_or_else(|| path.clone(), |id| format!("{path} [{id}]"))
}
