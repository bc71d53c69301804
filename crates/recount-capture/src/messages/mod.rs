//! A log of MS-PCQ messages as a source of samples.

mod partial;

use std::ops::ControlFlow;
use std::sync::Arc;

use partial::assemble;
use recount_model::{
    Decoded, FindingKind, Health, ObjectDef, Opened, Piece, ProcessNote, Selection, Source, Timestamp,
};
use recount_pcq::{Message, MessageDecoder, Session};

use crate::log::{Entry, OpenChunk};
use crate::source::{Chunks, Samples, capture_info};
use crate::{CaptureError, Log, RecordKind, processes};

/// The origin of a message, for findings: in a chunk it has no file offset, so offsets count from its start.
fn origin(entry: &Entry) -> String {
    format!("in the frame at byte {:#x}", entry.ofs)
}

/// An opened log of messages.
pub struct MessageSource {
    log: Log,
    host: Arc<str>,
    opened: Opened,
    samples: Samples,
    session: Session,
    chunks: Chunks,
}

impl MessageSource {
    /// The samples of an opened log. The messages other than samples are read.
    pub fn new(log: Log) -> Result<MessageSource, CaptureError> {
        let (mut info, zone) = capture_info(log.facts());
        info.format.push_str(", MS-PCQ");
        let mut opened = Opened { info, health: log.health().clone(), ..Opened::default() };
        let samples = Samples::find(&log, RecordKind::MESSAGE_SAMPLE, zone.as_ref(), &mut opened)?;
        let session = session(&log, &mut opened.health)?;
        opened.info.has_aggregates = session.has_aggregates();
        let host = opened.info.hosts.first().cloned().unwrap_or_default();
        Ok(MessageSource { log, host, opened, samples, session, chunks: Chunks::default() })
    }

    fn decode_entry(
        &self,
        at: usize,
        samples: &[u32],
        decoder: &mut MessageDecoder<'_>,
        selection: &Selection,
    ) {
        let entry = &self.log.entries[at];
        let mut bytes = Vec::new();
        if !entry.is_chunk {
            match self.log.read_unsealed(entry, &mut bytes) {
                Ok(()) => samples.iter().for_each(|&sample| self.push(decoder, entry, &bytes, sample)),
                Err(error) => decoder.note_lost(&error.to_string()),
            }
            return;
        }
        // Blocks of countersets that aren't selected needn't be read. If a query changes within a chunk, all are read.
        // The chunk is opened once for all of its slices, so all of its records count.
        let records = entry.first_record..entry.first_record + entry.num_records;
        let is_sample =
            |record: &usize| self.log.records.kinds.get(*record) == Some(&RecordKind::MESSAGE_SAMPLE);
        let first = records.clone().find(is_sample).unwrap_or(records.start);
        let last = records.end - 1;
        let is_steady = self.session.is_steady(first as u64, last as u64);
        let wanted = |section: u32| {
            section == Piece::FRAME
                || !is_steady
                || self.session.may_match_block(first as u64, section, &self.host, selection)
        };
        let is_last = samples.last().is_some_and(|&sample| self.record(sample) == last);
        let opened = self.chunks.open(&self.log, at, selection, &wanted, is_last);
        match &*opened {
            Ok(chunk) => self.decode_chunk(entry, chunk, samples, decoder),
            Err(error) => decoder.note_lost(&format!("{error}; {} samples left out", samples.len())),
        }
    }

    fn decode_chunk(
        &self,
        entry: &Entry,
        chunk: &OpenChunk,
        samples: &[u32],
        decoder: &mut MessageDecoder<'_>,
    ) {
        for (_, error) in &chunk.faults {
            decoder.note_lost(&format!("{error}; left out of {} samples", samples.len()));
        }
        let mut bytes = Vec::new();
        for &sample in samples {
            if assemble(chunk, self.record(sample) - entry.first_record, &mut bytes) {
                self.push(decoder, entry, &bytes, sample);
            }
        }
    }

    fn record(&self, sample: u32) -> usize {
        self.samples.records[sample as usize] as usize
    }

    fn push(&self, decoder: &mut MessageDecoder<'_>, entry: &Entry, bytes: &[u8], sample: u32) {
        let origin = origin(entry);
        let number = self.record(sample) as u64;
        match Message::parse(bytes, 0) {
            Ok(message) => {
                let time = self.times()[sample as usize];
                decoder.push(&origin, (0, &self.host), number, &message, time);
            }
            Err(error) => decoder.note(&origin, &error),
        }
    }
}

/// The session described by the messages of a log other than samples.
fn session(log: &Log, health: &mut Health) -> Result<Session, CaptureError> {
    let mut session = Session::default();
    let mut bytes = Vec::new();
    for entry in &log.entries {
        let records = entry.first_record..entry.first_record + entry.num_records;
        let is_message = |record: &usize| {
            let kind = log.records.kinds.get(*record);
            matches!(kind, Some(&(RecordKind::MESSAGE | RecordKind::MESSAGE_COPY)))
        };
        if !records.clone().any(|record| is_message(&record)) {
            continue;
        }
        let chunk = if entry.is_chunk {
            match log.open_chunk(entry, &|section| section == Piece::FRAME) {
                Ok(chunk) => Some(chunk),
                Err(CaptureError::Io(error)) => return Err(error.into()),
                Err(error) => {
                    health.note(FindingKind::Damaged, None, format!("messages: {error}"));
                    continue;
                }
            }
        } else {
            None
        };
        for record in records.filter(is_message) {
            bytes.clear();
            let read = match &chunk {
                Some(chunk) => {
                    let read = chunk.reader.record(record - entry.first_record, &mut bytes);
                    read.map_err(|fault| CaptureError::at("chunk", entry.ofs, fault))
                }
                None => log.read_unsealed(entry, &mut bytes),
            };
            match read {
                Ok(()) => apply(&mut session, entry, record, &bytes, health),
                Err(CaptureError::Io(error)) => return Err(error.into()),
                Err(error) => health.note(FindingKind::Damaged, None, format!("a message: {error}")),
            }
        }
    }
    Ok(session)
}

fn apply(session: &mut Session, entry: &Entry, record: usize, bytes: &[u8], health: &mut Health) {
    match Message::parse(bytes, 0) {
        Ok(message) => session.apply(record as u64, &message, health),
        Err(error) => {
            let what = format!("a message {}: {}", origin(entry), error.what());
            health.note(FindingKind::Damaged, error.place().cloned(), what);
        }
    }
}

impl Source for MessageSource {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.samples.epoch(sample)
    }

    fn epoch_despite_losses(&self, sample: usize) -> u32 {
        self.samples.epoch_despite_losses(sample)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.samples.records.get(sample).map_or(0, |&record| self.log.len_record(record as usize) as usize)
    }

    fn processes(
        &self,
        span: (Timestamp, Timestamp),
        take: &mut dyn FnMut(ProcessNote) -> ControlFlow<()>,
    ) -> Health {
        processes::visit(&self.log, span, take)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.session.objects().map(|object| (Arc::clone(&self.host), object)).collect()
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut decoder = MessageDecoder::new(&self.session, selection, samples.len());
        for (at, of_entry) in self.samples.by_entry(&self.log, samples) {
            self.decode_entry(at, of_entry, &mut decoder, selection);
        }
        decoder.finish()
    }
}
