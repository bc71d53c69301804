//! The thread that reads ahead.

use std::sync::mpsc::SyncSender;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use recount_compute::{Cooked, Landmarks, PipelineOptions, Stretch};
use recount_model::{Health, Timestamp};
use recount_tables::TableError;
use recount_tables::batches::{ObjectBatches, tidy_batches};
use recount_tables::schema::OptionalColumns;

use super::origin::Origins;
use crate::Timeline;

pub(super) type Message = Result<RecordBatch, ArrowError>;

/// What makes rows.
pub(super) enum Rows {
    Tidy(OptionalColumns),
    Object { name: String, table: Box<ObjectBatches> },
}

/// The work of the reading thread.
pub(super) struct Work {
    pub(super) timeline: Timeline,
    pub(super) options: PipelineOptions,
    /// First and last time of the rows.
    pub(super) window: (Option<Timestamp>, Option<Timestamp>),
    pub(super) output: Output,
}

/// Where the thread sends batches, and what they are made of.
pub(super) struct Output {
    pub(super) rows: Rows,
    /// Schema of the rows as they are made, before columns are chosen.
    pub(super) schema: SchemaRef,
    /// The requested columns, by their indices in `schema`; `None`: all.
    pub(super) columns: Option<Vec<usize>>,
    /// What adds the columns of origins to rows.
    pub(super) origins: Option<Origins>,
    pub(super) sender: SyncSender<Message>,
}

/// Why the work ends early.
enum Stop {
    /// The reader was dropped.
    Gone,
    Failed(ArrowError),
}

impl From<TableError> for Stop {
    fn from(error: TableError) -> Stop {
        Stop::Failed(ArrowError::ExternalError(Box::new(error)))
    }
}

impl Work {
    /// Reads to the end, or until the reader is dropped; returns what had to be left out.
    pub(super) fn run(mut self) -> Health {
        let mut health = Health::default();
        if let Err(Stop::Failed(error)) = self.read(&mut health) {
            // The reader may have been dropped already.
            let _ = self.output.sender.send(Err(error));
        }
        health
    }

    fn read(&mut self, health: &mut Health) -> Result<(), Stop> {
        let landmarks = Landmarks::default();
        let (begin, end) = self.window;
        let stretch = Stretch::between(self.timeline.inputs(), &landmarks, begin, end);
        for (cooked, found) in stretch.batches(&self.options) {
            health.absorb(found);
            self.output.send(cooked)?;
        }
        Ok(())
    }
}

impl Output {
    fn send(&mut self, mut cooked: Vec<Cooked>) -> Result<(), Stop> {
        let Output { rows, schema, columns, sender, origins } = self;
        let send = |batches: Vec<RecordBatch>| {
            batches.into_iter().try_for_each(|mut batch| {
                if let Some(origins) = origins.as_ref() {
                    batch = origins.add(&batch).map_err(Stop::Failed)?;
                }
                if batch.schema_ref() != schema {
                    let what = "a counter appeared that no survey of the capture showed".to_owned();
                    return Err(Stop::Failed(ArrowError::SchemaError(what)));
                }
                if batch.num_rows() == 0 {
                    return Ok(());
                }
                if let Some(columns) = columns.as_deref() {
                    batch = batch.project(columns).map_err(Stop::Failed)?;
                }
                sender.send(Ok(batch)).map_err(|_| Stop::Gone)
            })
        };
        match rows {
            Rows::Tidy(optional) => tidy_batches(&cooked, *optional, send),
            Rows::Object { name, table } => {
                cooked.retain(|cooked| *cooked.object.name == **name);
                send(table.batches(cooked)?)
            }
        }
    }
}
