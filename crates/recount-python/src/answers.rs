//! Answers over captures: statistics, SQL, and what changed between two.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use recount::FindingKind;
use recount::Period;
use recount::analysis::diff::{diff_html, diff_json};
use recount::analysis::roster::{Grouping, InstanceGrouping};
use recount::analysis::stats::{StatsOptions, StatsRow, stats_table};

use crate::capture::{Capture, num_samples};
use crate::errors::{failed, told, warn_of};
#[cfg(feature = "sql")]
use crate::interrupt::work;
use crate::interrupt::{Watcher, work_watched};
use crate::selection::{check_matched, check_names};
use crate::table::Table;
use crate::wanted::{Wanted, period};

/// Statistics of every series, like `recount stats`.
#[pyfunction]
#[pyo3(signature = (capture, wanted, by, group_by, progress=None))]
pub(crate) fn stats(
    py: Python<'_>,
    capture: &Capture,
    wanted: &Bound<'_, PyDict>,
    by: Option<&str>,
    group_by: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let wanted: Wanted = wanted.extract()?;
    if let Some(other) = group_by.iter().find(|key| !["host", "instance"].contains(&key.as_str())) {
        return Err(PyValueError::new_err(format!(
            "{other:?}: group_by has \"host\", \"instance\", or neither"
        )));
    }
    let has = |key: &str| group_by.iter().any(|known| known == key);
    let instances = if has("instance") { InstanceGrouping::Tasks } else { InstanceGrouping::Together };
    let bucket = by.map(period).transpose()?;
    let grouping = Grouping { by_host: has("host"), instances };
    let found = statistics(py, capture, &wanted, (grouping, bucket), progress)?;
    let table = stats_table(&found.rows).map_err(|error| failed(py, &error))?;
    Table::of(py, table, found.is_zone_unknown)
}

/// Statistics of the series of a capture.
pub(crate) struct Statistics {
    pub(crate) rows: Vec<StatsRow>,
    pub(crate) is_zone_unknown: bool,
    pub(crate) has_hosts: bool,
}

/// Statistics of the series that are wanted, grouped, and for each period if there is one. Says what selects nothing.
pub(crate) fn statistics(
    py: Python<'_>,
    capture: &Capture,
    wanted: &Wanted,
    (grouping, bucket): (Grouping, Option<Period>),
    progress: Option<Py<PyAny>>,
) -> PyResult<Statistics> {
    let selection = wanted.selection(py)?;
    let bucket = bucket.map(Period::ticks);
    let options = StatsOptions { selection: selection.clone(), grouping, bucket, ..StatsOptions::default() };
    let timeline = capture.checked(py, wanted, &selection)?;
    let (is_zone_unknown, has_hosts) = (timeline.is_zone_unknown(), timeline.hosts().len() > 1);
    let watcher = Watcher::of(progress, num_samples(&timeline));
    let done =
        work_watched(py, watcher, move |cancel| recount::stats(&timeline, &options, &|at| cancel.step(at)))?;
    let (rows, found) = done.map_err(|error| failed(py, &error))?;
    warn_of(py, &capture.name(), &found)?;
    check_matched(py, capture.captures(), &selection, rows.len())?;
    Ok(Statistics { rows, is_zone_unknown, has_hosts })
}

/// Answers an SQL query over captures with names.
#[cfg(feature = "sql")]
#[pyfunction]
pub(crate) fn query(
    py: Python<'_>,
    captures: Vec<(String, Py<Capture>)>,
    wanted: &Bound<'_, PyDict>,
    sql: String,
) -> PyResult<Table> {
    let wanted: Wanted = wanted.extract()?;
    let mut named = Vec::new();
    for (name, capture) in captures {
        let timeline = capture.get().timeline(py, &wanted)?;
        named.push(recount::NamedTimeline { name, timeline });
    }
    let zones = named.iter().map(|named| named.timeline.is_zone_unknown());
    let num_unknown = zones.filter(|is_unknown| *is_unknown).count();
    let is_zone_unknown = num_unknown > 0;
    if is_zone_unknown && num_unknown < named.len() {
        return Err(told(
            py,
            "some of the captures have local times of an unknown zone, which can't be compared with the others: open \
             them with zone=",
        ));
    }
    let names: Vec<String> = named.iter().map(|named| named.timeline.name()).collect();
    let answered = work(py, move |cancel| recount::query_named(&named, &sql, &|_| cancel.decide()))?;
    let (batch, found) = answered.map_err(|error| failed(py, &error))?;
    warn_of(py, &names.join(", "), &found)?;
    Table::new(py, batch, is_zone_unknown)
}

/// Fails: the SQL engine wasn't built in.
#[cfg(not(feature = "sql"))]
#[pyfunction]
pub(crate) fn query(
    py: Python<'_>,
    captures: Vec<(String, Py<Capture>)>,
    wanted: &Bound<'_, PyDict>,
    sql: String,
) -> PyResult<Table> {
    let _ = (captures, wanted, sql);
    Err(told(
        py,
        "this recount was built without SQL, which takes longer to build than all the rest: to have it, pip install \
         ./python --config-settings=build-args=\"--features sql\"",
    ))
}

/// What changed between two captures.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Difference {
    #[pyo3(get)]
    json: String,
    #[pyo3(get)]
    html: String,
}

/// Compares two captures, as `recount diff` does.
#[pyfunction]
#[pyo3(signature = (base, new, wanted, title, progress=None))]
pub(crate) fn diff(
    py: Python<'_>,
    base: &Capture,
    new: &Capture,
    wanted: &Bound<'_, PyDict>,
    title: String,
    progress: Option<Py<PyAny>>,
) -> PyResult<Difference> {
    let wanted: Wanted = wanted.extract()?;
    let selection = wanted.selection(py)?;
    let both = [base.captures(), new.captures()].concat();
    check_names(py, &both, &selection)?;
    let sides = (base.timeline(py, &wanted)?, new.timeline(py, &wanted)?);
    let watcher = Watcher::of(progress, num_samples(&sides.0) + num_samples(&sides.1));
    let inside = selection.clone();
    let done = work_watched(py, watcher, move |cancel| {
        recount::diff(&sides.0, &sides.1, &inside, &|at| cancel.step(at))
    })?;
    let difference = done.map_err(|error| failed(py, &error))?;
    check_matched(py, &both, &selection, difference.changes.len())?;
    if difference.changes.is_empty() {
        return Err(told(py, "no counter has values in both captures"));
    }
    for (capture, side) in [(base, &difference.base), (new, &difference.new)] {
        // Elapsed time counts from the first samples.
        warn_of(py, &capture.name(), &side.health.clone().without(FindingKind::Time))?;
    }
    let html = diff_html(&difference, &[], &[], &title).map_err(|error| failed(py, &error))?;
    Ok(Difference { json: diff_json(&difference, &[], &[]).to_string(), html })
}
