//! Updates a catalogue of captures.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use recount::{CaptureRow, CatalogueError, captures_batch};
use serde_json::{Value, json};

use crate::arrow::{Capsule, batch_capsule, schema_capsule};
use crate::errors::{failed, os_error};
use crate::interrupt::work;

/// The rows of a catalogue, and how many were read and removed.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Catalogue {
    rows: Vec<CaptureRow>,
    batch: RecordBatch,
    #[pyo3(get)]
    num_read: usize,
    #[pyo3(get)]
    num_gone: usize,
}

/// Updates the catalogue in a file.
#[pyfunction]
pub(crate) fn catalogue(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    output: PathBuf,
    force: bool,
) -> PyResult<Catalogue> {
    let done = work(py, move |cancel| {
        let made = recount::catalogue(&paths, &output, force, &|_| cancel.decide())?;
        let batch = captures_batch(&made.rows);
        Ok((made, batch))
    })?;
    let (made, batch) = done.map_err(|error| match &error {
        CatalogueError::Input { path, source } => os_error(py, source, Some(&path.display().to_string())),
        _ => failed(py, &error),
    })?;
    let batch = batch.map_err(|error| failed(py, &error))?;
    Ok(Catalogue { rows: made.rows, batch, num_read: made.read.len(), num_gone: made.num_gone })
}

#[pymethods]
impl Catalogue {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The rows as JSON, an array of objects; times are microseconds since 1970.
    fn json(&self) -> String {
        Value::from(self.rows.iter().map(object).collect::<Vec<_>>()).to_string()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Capsule<'py>> {
        schema_capsule(py, &self.batch.schema())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsule<'py>> {
        batch_capsule(py, &self.batch, requested_schema)
    }
}

fn object(row: &CaptureRow) -> Value {
    json!({
        "path": row.path,
        "size": row.size,
        "modified": row.modified,
        "etag": row.etag,
        "format": row.format,
        "capture_id": row.capture_id,
        "hosts": row.hosts.as_ref(),
        "begin": row.begin,
        "end": row.end,
        "is_zone_unknown": row.is_zone_unknown,
        "samples": row.samples,
        "objects": row.objects.as_ref(),
        "is_complete": row.is_complete,
        "findings": row.findings,
        "health": row.health,
        "version": row.version,
    })
}
