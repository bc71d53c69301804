//! Capture logs that were recorded: every record with other names, in a new log.

use std::collections::BTreeSet;
use std::fs::File;

use recount_capture::{CaptureError, Log, LogItem, LogWriter, LoggedItem, RecordKind, Sync, WriterOptions};
use recount_model::{Event, EventKind, FindingKind, Health, Mark, NameTable, ProcessNote, Sink, Timestamp};
use recount_perf_data::DataBlock;

use super::block::rename_block;
use super::facts::{rename_event, rename_facts};
use super::names::Names;

/// Chunks of a log that isn't recorded but copied.
const LEN_CHUNK: usize = 16 << 20;
const LEVEL: i32 = 9;

/// Writes the log again. `marks` are all that its readers see, including those that wait next to it.
pub(super) fn redact_log(
    log: &Log,
    marks: &[Mark],
    names: &Names,
    out: File,
) -> Result<Health, CaptureError> {
    let options = WriterOptions { sync: Sync::None, len_chunk: LEN_CHUNK, level: LEVEL, tail: false };
    let mut writer = LogWriter::new(out, options)?;
    writer.facts(&rename_facts(log.facts(), names))?;
    for (language, texts) in log.texts() {
        writer.texts(language, &mut texts.iter())?;
    }
    let empty = NameTable::new();
    let texts = log.texts().get("009").or_else(|| log.texts().values().next()).unwrap_or(&empty);
    let mut copy =
        Copy { writer, texts, names, health: log.health().clone(), marks: marks.iter().cloned().collect() };
    log.for_each_item(|item| copy.item(item))?;
    for Mark { time, text } in std::mem::take(&mut copy.marks) {
        copy.event(&Event { time, kind: EventKind::Mark, extent: 0, count: 0, text })?;
    }
    copy.writer.finish()?;
    Ok(copy.health)
}

struct Copy<'a> {
    writer: LogWriter,
    texts: &'a NameTable,
    names: &'a Names,
    health: Health,
    /// Those that weren't written yet.
    marks: BTreeSet<Mark>,
}

impl Copy<'_> {
    fn item(&mut self, LoggedItem { time, item }: LoggedItem<'_>) -> Result<(), CaptureError> {
        match item {
            LogItem::Block(bytes) => self.block(time, bytes),
            LogItem::Event(event) => {
                self.marks.remove(&Mark { time: event.time, text: event.text.clone() });
                self.event(&event)
            }
            LogItem::Processes(notes) => self.processes(time, notes),
            LogItem::Other(kind) => {
                self.left_out(time, &format!("{kind}: what it holds isn't known"));
                Ok(())
            }
            LogItem::Unreadable { kind, why } => {
                self.left_out(time, &format!("{kind}: {why}"));
                // What is known of processes isn't needed for values.
                if kind.is_about_processes() { Ok(()) } else { self.writer.leave_out(1) }
            }
            LogItem::Missing(num) => self.writer.leave_out(num),
        }
    }

    fn left_out(&mut self, time: Timestamp, what: &str) {
        self.health.note(FindingKind::Dropped, None, format!("left out: {time}, {what}"));
    }

    fn block(&mut self, time: Timestamp, bytes: &[u8]) -> Result<(), CaptureError> {
        let block = match DataBlock::parse(bytes, 0) {
            Ok(block) => block,
            Err(error) => {
                self.left_out(time, &format!("{}: {error}", RecordKind::BLOCK));
                return self.writer.leave_out(1);
            }
        };
        let renamed = rename_block(&block, self.texts, self.names);
        if let Some(fault) = renamed.fault {
            self.left_out(time, &format!("an object: {fault}"));
        }
        Ok(self.writer.block(time, &renamed.bytes)?)
    }

    fn event(&mut self, event: &Event) -> Result<(), CaptureError> {
        Ok(self.writer.event(&rename_event(event, self.names))?)
    }

    fn processes(&mut self, time: Timestamp, notes: Vec<ProcessNote>) -> Result<(), CaptureError> {
        let notes: Vec<ProcessNote> = notes.into_iter().map(|note| self.names.note(note)).collect();
        Ok(self.writer.processes(time, &notes)?)
    }
}

/// Whether a log has messages, whose names aren't replaced.
pub(super) fn has_messages(log: &Log) -> bool {
    [RecordKind::MESSAGE, RecordKind::MESSAGE_SAMPLE, RecordKind::MESSAGE_COPY]
        .iter()
        .any(|kind| log.has_kind(*kind))
}
