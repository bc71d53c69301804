//! Batches from a thread that may be abandoned: waiting for them can end at any moment.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use recount::{BatchError, Batches, Health};

use crate::errors::{failed, told};
use crate::interrupt::{check_process, wait};

/// A message of the thread.
enum Message {
    Schema(Result<SchemaRef, BatchError>),
    Batch(Result<RecordBatch, ArrowError>),
    /// What had to be left out; the last message.
    End(Health),
}

/// The result of waiting for the next batch.
pub(crate) enum Next {
    Batch(Result<RecordBatch, ArrowError>),
    End(Health),
    /// Not yet.
    Waiting,
}

/// A reading in progress.
pub(crate) struct Pump {
    schema: SchemaRef,
    /// `None` once it has ended.
    receiver: Option<Receiver<Message>>,
}

impl Pump {
    /// Starts to read. Ctrl-C is handled while the schema is being determined.
    pub(crate) fn start(py: Python<'_>, batches: Batches) -> PyResult<Pump> {
        check_process()?;
        let (sender, receiver) = sync_channel(1);
        let run = move || {
            let mut reader = match batches.reader() {
                Ok(reader) => reader,
                Err(error) => {
                    let _ = sender.send(Message::Schema(Err(error)));
                    return;
                }
            };
            if sender.send(Message::Schema(Ok(reader.schema()))).is_err() {
                return;
            }
            // If the receiver is gone, the reader is dropped, which ends its work.
            for batch in reader.by_ref() {
                if sender.send(Message::Batch(batch)).is_err() {
                    return;
                }
            }
            let _ = sender.send(Message::End(reader.health().clone()));
        };
        std::thread::Builder::new().name("recount-read".into()).spawn(run)?;
        match wait(py, receiver, || ())? {
            (receiver, Some(Message::Schema(Ok(schema)))) => Ok(Pump { schema, receiver: Some(receiver) }),
            (_, Some(Message::Schema(Err(error)))) => Err(failed(py, &error)),
            _ => Err(told(
                py,
                "reading the capture failed: a defect, whose place was printed on standard error",
            )),
        }
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    /// Waits for the next batch, for at most a given time.
    pub(crate) fn next(&mut self, at_most: Option<Duration>) -> Next {
        let Some(receiver) = &self.receiver else { return Next::End(Health::default()) };
        let message = match at_most {
            Some(time) => receiver.recv_timeout(time),
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match message {
            Ok(Message::Batch(batch)) => Next::Batch(batch),
            Ok(Message::End(health)) => {
                self.stop();
                Next::End(health)
            }
            Err(RecvTimeoutError::Timeout) => Next::Waiting,
            Ok(Message::Schema(_)) | Err(RecvTimeoutError::Disconnected) => {
                self.stop();
                Next::Batch(Err(ArrowError::ComputeError("reading the capture panicked".to_owned())))
            }
        }
    }

    /// Ends the reading.
    pub(crate) fn stop(&mut self) {
        self.receiver = None;
    }
}
