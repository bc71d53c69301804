//! Answers over captures: statistics, SQL, and what changed between two.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use recount::FindingKind;
use recount::analysis::attribution::GroupBy;
use recount::analysis::changes::{ChangeOptions, changes_table};
use recount::analysis::diff::{diff_html, diff_json};
use recount::analysis::moved::moved_json;
use recount::analysis::roster::{Grouping, InstanceGrouping};
use recount::analysis::stats::{StatsOptions, StatsRow, stats_table};
use recount::{MovedError, MovedOptions, NoSamples, Period};

use crate::capture::Capture;
use crate::errors::{failed, recount_error, selection_error, warn_of};
#[cfg(feature = "sql")]
use crate::interrupt::work;
use crate::interrupt::{Watcher, work_watched};
use crate::selection::{check_matched, check_names};
use crate::table::Table;
use crate::wanted::{self, Wanted, period};

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
    let bucket = by.map(period).transpose()?.map(Period::ticks);
    let options = StatsOptions { bucket, ..grouped(&group_by)? };
    let found = statistics(py, capture, &wanted, options, progress)?;
    let table = stats_table(&found.rows).map_err(|error| failed(py, &error))?;
    Table::of(py, table, found.is_zone_unknown)
}

/// What `group_by` asks for.
fn grouped(group_by: &[String]) -> PyResult<StatsOptions> {
    let by = |name: &str| GroupBy::NAMES.iter().find(|(known, _)| *known == name).map(|(_, by)| *by);
    let names = || GroupBy::NAMES.map(|(name, _)| format!("{name:?}")).join(", ");
    let is_plain = |key: &str| ["host", "instance"].contains(&key);
    if let Some(other) = group_by.iter().find(|key| !is_plain(key) && by(key).is_none()) {
        return Err(PyValueError::new_err(format!(
            "{other:?}: group_by is made of \"host\" and of one of \"instance\", {}; or it is empty",
            names()
        )));
    }
    let has = |key: &str| group_by.iter().any(|known| known == key);
    let of_processes: Vec<GroupBy> = group_by.iter().filter_map(|key| by(key)).collect();
    if of_processes.len() + usize::from(has("instance")) > 1 {
        return Err(PyValueError::new_err(format!("group_by takes one of \"instance\", {}", names())));
    }
    let has_instances = has("instance") || !of_processes.is_empty();
    let instances = if has_instances { InstanceGrouping::Tasks } else { InstanceGrouping::Together };
    let grouping = Grouping { by_host: has("host"), instances };
    Ok(StatsOptions { grouping, processes: of_processes.first().copied(), ..StatsOptions::default() })
}

/// Statistics of the series of a capture.
pub(crate) struct Statistics {
    pub(crate) rows: Vec<StatsRow>,
    pub(crate) is_zone_unknown: bool,
    pub(crate) has_hosts: bool,
}

