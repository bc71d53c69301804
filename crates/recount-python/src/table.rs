//! A small table, the result of a query.

use pyo3::prelude::*;
use recount::analysis::{Answer, AnswerFormat};

use crate::arrow::{Capsule, batch_capsule, schema_capsule};
use crate::errors::failed;

/// A result in memory.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Table {
    answer: Answer,
}

impl Table {
    pub(crate) fn new(
        py: Python<'_>,
        batch: arrow_array::RecordBatch,
        is_zone_unknown: bool,
    ) -> PyResult<Table> {
        let answer = Answer::try_from(batch).map_err(|error| failed(py, &error))?;
        Table::of(py, answer, is_zone_unknown)
    }

    pub(crate) fn of(py: Python<'_>, answer: Answer, is_zone_unknown: bool) -> PyResult<Table> {
        let answer = if is_zone_unknown { answer.with_zone_unknown() } else { Ok(answer) };
        Ok(Table { answer: answer.map_err(|error| failed(py, &error))? })
    }
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.answer.num_rows()
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.answer.columns().into_iter().map(|(name, _)| name).collect()
    }

    /// The rows as JSON, an array of objects.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let mut bytes = Vec::new();
        let written = self.answer.write(AnswerFormat::Json, &mut bytes, &|number| number.to_string());
        written.map_err(|error| failed(py, &error))?;
        Ok(String::from_utf8(bytes)?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Capsule<'py>> {
        schema_capsule(py, &self.answer.batch().schema())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsule<'py>> {
        batch_capsule(py, self.answer.batch(), requested_schema)
    }
}
