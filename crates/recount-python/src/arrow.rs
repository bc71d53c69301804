//! Arrow's C data interface, in capsules: <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>.

use arrow_array::ffi::{FFI_ArrowArray, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::failed;

/// A capsule with its release function. Consumers that take the contents leave nothing to release.
pub(crate) type Capsule<'py> = Bound<'py, PyCapsule>;

pub(crate) fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Capsule<'py>> {
    let exported = FFI_ArrowSchema::try_from(schema).map_err(|error| failed(py, &error))?;
    PyCapsule::new_with_value(py, exported, c"arrow_schema")
}

pub(crate) fn stream_capsule(
    py: Python<'_>,
    reader: impl RecordBatchReader + Send + 'static,
) -> PyResult<Capsule<'_>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
}

/// A stream of one batch. `requested_schema` is only a hint.
pub(crate) fn batch_capsule<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
    requested_schema: Option<Bound<'py, PyAny>>,
) -> PyResult<Capsule<'py>> {
    drop(requested_schema);
    stream_capsule(py, RecordBatchIterator::new([Ok(batch.clone())], batch.schema()))
}

/// A batch as one array of structs.
pub(crate) fn array_capsules<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<(Capsule<'py>, Capsule<'py>)> {
    let export = || -> Result<(FFI_ArrowArray, FFI_ArrowSchema), ArrowError> {
        let (array, _) = to_ffi(&StructArray::from(batch.clone()).to_data())?;
        Ok((array, FFI_ArrowSchema::try_from(&*batch.schema())?))
    };
    let (array, schema) = export().map_err(|error| failed(py, &error))?;
    Ok((
        PyCapsule::new_with_value(py, schema, c"arrow_schema")?,
        PyCapsule::new_with_value(py, array, c"arrow_array")?,
    ))
}
