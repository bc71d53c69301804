//! Converts captures to files.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use recount::{ConvertError, ConvertOptions, Layout, OutputFormat, PartitionKey, Target};

use crate::capture::Capture;
use crate::errors::{failed, warn_of};
use crate::interrupt::{Watcher, check_process, work_watched};
use crate::selection::check_matched;
use crate::wanted::Wanted;

/// How to write.
#[expect(clippy::struct_excessive_bools, reason = "the flags of the command")]
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OutputForm {
    format: String,
    by_object: bool,
    local_time: bool,
    raw: bool,
    scaled: bool,
    partition_by: Vec<String>,
    force: bool,
}

/// Writes captures to a file or directory. Returns the files with the number of samples, rows and bytes.
#[pyfunction]
#[pyo3(signature = (capture, output, wanted, form, progress=None))]
pub(crate) fn convert(
    py: Python<'_>,
    capture: &Capture,
    output: PathBuf,
    wanted: &Bound<'_, PyDict>,
    form: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<PathBuf>, u64, u64, u64)> {
    let wanted: Wanted = wanted.extract()?;
    let form: OutputForm = form.extract()?;
    let selection = wanted.selection(py)?;
    let timeline = capture.checked(py, &wanted, &selection)?;
    let mut options = ConvertOptions::default();
    options.selection = selection.clone();
    options.format = format(&form.format)?;
    options.layout = if form.by_object { Layout::Objects } else { Layout::Tidy };
    options.partition_by = form.partition_by.iter().map(|key| partition_key(key)).collect::<PyResult<_>>()?;
    (options.local_time, options.raw) = (form.local_time, form.raw);
    (options.scaled, options.force) = (form.scaled, form.force);
    let target = Target::Path(output);
    let watcher = Watcher::of(progress, timeline.num_samples());
    let done = work_watched(py, watcher, move |cancel| {
        recount::convert(&timeline, &target, &options, &|at| cancel.step(at))
    })?;
    let check = |num_rows| check_matched(py, capture.captures(), &selection, None, num_rows);
    if let Err(ConvertError::NoCounters) = &done {
        check(0)?;
    }
    let report = done.map_err(|error| failed(py, &error))?;
    warn_of(py, &capture.name(), &report.health)?;
    check(usize::from(report.num_rows > 0))?;
    Ok((report.files, report.num_samples, report.num_rows, report.len_written))
}

fn format(name: &str) -> PyResult<OutputFormat> {
    Ok(match name {
        "parquet" => OutputFormat::Parquet,
        "arrow" => OutputFormat::Arrow,
        "csv" => OutputFormat::Csv,
        "tsv" => OutputFormat::Tsv,
        "blg" => OutputFormat::Blg,
        "openmetrics" => OutputFormat::OpenMetrics,
        "line-protocol" => OutputFormat::LineProtocol,
        other => {
            let known = "parquet, arrow, csv, tsv, blg, openmetrics and line-protocol";
            return Err(PyValueError::new_err(format!("{other:?}: the formats are {known}")));
        }
    })
}

fn partition_key(name: &str) -> PyResult<PartitionKey> {
    match name {
        "host" => Ok(PartitionKey::Host),
        "date" => Ok(PartitionKey::Date),
        other => Err(PyValueError::new_err(format!("{other:?}: partition_by has \"host\" and \"date\""))),
    }
}

/// Removes the temporary files of an interrupted conversion. Called when the process ends, since its threads end
/// with it. A forked child leaves those of its parent alone.
#[pyfunction]
pub(crate) fn remove_partial() {
    if check_process().is_ok() {
        recount::remove_partial();
    }
}
