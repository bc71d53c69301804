//! The processes of a capture, a row for each.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use recount::{Selection, processes_batch};

use crate::capture::Capture;
use crate::errors::{failed, warn_of};
use crate::interrupt::{Watcher, work_watched};
use crate::table::Table;
use crate::wanted::Wanted;

/// The processes of a capture: who they are, and what they used.
#[pyfunction]
#[pyo3(signature = (capture, wanted, progress=None))]
pub(crate) fn processes(
    py: Python<'_>,
    capture: &Capture,
    wanted: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let wanted: Wanted = wanted.extract()?;
    let timeline = capture.checked(py, &wanted, &Selection::all())?;
    let is_zone_unknown = timeline.is_zone_unknown();
    let watcher = Watcher::of(progress, timeline.num_samples());
    let done = work_watched(py, watcher, move |cancel| timeline.processes(&|at| cancel.step(at)))?;
    let found = done.map_err(|error| failed(py, &error))?;
    warn_of(py, &capture.name(), &found.health)?;
    let batch = processes_batch(&found).map_err(|error| failed(py, &error))?;
    Table::new(py, batch, is_zone_unknown)
}
