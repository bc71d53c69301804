//! What is usual for a machine.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use recount::analysis::baseline::Baseline;

use crate::capture::Capture;
use crate::errors::{failed, recount_error, warn_of};
use crate::interrupt::{Watcher, work_watched};
use crate::selection::check_matched;
use crate::wanted::Wanted;

/// What a baseline has: counters, captures, samples, hours and machines.
type Counts = (usize, u64, u64, f64, Vec<String>);

/// Learns what is usual in captures, and adds it to the baselines that are known: the bytes of its file, and what it has.
#[pyfunction]
#[pyo3(signature = (capture, wanted, known, progress=None))]
pub(crate) fn learn(
    py: Python<'_>,
    capture: &Capture,
    wanted: &Bound<'_, PyDict>,
    known: Vec<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Py<PyBytes>, Counts)> {
    let wanted: Wanted = wanted.extract()?;
    let selection = wanted.selection(py)?;
    let mut baseline = Baseline::default();
    for path in &known {
        let other = recount::read_baseline(path).map_err(|error| failed(py, &error))?;
        baseline.merge(other).map_err(|error| recount_error(py, &format!("{}: {error}", path.display())))?;
    }
    let timeline = capture.checked(py, &wanted, &selection)?;
    let watcher = Watcher::of(progress, timeline.num_samples());
    let inside = selection.clone();
    let done = work_watched(py, watcher, move |cancel| {
        let found = recount::learn(&mut baseline, &timeline, &inside, &|at| cancel.step(at));
        found.map(|(health, _)| (baseline, health))
    })?;
    let (baseline, health) = done.map_err(|error| failed(py, &error))?;
    warn_of(py, &capture.name(), &health)?;
    check_matched(py, capture.captures(), &selection, None, baseline.num_series())?;
    if baseline.num_series() == 0 {
        return Err(recount_error(py, "nothing to learn: no counter has values for 2.5 of five minutes"));
    }
    let mut bytes = Vec::new();
    baseline.write(&mut bytes).map_err(|error| failed(py, &error))?;
    let (captures, samples) = baseline.counts();
    let counts = (baseline.num_series(), captures, samples, baseline.hours(), baseline.hosts());
    Ok((PyBytes::new(py, &bytes).unbind(), counts))
}
