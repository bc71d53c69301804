//! The values of captures as a stream of Arrow batches.

mod object;
mod origin;
mod worker;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::Duration;

use arrow_array::RecordBatchReader;
use arrow_schema::{ArrowError, SchemaRef};
use recount_compute::{CookOptions, PipelineOptions};
use recount_model::{CounterPath, Health, PathError, Pattern, Selection, Timestamp};
use recount_tables::Layout;
use recount_tables::schema::{self, OptionalColumns};

use object::ObjectTable;
use origin::Origins;
use worker::{Message, Output, Rows, Work};

use crate::contents::found_objects::has_texts;
use crate::hint::NO_COUNTERS;
use crate::{Capture, Hint, Span, SpanError, TimeBoundError, Timeline};

/// Batches read ahead of the caller.
const NUM_WAITING: usize = 2;

/// Why captures can't be read as batches.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The pattern of a counter is invalid.
    #[error(transparent)]
    Pattern(#[from] PathError),
    /// A bound of the span isn't a valid time.
    #[error(transparent)]
    Time(#[from] TimeBoundError),
    /// The span has no meaning in these captures.
    #[error(transparent)]
    Span(#[from] SpanError),
    /// No counter is selected.
    #[error("no counter matches the patterns asked for")]
    NoCounters,
    /// The counters belong to several objects, whose tables have different columns.
    #[error("the layout by objects has a table per object, and the counters are of {}: select one", .0.join(", "))]
    SeveralObjects(Vec<String>),
    /// The table doesn't have a requested column.
    #[error("there is no column \"{name}\"; there are {}", .known.join(", "))]
    NoColumn {
        /// The requested column.
        name: String,
        /// The columns of the table.
        known: Vec<String>,
    },
    /// The columns don't make a table.
    #[error("the columns don't make a table: {0}")]
    Columns(ArrowError),
    /// The reader's thread could not be started.
    #[error("starting the reader: {0}")]
    Thread(#[from] std::io::Error),
}

impl Hint for BatchError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            BatchError::Span(error) => error.hint(),
            BatchError::NoCounters => Some(NO_COUNTERS),
            _ => None,
        }
    }
}

/// What to read from captures, and into which rows and columns. Made by [`Capture::batches`].
#[derive(Clone)]
#[must_use]
pub struct Batches {
    timeline: Timeline,
    selection: Selection,
    /// First and last time of the rows, both inclusive; `None`: no limit.
    window: (Option<Timestamp>, Option<Timestamp>),
    layout: Layout,
    object: Option<String>,
    columns: Option<Vec<String>>,
    raw: bool,
    /// Whether rows say which capture they are of.
    origins: bool,
}

impl Capture {
    /// The values of the capture as Arrow batches: by default all counters, in the tidy layout.
    ///
    /// ```
    /// use recount::Layout;
    ///
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    /// let capture = recount::open(path)?;
    /// for batch in capture.batches().counters(r"\Processor(*)\*")?.layout(Layout::Objects).reader()? {
    ///     println!("{} rows", batch?.num_rows());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn batches(&self) -> Batches {
        Batches::of(&self.timeline())
    }
}

impl Batches {
    /// The values of a time line.
    pub(crate) fn of(timeline: &Timeline) -> Batches {
        Batches {
            timeline: timeline.clone(),
            selection: Selection::all(),
            window: (None, None),
            layout: Layout::default(),
            object: None,
            columns: None,
            raw: false,
            origins: false,
        }
    }

    /// Selects counters by a path with wildcards (`\\Processor(*)\\*`) or by any part of a path; several calls add to
    /// each other.
    pub fn counters(mut self, pattern: &str) -> Result<Batches, BatchError> {
        self.selection.push(pattern.parse::<Pattern>()?);
        Ok(self)
    }

    /// Selects the counters of a selection instead of those chosen before. If it is [watched](Selection::watched), it notes which
    /// of its patterns match.
    pub fn select(self, selection: Selection) -> Batches {
        Batches { selection, ..self }
    }

    /// Selects samples between two times, both inclusive. A time is written as [`TimeBound`](crate::TimeBound) parses it:
    /// `10:00` on the first day that has it, `2013-02-20T02:55:00Z`, `+5m` after the first sample, `mark:TEXT`.
    pub fn between(mut self, begin: &str, end: &str) -> Result<Batches, BatchError> {
        let span = self.timeline.span().clone();
        self.timeline = self.timeline.with_span(&Span {
            begin: Some(begin.parse()?),
            end: Some(end.parse()?),
            ..span
        })?;
        Ok(self)
    }

    /// Keeps the rows between two times, both inclusive. Their values are those of the whole capture, to the bit; a
    /// [`Span`], in contrast, starts afresh, so the values of its first sample are missing. Only the samples needed for
    /// this are read. Rows with the same time may come in a different order than in the whole capture.
    pub fn within(self, begin: Option<Timestamp>, end: Option<Timestamp>) -> Batches {
        Batches { window: (begin, end), ..self }
    }

    /// Chooses rows and columns (`formats/tables.md`). The layout by objects reads one object; its table has the columns
    /// `instance` and `instance_id` even if the object has no instances.
    pub fn layout(self, layout: Layout) -> Batches {
        Batches { layout, ..self }
    }

    /// Chooses the layout by objects, and the object. Counter patterns may then match other objects, too.
    pub fn object(self, name: &str) -> Batches {
        Batches { layout: Layout::Objects, object: Some(name.to_owned()), ..self }
    }