/// Statistics of the series that are wanted, as `options` say for all series. Says what selects nothing.
pub(crate) fn statistics(
    py: Python<'_>,
    capture: &Capture,
    wanted: &Wanted,
    options: StatsOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<Statistics> {
    let selection = wanted.selection(py)?;
    let options = StatsOptions { selection: selection.clone(), ..options };
    let timeline = capture.checked(py, wanted, &selection)?;
    let (is_zone_unknown, has_hosts) = (timeline.is_zone_unknown(), timeline.hosts().len() > 1);
    let watcher = Watcher::of(progress, timeline.num_samples());
    let done =
        work_watched(py, watcher, move |cancel| recount::stats(&timeline, &options, &|at| cancel.step(at)))?;
    let (rows, found) = done.map_err(|error| failed(py, &error))?;
    warn_of(py, &capture.name(), &found)?;
    check_matched(py, capture.captures(), &selection, None, rows.len())?;
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
        let timeline = capture.get().timeline_with_samples(py, &wanted)?;
        named.push(recount::NamedTimeline { name, timeline });
    }
    let zones = named.iter().map(|named| named.timeline.is_zone_unknown());
    let num_unknown = zones.filter(|is_unknown| *is_unknown).count();
    let is_zone_unknown = num_unknown > 0;
    if is_zone_unknown && num_unknown < named.len() {
        return Err(recount_error(
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
    Err(recount_error(
        py,
        "this recount was built without SQL, which takes longer to build than all the rest: to have it, pip install \
         ./python --config-settings=build-args=\"--features sql\"",
    ))
}

/// When counters changed and stayed so, like `recount stats --changes`.
#[pyfunction]
#[pyo3(signature = (capture, wanted, progress=None))]
pub(crate) fn changes(
    py: Python<'_>,
    capture: &Capture,
    wanted: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let wanted: Wanted = wanted.extract()?;
    let selection = wanted.selection(py)?;
    let options = ChangeOptions { overview_only: selection.is_all(), selection: selection.clone() };
    let timeline = capture.checked(py, &wanted, &selection)?;
    let is_zone_unknown = timeline.is_zone_unknown();
    let watcher = Watcher::of(progress, timeline.num_samples());
    let done = work_watched(py, watcher, move |cancel| {
        recount::changes(&timeline, &options, &|at| cancel.step(at))
    })?;
    let found = done.map_err(|error| failed(py, &error))?;
    warn_of(py, &capture.name(), &found.health)?;
    check_matched(py, capture.captures(), &selection, None, found.num_series)?;
    let table = changes_table(&found.changes).map_err(|error| failed(py, &error))?;
    Table::of(py, table, is_zone_unknown)
}

/// What moved in a span of a capture: the sentences, and all of it as JSON.
#[pyfunction]
#[pyo3(signature = (capture, wanted, span, against, progress=None))]
pub(crate) fn moved(
    py: Python<'_>,
    capture: &Capture,
    wanted: &Bound<'_, PyDict>,
    span: &str,
    against: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<String>, String)> {
    let chosen: Wanted = wanted.extract()?;
    let selection = chosen.selection(py)?;
    let (span, against) = (wanted::span(span)?, against.map(wanted::span).transpose()?);
    let options = MovedOptions { selection: selection.clone(), span, against };
    let timeline = capture.checked(py, &chosen, &selection)?;
    let watcher = Watcher::of(progress, timeline.num_samples());
    let done = work_watched(py, watcher, move |cancel| {
        match recount::moved(&timeline, &options, &|at| cancel.step(at)) {
            Err(MovedError::Cancelled(cancelled)) => Err(cancelled),
            other => Ok(other),
        }
    })?;
    let found = done.map_err(|error| failed(py, &error))?.map_err(|error| failed(py, &error))?;
    warn_of(py, &capture.name(), &found.health)?;
    check_matched(py, capture.captures(), &selection, None, found.counts.series)?;
    let json = moved_json(&found).map_err(|error| failed(py, &error))?.to_string();
    Ok((found.sentences(usize::MAX), json))
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
    wanted: (Bound<'_, PyDict>, Bound<'_, PyDict>),
    title: String,
    progress: Option<Py<PyAny>>,
) -> PyResult<Difference> {
    // Counters are the same, spans may differ.
    let (of_base, of_new): (Wanted, Wanted) = (wanted.0.extract()?, wanted.1.extract()?);
    let selection = of_new.selection(py)?;
    let both = [base.captures(), new.captures()].concat();
    check_names(py, &both, &selection)?;
    let sides = (base.timeline(py, &of_base)?, new.timeline(py, &of_new)?);
    for side in [&sides.0, &sides.1] {
        match side.no_samples() {
            Some(error @ NoSamples::Reversed) => {
                return Err(selection_error(py, &format!("{error}: begin is after end")));
            }
            Some(error) => return Err(selection_error(py, &error.to_string())),
            None => {}
        }
    }
    let watcher = Watcher::of(progress, sides.0.num_samples() + sides.1.num_samples());
    let inside = selection.clone();
    let done = work_watched(py, watcher, move |cancel| {
        recount::diff(&sides.0, &sides.1, &inside, &|at| cancel.step(at))
    })?;
    let difference = done.map_err(|error| failed(py, &error))?;
    check_matched(py, &both, &selection, None, difference.changes.len())?;
    if difference.changes.is_empty() {
        return Err(recount_error(py, "no counter has values in both captures"));
    }
    for (capture, side) in [(base, &difference.base), (new, &difference.new)] {
        // Elapsed time counts from the first samples.
        warn_of(py, &capture.name(), &side.health.clone().without(FindingKind::Time))?;
    }
    let html = diff_html(&difference, &[], &[], &title).map_err(|error| failed(py, &error))?;
    Ok(Difference { json: diff_json(&difference, &[], &[]).to_string(), html })
}
