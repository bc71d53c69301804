//! A log as a source of samples.

mod chunks;
mod info;
mod parents;
mod samples;
mod survey;

use std::ops::ControlFlow;
use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{
    Decoded, Health, NameTable, ObjectDef, Opened, Piece, ProcessNote, Selection, Source, Timestamp,
};
use recount_perf_data::{BlockDecoder, DataBlock, Header, Object};

use crate::log::{Entry, OpenChunk};
use crate::tally::Tally;
use crate::{CaptureError, Log, ReadAt, RecordKind, processes};
pub(crate) use chunks::Chunks;
pub(crate) use info::capture_info;
pub(crate) use samples::Samples;

/// The fact that says how many processors the machine has.
pub const NUM_PROCESSORS: &str = "cpu-count";
/// The language whose names are used: English, as counted by Windows.
const ENGLISH: &str = "009";

/// An opened log of samples.
pub struct CaptureSource {
    log: Arc<Log>,
    names: NameTable,
    host: Arc<str>,
    opened: Opened,
    samples: Arc<Samples>,
    chunks: Chunks,
    num_processors: Option<u32>,
}

impl CaptureSource {
    /// Opens a log. Only its frames' heads are read, or its index.
    pub fn open(input: Box<dyn ReadAt>) -> Result<CaptureSource, CaptureError> {
        CaptureSource::new(Log::open(input)?)
    }

    /// The samples of an opened log.
    pub fn new(log: Log) -> Result<CaptureSource, CaptureError> {
        let (info, zone) = capture_info(log.facts());
        let mut opened = Opened { info, health: log.health().clone(), ..Opened::default() };
        let texts = log.texts();
        let names = texts.get(ENGLISH).or_else(|| texts.values().next()).cloned().unwrap_or_default();
        let samples = Samples::find(&log, RecordKind::BLOCK, zone.as_ref(), &mut opened)?;
        let host = opened.info.hosts.first().cloned().unwrap_or_default();
        let num_processors = log.facts().get(NUM_PROCESSORS).and_then(|num| num.parse().ok());
        let (log, samples) = (Arc::new(log), Arc::new(samples));
        Ok(CaptureSource { log, names, host, opened, samples, chunks: Chunks::default(), num_processors })
    }

    /// The log that the samples are in.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// What was decoded, with what the log knows of the machine.
    fn finished(&self, decoder: BlockDecoder<'_>) -> Decoded {
        let decoded = decoder.finish();
        if self.num_processors.is_none() {
            return decoded;
        }
        decoded.redefined(|object| object.num_processors = self.num_processors)
    }

    /// Decodes samples that one frame holds.
    fn decode_entry(
        &self,
        at: usize,
        samples: &[u32],
        decoder: &mut BlockDecoder<'_>,
        selection: &Selection,
    ) {
        let entry = &self.log.entries[at];
        let mut unreadable = Tally::default();
        if !entry.is_chunk {
            let mut block = Vec::new();
            match self.log.read_unsealed(entry, &mut block) {
                Ok(()) => {
                    for &sample in samples {
                        self.push(decoder, &block, sample, &mut unreadable);
                    }
                }
                Err(error) => decoder.note_lost(&error.to_string()),
            }
            report(decoder, entry, &unreadable);
            return;
        }
        let wanted = |section| {
            section == Piece::FRAME || selection.may_match_object(&self.host, &self.names.name(section))
        };
        let last = samples.last().map_or(0, |&sample| self.record_in(entry, sample));
        let opened = self.chunks.open(&self.log, at, selection, &wanted, last + 1 == entry.num_records);
        let chunk = match &*opened {
            Ok(chunk) => chunk,
            Err(error) => {
                decoder.note_lost(&format!("{error}; {} samples left out", samples.len()));
                return;
            }
        };
        for (section, error) in &chunk.faults {
            let section = chunk.head.sections[*section].section;
            let name = if section == Piece::FRAME { "headers".into() } else { self.names.name(section) };
            decoder.note_lost(&format!("{name}: {error}; left out of {} samples", samples.len()));
        }
        let mut block = Vec::new();
        for &sample in samples {
            if assemble(chunk, self.record_in(entry, sample), &mut block) {
                self.push(decoder, &block, sample, &mut unreadable);
            }
        }
        report(decoder, entry, &unreadable);
    }

