//! Values of captures as Arrow: a recipe that may be read any number of times.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread::ThreadId;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampNanosecondType;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::prelude::*;
use recount::{BatchReader, Health, Selection};

use crate::arrow::{Capsule, array_capsules, batch_capsule, schema_capsule, stream_capsule};
use crate::cells::rows_json;
use crate::errors::{failed, warn_of};
use crate::health::health_json;
use crate::interrupt::{BETWEEN_LOOKS, check_process, work};
use crate::selection::check_matched;

/// A selection whose patterns have to match.
#[derive(Clone)]
pub(crate) struct Checked {
    pub(crate) captures: Vec<recount::Capture>,
    pub(crate) selection: Selection,
    pub(crate) object: Option<String>,
}

/// How the last reading ended.
#[derive(Default)]
struct Ended {
    /// What it left out; `None`: no reading has been completed.
    health: Option<Health>,
    /// Why it selected nothing. Errors of Arrow are texts: what reads it can't raise ours.
    nothing: Option<String>,
}

type Found = Arc<Mutex<Ended>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The contents are replaced as a whole, so a panic elsewhere can't leave them inconsistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to read.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Batches {
    name: String,
    recipe: recount::Batches,
    /// What is checked once everything has been read.
    checked: Option<Checked>,
    /// The zone of times, if it isn't UTC.
    zone: Option<Arc<str>>,
    schema: Mutex<Option<SchemaRef>>,
    found: Found,
}

impl Batches {
    pub(crate) fn new(
        name: String,
        recipe: recount::Batches,
        checked: Option<Checked>,
        zone: Option<String>,
    ) -> Batches {
        let zone = zone.map(Arc::from);
        Batches { name, recipe, checked, zone, schema: Mutex::default(), found: Found::default() }
    }

    /// Starts to read. Ctrl-C is handled while the schema is being determined.
    fn start(&self, py: Python<'_>) -> PyResult<RunningReading> {
        let recipe = self.recipe.clone();
        let reader = work(py, move |_| recipe.reader())?.map_err(|error| failed(py, &error))?;
        let schema = zoned_schema(reader.schema(), self.zone.as_ref());
        *locked(&self.schema) = Some(Arc::clone(&schema));
        let checked = self.checked.clone();
        Ok(RunningReading {
            schema,
            reader: Some(reader),
            num_rows: 0,
            is_zoned: self.zone.is_some(),
            checked,
        })
    }
}

/// A schema with its times in UTC in another zone.
fn zoned_schema(schema: SchemaRef, zone: Option<&Arc<str>>) -> SchemaRef {
    let Some(zone) = zone else { return schema };
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            let kind = DataType::Timestamp(*unit, Some(Arc::clone(zone)));
            Arc::new(field.as_ref().clone().with_data_type(kind))
        }
        _ => Arc::clone(field),
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

/// The result of waiting for the next batch.
enum Next {
    Batch(Result<RecordBatch, ArrowError>),
    End(Health),
    /// Not yet.
    Waiting,
}

/// A reading in progress. Its thread may be abandoned at any moment: nothing waits for it.
struct RunningReading {
    schema: SchemaRef,
    /// `None` once it has ended.
    reader: Option<BatchReader>,
    /// Rows so far.
    num_rows: usize,
    /// Whether times are in another zone than those of the reader.
    is_zoned: bool,
    checked: Option<Checked>,
}

impl RunningReading {
    /// Waits for the next batch, for at most a given time.
    fn next(&mut self, at_most: Option<Duration>) -> Next {
        let Some(reader) = &mut self.reader else { return Next::End(Health::default()) };
        let next = match at_most {
            Some(time) => reader.next_within(time),
            None => Poll::Ready(reader.next()),
        };
        match next {
            Poll::Ready(Some(batch)) => {
                self.num_rows += batch.as_ref().map_or(0, RecordBatch::num_rows);
                Next::Batch(if self.is_zoned { batch.and_then(|batch| self.zoned(&batch)) } else { batch })
            }
            Poll::Ready(None) => {
                let health = reader.health().clone();
                self.stop();
                Next::End(health)
            }
            Poll::Pending => Next::Waiting,
        }
    }

    /// A batch with its times in another zone.
    fn zoned(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().zip(self.schema.fields()).map(|(column, field)| {
            let times = column.as_primitive_opt::<TimestampNanosecondType>();
            times.map_or_else(
                || Arc::clone(column),
                |times| Arc::new(times.clone().with_data_type(field.data_type().clone())),
            )
        });
        RecordBatch::try_new(Arc::clone(&self.schema), columns.collect())
    }

    /// Checks, at the end, that the patterns have matched.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let Some(Checked { captures, selection, object }) = &self.checked else { return Ok(()) };
        check_matched(py, captures, selection, object.as_deref(), self.num_rows)
    }

    /// Ends the reading.
    fn stop(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.abandon();
        }
    }
}

