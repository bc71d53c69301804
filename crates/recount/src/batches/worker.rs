//! The thread that reads ahead.

use std::sync::mpsc::SyncSender;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use recount_compute::{Cooked, PipelineOptions, TakenNames, batches_of_part};
use recount_model::Health;
use recount_tables::TableError;
use recount_tables::batches::{ObjectBatches, tidy_batches};

use super::window::{Lead, end_of};
use crate::Timeline;

pub(super) type Message = Result<RecordBatch, ArrowError>;

/// What makes rows.
pub(super) enum Rows {
    Tidy { raw: bool, texts: bool },
    Object { name: String, table: Box<ObjectBatches> },
}

/// The work of the reading thread.
pub(super) struct Work {
    pub(super) timeline: Timeline,
    pub(super) options: PipelineOptions,
    pub(super) rows: Rows,
    /// Schema of the rows as they are made, before columns are chosen.
    pub(super) schema: SchemaRef,
    /// The requested columns, by their indices in `schema`; `None`: all.
    pub(super) columns: Option<Vec<usize>>,
    pub(super) lead: Lead,
    pub(super) sender: SyncSender<Message>,
}

/// Why the work ends early.
enum Stop {
    /// The reader was dropped.
    Gone,
    /// More samples before the window are needed.
    TooShort,
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
        loop {
            let mut health = Health::default();
            match self.attempt(&mut health) {
                Ok(()) | Err(Stop::Gone) => return health,
                Err(Stop::TooShort) => self.lead.grow(),
                Err(Stop::Failed(error)) => {
                    // The reader may have been dropped already.
                    let _ = self.sender.send(Err(error));
                    return health;
                }
            }
        }
    }

    fn attempt(&mut self, health: &mut Health) -> Result<(), Stop> {
        let inputs = self.lead.cut(self.timeline.inputs());
        let options = self.options.clone();
        for (cooked, found) in batches_of_part(&inputs, &options, TakenNames::find(self.timeline.inputs())) {
            health.absorb(found);
            self.lead.check(&cooked).map_err(|_| Stop::TooShort)?;
            let end = end_of(&cooked);
            self.send(cooked)?;
            self.lead.note_sent(end);
        }
        Ok(())
    }

    fn send(&mut self, mut cooked: Vec<Cooked>) -> Result<(), Stop> {
        let Work { rows, schema, columns, lead, sender, .. } = self;
        let send = |batches: Vec<RecordBatch>| {
            batches.into_iter().try_for_each(|batch| {
                if batch.schema_ref() != schema {
                    let what = "a counter appeared that no survey of the capture showed".to_owned();
                    return Err(Stop::Failed(ArrowError::SchemaError(what)));
                }
                let mut batch = lead.rows(batch);
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
            Rows::Tidy { raw, texts } => tidy_batches(&cooked, *raw, *texts, send),
            Rows::Object { name, table } => {
                cooked.retain(|cooked| *cooked.object.name == **name);
                send(table.batches(cooked)?)
            }
        }
    }
}
