//! Recorded samples as raw dumps, and recorded messages as a session.

use std::io::{self, Write};

use recount_model::{FindingKind, Health};
use recount_pcq::Message;

use crate::{CaptureError, Log, RecordKind};

/// What a log held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnpackedSort {
    /// A packed file, restored byte for byte.
    File,
    /// A sequence of MS-PCQ messages.
    Session {
        /// Samples among them.
        num_samples: u64,
        /// Messages written.
        num_messages: u64,
        /// Events left out.
        num_events: u64,
    },
    /// Samples, as a sequence of raw dumps. Dumps have no place for events, which are left out.
    Samples {
        /// Samples written.
        num_samples: u64,
        /// Events left out.
        num_events: u64,
    },
}

/// Writes the blocks or messages of a log in sequence, as they were recorded. Unreadable ones are noted.
pub fn write_raw_samples(
    log: &Log,
    out: &mut dyn Write,
    health: &mut Health,
) -> Result<UnpackedSort, CaptureError> {
    let (mut num_samples, mut num_messages, mut num_events) = (0, 0, 0);
    log.for_each_record(|record, bytes| {
        let Some((time, kind)) = log.record_info(record) else { return Ok::<(), CaptureError>(()) };
        match (kind, bytes) {
            (RecordKind::BLOCK, Ok(bytes)) => {
                num_samples += 1;
                out.write_all(bytes)?;
            }
            (RecordKind::MESSAGE | RecordKind::MESSAGE_SAMPLE, Ok(bytes)) => {
                num_samples += u64::from(kind.is_sample());
                num_messages += 1;
                out.write_all(bytes)?;
                // Messages of a stream begin at multiples (formats/ms-pcq.md#streams).
                let len_padding = bytes.len().next_multiple_of(Message::ALIGNMENT) - bytes.len();
                out.write_all(&[0; Message::ALIGNMENT][..len_padding])?;
            }
            (RecordKind::MESSAGE, Err(error @ CaptureError::Damaged { .. })) => {
                health.note(FindingKind::Dropped, None, format!("message of {time}: {error}"));
            }
            (RecordKind::BLOCK | RecordKind::MESSAGE_SAMPLE, Err(error @ CaptureError::Damaged { .. })) => {
                health.note(FindingKind::Dropped, None, format!("sample of {time}: {error}"));
            }
            (_, Err(CaptureError::Io(error))) => return Err(io::Error::other(error.to_string()).into()),
            (RecordKind::EVENT, _) => num_events += 1,
            _ => {}
        }
        Ok(())
    })?;
    Ok(if num_messages > 0 {
        UnpackedSort::Session { num_samples, num_messages, num_events }
    } else {
        UnpackedSort::Samples { num_samples, num_events }
    })
}

/// The English names of a log as lines of text, or else those in whatever language it has.
pub fn names_text_of(log: &Log) -> String {
    let names = log.texts().get("009").or_else(|| log.texts().values().next());
    names.map(recount_model::NameTable::to_text).unwrap_or_default()
}
