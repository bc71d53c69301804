//! Values of captures as Arrow: a recipe that may be read any number of times.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread::ThreadId;
use std::time::Duration;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use recount::{BatchReader, Health};

use crate::arrow::{Capsule, array_capsules, batch_capsule, schema_capsule, stream_capsule};
use crate::errors::{failed, warn_of};
use crate::health::health_json;
use crate::interrupt::{BETWEEN_LOOKS, check_process, work};

/// What the last reading left out; `None`: none has been completed.
type Found = Arc<Mutex<Option<Health>>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The contents are replaced as a whole, so a panic elsewhere can't leave them inconsistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to read.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Batches {
    name: String,
    recipe: recount::Batches,
    schema: Mutex<Option<SchemaRef>>,
    found: Found,
}

impl Batches {
    pub(crate) fn new(name: String, batches: recount::Batches) -> Batches {
        Batches { name, recipe: batches, schema: Mutex::default(), found: Found::default() }
    }

    /// Starts to read. Ctrl-C is handled while the schema is being determined.
    fn start(&self, py: Python<'_>) -> PyResult<Reading> {
        let recipe = self.recipe.clone();
        let reader = work(py, move |_| recipe.reader())?.map_err(|error| failed(py, &error))?;
        *locked(&self.schema) = Some(reader.schema());
        Ok(Reading { schema: reader.schema(), reader: Some(reader) })
    }
}

/// The result of waiting for the next batch.
enum Next {
    Batch(Result<RecordBatch, ArrowError>),
    End(Health),
    /// Not yet.
    Waiting,
}

/// A reading in progress. Its thread may be abandoned at any moment: nothing waits for it.
struct Reading {
    schema: SchemaRef,
    /// `None` once it has ended.
    reader: Option<BatchReader>,
}

impl Reading {
    /// Waits for the next batch, for at most a given time.
    fn next(&mut self, at_most: Option<Duration>) -> Next {
        let Some(reader) = &mut self.reader else { return Next::End(Health::default()) };
        let next = match at_most {
            Some(time) => reader.next_within(time),
            None => Poll::Ready(reader.next()),
        };
        match next {
            Poll::Ready(Some(batch)) => Next::Batch(batch),
            Poll::Ready(None) => {
                let health = reader.health().clone();
                self.stop();
                Next::End(health)
            }
            Poll::Pending => Next::Waiting,
        }
    }

    /// Ends the reading.
    fn stop(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.abandon();
        }
    }
}

impl Drop for Reading {
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
        locked(&self.found).as_ref().map(|health| health_json(health).to_string())
    }
}

/// A reading for consumers of Arrow, which request batches from any thread, with or without the interpreter's
/// lock.
struct Stream {
    name: String,
    reading: Reading,
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
                if self.is_asker() {
                    Python::try_attach(|py| {
                        if let Err(error) = warn_of(py, &self.name, &health) {
                            error.write_unraisable(py, None);
                        }
                    });
                }
                *locked(&self.found) = Some(health);
                None
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
    reading: Mutex<Reading>,
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
                    *locked(&self.found) = Some(health.clone());
                    warn_of(py, &self.name, &health)?;
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
