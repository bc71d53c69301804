//! The values of captures as Arrow batches, one after the other.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use recount_compute::{CookOptions, Cooked, Input, PipelineOptions, batches, survey};
use recount_model::{Health, ObjectDef, PathError, Pattern, Selection};
use recount_tables::batches::{ObjectBatches, tidy_batches};
use recount_tables::{Layout, TableError, schema};

use crate::{Capture, Span, SpanError, TimeBoundError, inputs};

/// Batches read ahead of the caller.
const NUM_WAITING: usize = 2;

/// Why captures can't be read as batches.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The pattern of a counter is invalid.
    #[error(transparent)]
    Pattern(#[from] PathError),
    /// An end of the span isn't a time.
    #[error(transparent)]
    Time(#[from] TimeBoundError),
    /// The span has no meaning in these captures.
    #[error(transparent)]
    Span(#[from] SpanError),
    /// No counter is selected.
    #[error("no counter matches the patterns asked for")]
    NoCounters,
    /// Counters of several objects, whose tables have different columns.
    #[error("the layout by objects has a table per object, and the counters are of {}: select one", .0.join(", "))]
    SeveralObjects(Vec<String>),
    /// The reader's thread could not be started.
    #[error("starting the reader: {0}")]
    Thread(#[from] std::io::Error),
}

/// What to read of captures, and in which rows and columns: made by [`Capture::batches`].
#[derive(Clone)]
#[must_use]
pub struct Batches {
    captures: Vec<Capture>,
    selection: Selection,
    span: Span,
    layout: Layout,
    raw: bool,
}

impl Capture {
    /// The values of the capture as Arrow batches: all counters, in the tidy layout, unless something else is asked for.
    ///
    /// ```
    /// use recount::Layout;
    ///
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    /// let capture = recount::open(path)?;
    /// for batch in capture.batches().counters(r"\Processor(*)\*")?.layout(Layout::Objects) {
    ///     println!("{} rows", batch?.num_rows());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn batches(&self) -> Batches {
        Batches::of(std::slice::from_ref(self))
    }
}

impl Batches {
    /// The values of several captures as one time line.
    pub fn of(captures: &[Capture]) -> Batches {
        Batches {
            captures: captures.to_vec(),
            selection: Selection::all(),
            span: Span::default(),
            layout: Layout::default(),
            raw: false,
        }
    }

    /// Selects counters by a path with wildcards (`\\Processor(*)\\*`) or by any part of a path; several calls add up.
    pub fn counters(mut self, pattern: &str) -> Result<Batches, BatchError> {
        self.selection.patterns.push(pattern.parse::<Pattern>()?);
        Ok(self)
    }

    /// Selects samples between two times, both inclusive. A time is written as [`TimeBound`](crate::TimeBound) parses it:
    /// `10:00` on the first day, `2013-02-20T02:55:00Z`, `+5m` after the first sample, `mark:TEXT`.
    pub fn between(mut self, begin: &str, end: &str) -> Result<Batches, BatchError> {
        self.span.begin = Some(begin.parse()?);
        self.span.end = Some(end.parse()?);
        Ok(self)
    }

    /// Selects samples.
    pub fn span(self, span: Span) -> Batches {
        Batches { span, ..self }
    }

    /// Chooses rows and columns (`formats/tables.md`). The layout by objects reads one object; its table has the columns
    /// `instance` and `instance_id` even if the object has no instances.
    pub fn layout(self, layout: Layout) -> Batches {
        Batches { layout, ..self }
    }

    /// Adds raw values next to the cooked ones.
    pub fn raw(self) -> Batches {
        Batches { raw: true, ..self }
    }

    /// Starts reading. A thread reads ahead by a few batches; dropping the reader stops it.
    pub fn reader(self) -> Result<BatchReader, BatchError> {
        let span = self.span.resolve(&self.captures)?;
        let inputs = inputs(&self.captures, &span);
        let cook =
            CookOptions { selection: self.selection.clone(), keep_raw: self.raw, ..CookOptions::default() };
        let options = PipelineOptions { cook, ..PipelineOptions::default() };
        let (schema, mut rows) = match self.layout {
            Layout::Tidy => (schema::tidy(self.raw), Rows::Tidy { raw: self.raw }),
            Layout::Objects => {
                let mut table = object_table(&inputs, &options)?;
                (table.schema(), Rows::Object(Box::new(table)))
            }
        };
        let (sender, receiver) = sync_channel(NUM_WAITING);
        let expected = Arc::clone(&schema);
        let work = move || work(&inputs, &options, &mut rows, &expected, &sender);
        let worker = std::thread::Builder::new().name("recount-batches".into()).spawn(work)?;
        Ok(BatchReader { schema, receiver: Some(receiver), worker: Some(worker), health: Health::default() })
    }
}

/// The table of the one object that is selected, with all of its columns.
fn object_table(inputs: &[Input], options: &PipelineOptions) -> Result<ObjectBatches, BatchError> {
    let (selection, raw) = (&options.cook.selection, options.cook.keep_raw);
    let mut table = ObjectBatches::new(raw).with_instances();
    let mut objects: Vec<String> = Vec::new();
    let mut learn = |object: &Arc<ObjectDef>| {
        let is_wanted = |name: &str| selection.may_match_counter(&object.name, name);
        if !object.counters.iter().any(|counter| is_wanted(&counter.name)) {
            return;
        }
        if !objects.iter().any(|known| **known == *object.name) {
            objects.push(object.name.to_string());
        }
        table.learn(object, |counter| is_wanted(&counter.name) && (raw || !counter.is_hidden()));
    };
    survey(inputs, options, |decoded| {
        decoded.runs.iter().for_each(|run| learn(&run.object));
        decoded.cooked.iter().for_each(|cooked| learn(&cooked.object));
    });
    match objects.len() {
        0 => Err(BatchError::NoCounters),
        1 => Ok(table),
        _ => Err(BatchError::SeveralObjects(objects)),
    }
}

/// What makes rows.
enum Rows {
    Tidy { raw: bool },
    Object(Box<ObjectBatches>),
}

impl From<TableError> for Stop {
    fn from(error: TableError) -> Stop {
        Stop::Failed(ArrowError::ExternalError(Box::new(error)))
    }
}

/// Why work ends before its end.
enum Stop {
    /// The reader was dropped.
    Gone,
    Failed(ArrowError),
}

type Message = Result<RecordBatch, ArrowError>;

/// Reads to the end, or until the reader is dropped; returns what had to be left out.
fn work(
    inputs: &[Input],
    options: &PipelineOptions,
    rows: &mut Rows,
    schema: &SchemaRef,
    sender: &SyncSender<Message>,
) -> Health {
    let mut health = Health::default();
    for (cooked, found) in batches(inputs, options) {
        health.absorb(found);
        match rows.send(cooked, schema, sender) {
            Ok(()) => {}
            Err(Stop::Gone) => break,
            Err(Stop::Failed(error)) => {
                // The reader may be gone already.
                let _ = sender.send(Err(error));
                break;
            }
        }
    }
    health
}

impl Rows {
    fn send(
        &mut self,
        cooked: Vec<Cooked>,
        schema: &SchemaRef,
        sender: &SyncSender<Message>,
    ) -> Result<(), Stop> {
        let send = |batches: Vec<RecordBatch>| {
            batches.into_iter().try_for_each(|batch| {
                if batch.schema_ref() != schema {
                    let what = "a counter appeared that no survey of the capture showed".to_owned();
                    return Err(Stop::Failed(ArrowError::SchemaError(what)));
                }
                sender.send(Ok(batch)).map_err(|_| Stop::Gone)
            })
        };
        match self {
            Rows::Tidy { raw } => tidy_batches(&cooked, *raw, send),
            Rows::Object(table) => send(table.batches(cooked)?),
        }
    }
}

/// Batches of one schema, in order of time. Dropping it stops the work.
#[derive(Debug)]
pub struct BatchReader {
    schema: SchemaRef,
    receiver: Option<Receiver<Message>>,
    worker: Option<JoinHandle<Health>>,
    health: Health,
}

impl BatchReader {
    /// What had to be left out; complete once the last batch was read.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Stops the work and waits for its end; an error if it panicked.
    fn stop(&mut self) -> Option<ArrowError> {
        self.receiver = None;
        match self.worker.take()?.join() {
            Ok(health) => {
                self.health = health;
                None
            }
            Err(_) => Some(ArrowError::ComputeError("reading the capture panicked".to_owned())),
        }
    }
}

impl Iterator for BatchReader {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        match self.receiver.as_ref()?.recv() {
            Ok(message) => Some(message),
            Err(_) => self.stop().map(Err),
        }
    }
}

impl RecordBatchReader for BatchReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl Drop for BatchReader {
    fn drop(&mut self) {
        // A panic was reported by the thread itself.
        let _ = self.stop();
    }
}

impl IntoIterator for Batches {
    type Item = Message;
    type IntoIter = BatchIter;

    /// As [`Batches::reader`]; an error on starting is the first and only item.
    fn into_iter(self) -> Self::IntoIter {
        match self.reader() {
            Ok(reader) => BatchIter(Ok(reader)),
            Err(error) => BatchIter(Err(Some(ArrowError::ExternalError(Box::new(error))))),
        }
    }
}

/// The batches of a `for` loop over [`Batches`].
#[derive(Debug)]
pub struct BatchIter(Result<BatchReader, Option<ArrowError>>);

impl Iterator for BatchIter {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        match &mut self.0 {
            Ok(reader) => reader.next(),
            Err(error) => error.take().map(Err),
        }
    }
}