    /// Keeps only these columns, in this order. The rows stay the same; counters that no column needs are not read.
    pub fn columns(self, names: impl IntoIterator<Item = impl Into<String>>) -> Batches {
        Batches { columns: Some(names.into_iter().map(Into::into).collect()), ..self }
    }

    /// Adds raw values next to the cooked ones.
    pub fn raw(self) -> Batches {
        Batches { raw: true, ..self }
    }

    /// Adds the columns `path` and `capture_id`, which say which of several captures a row is of: its name and
    /// [`Capture::id`]. They are null where two captures have the same host, object and time.
    pub fn origins(self) -> Batches {
        Batches { origins: true, ..self }
    }

    /// The schema of the batches. No value is computed; the objects of a time line are searched for once, whatever is read
    /// of them afterwards.
    pub fn schema(&self) -> Result<SchemaRef, BatchError> {
        Ok(self.plan()?.schema)
    }

    /// Starts reading. A thread reads a few batches ahead; dropping the reader stops it.
    pub fn reader(self) -> Result<BatchReader, BatchError> {
        let Plan { options, rows, full, columns, schema, origins } = self.plan()?;
        let (sender, receiver) = sync_channel(NUM_WAITING);
        let (timeline, window) = (self.timeline, self.window);
        let output = Output { rows, schema: full, columns, sender, origins };
        let work = Work { timeline, options, window, output };
        let worker = std::thread::Builder::new().name("recount-batches".into()).spawn(|| work.run())?;
        Ok(BatchReader { schema, receiver: Some(receiver), worker: Some(worker), health: Health::default() })
    }

    fn plan(&self) -> Result<Plan, BatchError> {
        let mut selection = self.selection.clone();
        if let (Some(object), true) = (&self.object, selection.is_all()) {
            selection.push(Pattern::Path(CounterPath::of("", object, None, "*")));
        }
        let cook = CookOptions { selection, over_named: true, keep_raw: self.raw, ..CookOptions::default() };
        let mut options = PipelineOptions { cook, ..PipelineOptions::default() };
        let (full, rows) = match self.layout {
            Layout::Tidy => {
                let texts = has_texts(self.timeline.captures(), &options.cook.selection);
                let optional = OptionalColumns { raw: self.raw, texts, ..OptionalColumns::default() };
                (schema::tidy(optional), Rows::Tidy(optional))
            }
            Layout::Objects => {
                let mut found = ObjectTable::of(&self.timeline, &options, self.object.as_deref())?;
                if let Some(names) = &self.columns {
                    let known: Vec<&str> = found.table.names().collect();
                    let known = if self.origins { [&known[..], &origin::COLUMNS].concat() } else { known };
                    places(names, &known)?;
                    // Origins are found by host and time.
                    let host = self.origins.then(|| "host".to_owned());
                    let kept: Vec<String> = names.iter().cloned().chain(host).collect();
                    (found, options.cook.selection) = found.keep(&kept, options.cook.selection, self.raw);
                }
                (found.table.schema(), Rows::Object { name: found.name, table: Box::new(found.table) })
            }
        };
        let object = match &rows {
            Rows::Object { name, .. } => Some(name.as_str()),
            Rows::Tidy { .. } => None,
        };
        let origins = self.origins.then(|| Origins::of(&self.timeline, object, &full));
        let full = origins.as_ref().map_or(full, |origins| Arc::clone(&origins.schema));
        let known: Vec<&str> = full.fields().iter().map(|field| field.name().as_str()).collect();
        let columns = self.columns.as_ref().map(|names| places(names, &known)).transpose()?;
        let schema = match &columns {
            Some(columns) => Arc::new(full.project(columns).map_err(BatchError::Columns)?),
            None => Arc::clone(&full),
        };
        Ok(Plan { options, rows, full, columns, schema, origins })
    }
}

/// What is known before values are read.
struct Plan {
    options: PipelineOptions,
    rows: Rows,
    /// Schema of the rows as they are made.
    full: SchemaRef,
    /// The requested columns, by their indices there; `None`: all.
    columns: Option<Vec<usize>>,
    /// Schema of the batches.
    schema: SchemaRef,
    /// What adds the columns of origins, which `full` has.
    origins: Option<Origins>,
}

/// The indices of columns among the known ones.
fn places(names: &[String], known: &[&str]) -> Result<Vec<usize>, BatchError> {
    let place = |name: &String| {
        known.iter().position(|known| known == name).ok_or_else(|| BatchError::NoColumn {
            name: name.clone(),
            known: known.iter().map(|&known| known.to_owned()).collect(),
        })
    };
    names.iter().map(place).collect()
}

/// Batches of one schema, in order of time. Dropping it stops the reading.
#[derive(Debug)]
pub struct BatchReader {
    schema: SchemaRef,
    receiver: Option<Receiver<Message>>,
    worker: Option<JoinHandle<Health>>,
    health: Health,
}

impl BatchReader {
    /// What had to be left out; complete once the last batch has been read.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// The next batch if it comes in time; `Pending` if it doesn't.
    pub fn next_within(&mut self, at_most: Duration) -> Poll<Option<Message>> {
        let Some(receiver) = &self.receiver else { return Poll::Ready(None) };
        match receiver.recv_timeout(at_most) {
            Ok(message) => Poll::Ready(Some(message)),
            Err(RecvTimeoutError::Timeout) => Poll::Pending,
            Err(RecvTimeoutError::Disconnected) => Poll::Ready(self.stop().map(Err)),
        }
    }

    /// Stops the work without waiting for its end, as dropping the reader does: it ends with the batch being made.
    pub fn abandon(mut self) {
        self.receiver = None;
        self.worker = None;
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
        // The thread itself reported a panic.
        let _ = self.stop();
    }
}
