//! What a log says, record by record: for programs that write it again.

use std::ops::ControlFlow;

use recount_model::{Event, ProcessNote, Timestamp};

use super::Log;
use crate::processes::{Known, read_notes};
use crate::{CaptureError, RecordKind, payload};

/// A record, by what it says.
#[derive(Debug)]
pub enum LogItem<'a> {
    /// A sample: the bytes of a `PERF_DATA_BLOCK`.
    Block(&'a [u8]),
    /// Something that happened.
    Event(Event),
    /// What is known of processes.
    Processes(Vec<ProcessNote>),
    /// Something else: its kind says what.
    Other(RecordKind),
    /// A record of this kind that can't be read.
    Unreadable {
        /// Its kind.
        kind: RecordKind,
        /// Why.
        why: String,
    },
    /// So many records are missing here.
    Missing(u64),
}

/// A record with its time.
#[derive(Debug)]
pub struct LoggedItem<'a> {
    /// Its time. Of what is missing, that of the record after it.
    pub time: Timestamp,
    /// What it says.
    pub item: LogItem<'a>,
}

impl Log {
    /// Gives all records in the order of their numbers. Events of kinds that this program doesn't know are
    /// [`LogItem::Other`].
    pub fn for_each_item<E: From<CaptureError>>(
        &self,
        mut each: impl FnMut(LoggedItem<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut known = Known::default();
        let mut next_number = 0;
        self.for_each_record(|record, bytes| {
            let Some((time, kind)) = self.record_info(record) else { return Ok(()) };
            if let Some((at, within)) = self.entry_of(record) {
                let number = self.entries[at].number_first + within as u64;
                if number > next_number {
                    each(LoggedItem { time, item: LogItem::Missing(number - next_number) })?;
                }
                next_number = number + 1;
            }
            let item = match bytes {
                Ok(bytes) => item(time, kind, bytes, &mut known),
                Err(CaptureError::Io(error)) => {
                    return Err(CaptureError::Io(std::io::Error::new(error.kind(), error.to_string())).into());
                }
                Err(error) => LogItem::Unreadable { kind, why: error.to_string() },
            };
            each(LoggedItem { time, item })
        })
    }
}

fn item<'a>(time: Timestamp, kind: RecordKind, bytes: &'a [u8], known: &mut Known) -> LogItem<'a> {
    let unreadable = |fault: crate::bytes::Short| LogItem::Unreadable { kind, why: fault.what };
    match kind {
        RecordKind::BLOCK => LogItem::Block(bytes),
        RecordKind::EVENT => match payload::read_event(time, bytes) {
            Ok(Some(event)) => LogItem::Event(event),
            Ok(None) => LogItem::Other(kind),
            Err(fault) => unreadable(fault),
        },
        kind if kind.is_about_processes() => {
            let mut notes = Vec::new();
            let read = read_notes(time, kind, bytes, known, &mut |note| {
                notes.push(note);
                ControlFlow::Continue(())
            });
            read.map_or_else(unreadable, |_| LogItem::Processes(notes))
        }
        kind => LogItem::Other(kind),
    }
}