    fn record_in(&self, entry: &Entry, sample: u32) -> usize {
        self.samples.records[sample as usize] as usize - entry.first_record
    }

    fn push(
        &self,
        decoder: &mut BlockDecoder<'_>,
        bytes: &[u8],
        sample: u32,
        unreadable: &mut Tally<FormatError>,
    ) {
        // A block has no offset of its own in the file, so errors count from the frame that contains it.
        match DataBlock::parse(bytes, 0) {
            Ok(block) => {
                let origin = "a block in the capture log";
                decoder.push(origin, (0, &self.host), &block, self.times()[sample as usize]);
            }
            Err(error) => unreadable.note(sample as usize, error),
        }
    }
}

/// Reports the unreadable blocks of a frame, grouped by reason.
fn report(decoder: &mut BlockDecoder<'_>, entry: &Entry, unreadable: &Tally<FormatError>) {
    for fault in unreadable.reasons() {
        let blocks = if fault.num == 1 { "a block".to_owned() } else { format!("{} blocks", fault.num) };
        decoder.note(&format!("{blocks} in the frame at byte {:#x}", entry.ofs), &fault.why);
    }
    if let Some(others) = unreadable.others() {
        decoder.note_lost(&format!("blocks in the frame at byte {:#x}: {others}", entry.ofs));
    }
}

/// Assembles a block from the segments that were read. If some weren't, its header is adjusted.
fn assemble(chunk: &OpenChunk, record: usize, block: &mut Vec<u8>) -> bool {
    block.clear();
    let (mut num_objects, mut is_whole, mut header) = (0, true, None);
    for (section, bytes) in chunk.reader.segments(record) {
        let is_frame = chunk.head.sections[section].section == Piece::FRAME;
        match bytes {
            Some(bytes) => {
                if block.is_empty() {
                    header = Header::of_piece(bytes);
                }
                block.extend_from_slice(bytes);
                // Several, if a block repeats one right away.
                if let Some(Header { order, .. }) = header.filter(|_| !is_frame) {
                    num_objects += Object::all_in(bytes, order).count() as u32;
                }
            }
            None if is_frame => return false,
            None => is_whole = false,
        }
    }
    if let Some(header) = header.filter(|_| !is_whole) {
        header.complete(num_objects, block);
    }
    true
}

impl Source for CaptureSource {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn with_names(&self, names: &NameTable) -> Option<Arc<dyn Source>> {
        let mut all = names.clone();
        all.merge(&self.names);
        Some(Arc::new(CaptureSource {
            log: Arc::clone(&self.log),
            names: all,
            host: Arc::clone(&self.host),
            opened: self.opened.clone(),
            samples: Arc::clone(&self.samples),
            chunks: Chunks::default(),
            num_processors: self.num_processors,
        }))
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

    /// The objects of the first sample and of the last.
    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        let mut objects: Vec<(Arc<str>, Arc<ObjectDef>)> = Vec::new();
        let last = self.times().len().saturating_sub(1) as u32;
        for sample in [0, last] {
            for run in self.decode(&[sample], &Selection::all()).runs {
                if !objects.iter().any(|(host, object)| *host == run.host && *object == run.object) {
                    objects.push((run.host, run.object));
                }
            }
        }
        objects
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut decoder = BlockDecoder::new(&self.names, selection, samples.len());
        for (at, of_entry) in self.samples.by_entry(&self.log, samples) {
            let entry = &self.log.entries[at];
            let surveyed = entry.is_chunk && {
                let time = self.times()[of_entry[0] as usize];
                self.survey_chunk(entry, time, &mut decoder, selection).unwrap_or(false)
            };
            if !surveyed {
                self.decode_entry(at, of_entry, &mut decoder, selection);
            }
            let is_known = !self.log.is_closed() || !decoder.is_complete();
            if !is_known && !self.log.is_sound(entry.ofs, entry.len_frame).unwrap_or(true) {
                let at = entry.ofs;
                decoder.note_lost(&format!(
                    "the chunk at byte {at:#x}: its sections are sound, so it is its checksum that is damaged"
                ));
            }
        }
        self.finished(decoder)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut decoder = BlockDecoder::new(&self.names, selection, samples.len());
        for (at, of_entry) in self.samples.by_entry(&self.log, samples) {
            self.decode_entry(at, of_entry, &mut decoder, selection);
        }
        self.finished(decoder)
    }
}