impl Drop for RunningReading {
    fn drop(&mut self) {
        self.stop();
    }
}

#[pymethods]
impl Batches {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Capsule<'py>> {
        let known = locked(&self.schema).clone();
        let schema = if let Some(schema) = known {
            schema
        } else {
            let recipe = self.recipe.clone();
            let found = work(py, move |_| recipe.schema())?.map_err(|error| failed(py, &error))?;
            let found = zoned_schema(found, self.zone.as_ref());
            locked(&self.schema).insert(found).clone()
        };
        schema_capsule(py, &schema)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsule<'py>> {
        // The requested schema is only a hint.
        drop(requested_schema);
        let stream = Stream {
            name: self.name.clone(),
            reading: self.start(py)?,
            asker: std::thread::current().id(),
            found: Arc::clone(&self.found),
        };
        stream_capsule(py, stream)
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Reader> {
        let reading = Mutex::new(self.start(py)?);
        Ok(Reader { name: self.name.clone(), reading, found: Arc::clone(&self.found) })
    }

    /// What the last complete reading left out, as JSON.
    fn health(&self) -> Option<String> {
        locked(&self.found).health.as_ref().map(|health| health_json(health).to_string())
    }

    /// Why the last reading, by a consumer of Arrow, selected nothing.
    fn nothing(&self) -> Option<String> {
        locked(&self.found).nothing.clone()
    }
}

/// A reading for consumers of Arrow, which request batches from any thread, with or without the interpreter's
/// lock.
struct Stream {
    name: String,
    reading: RunningReading,
    /// The thread that requested the stream. Only there is it safe to wait for the interpreter's lock: it is held by
    /// this thread itself, or by one that doesn't wait for this one.
    asker: ThreadId,
    found: Found,
}

impl Stream {
    fn is_asker(&self) -> bool {
        std::thread::current().id() == self.asker
    }

    /// Whether there was an interrupt. It is raised again as soon as Python runs, since an Arrow error can't carry it.
    fn is_interrupted() -> bool {
        let interrupted = Python::try_attach(|py| {
            py.check_signals().is_err().then(|| {
                let raised = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
                raised.is_ok()
            })
        });
        interrupted.flatten().is_some()
    }

    fn wait(&mut self) -> Next {
        if !self.is_asker() {
            return self.reading.next(None);
        }
        loop {
            let reading = &mut self.reading;
            let next = Python::try_attach(|py| py.detach(|| reading.next(Some(BETWEEN_LOOKS))));
            match next {
                None => return self.reading.next(None),
                Some(Next::Waiting) if Self::is_interrupted() => {
                    self.reading.stop();
                    return Next::Batch(Err(ArrowError::ComputeError("interrupted (Ctrl-C)".to_owned())));
                }
                Some(Next::Waiting) => {}
                Some(next) => return next,
            }
        }
    }
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.wait() {
            Next::Batch(batch) => Some(batch),
            Next::Waiting => None,
            Next::End(health) => {
                let checked = self.is_asker().then(|| {
                    Python::try_attach(|py| {
                        if let Err(error) = warn_of(py, &self.name, &health) {
                            error.write_unraisable(py, None);
                        }
                        self.reading.check(py).map_err(|error| error.value(py).to_string())
                    })
                });
                let nothing = checked.flatten().and_then(Result::err);
                *locked(&self.found) = Ended { health: Some(health), nothing: nothing.clone() };
                Some(Err(ArrowError::InvalidArgumentError(nothing?)))
            }
        }
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.reading.schema)
    }
}

/// A reading, batch by batch.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Reader {
    name: String,
    reading: Mutex<RunningReading>,
    found: Found,
}

#[pymethods]
impl Reader {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        check_process()?;
        loop {
            let next = py.detach(|| locked(&self.reading).next(Some(BETWEEN_LOOKS)));
            match next {
                Next::Batch(batch) => {
                    let batch = batch.map_err(|error| failed(py, &error))?;
                    return Ok(Some(Batch { batch }));
                }
                Next::End(health) => {
                    *locked(&self.found) = Ended { health: Some(health.clone()), nothing: None };
                    warn_of(py, &self.name, &health)?;
                    locked(&self.reading).check(py)?;
                    return Ok(None);
                }
                Next::Waiting => py.check_signals().inspect_err(|_| locked(&self.reading).stop())?,
            }
        }
    }
}

/// Some consecutive rows.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Batch {
    batch: RecordBatch,
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The first rows as JSON, an array of arrays; times are nanoseconds since 1970.
    fn rows(&self, at_most: usize) -> String {
        rows_json(&self.batch, at_most).to_string()
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Capsule<'py>> {
        schema_capsule(py, &self.batch.schema())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Capsule<'py>, Capsule<'py>)> {
        drop(requested_schema);
        array_capsules(py, &self.batch)
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
