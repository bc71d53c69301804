//! An open log, and the positions of its records.

mod bound;
mod chunk_head;
mod events;
mod index;
mod items;
mod progress;
mod read;
mod scan;
mod search;
#[cfg(test)]
mod tests;
mod visit;
mod walk;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recount_model::{Facts, Health, Mark, NameTable, Timestamp};

use crate::CaptureError;
use crate::payload::Header;
use crate::read_at::{Counted, ReadAt};
use crate::record::RecordKind;

pub(crate) use bound::max_num_records;
pub(crate) use events::{events, marks_of};
pub use items::{LogItem, LoggedItem};

pub(crate) use index::{Counts, Table, UnusedIndex, write_index};
pub(crate) use read::OpenChunk;
pub(crate) use walk::{Frame, frames};

/// An open log: facts, names, and the position of every record. Records are read on demand.
pub struct Log {
    pub(crate) input: Counted,
    pub(crate) header: Option<Header>,
    pub(crate) tag: u32,
    facts: Facts,
    texts: BTreeMap<String, NameTable>,
    pub(crate) entries: Vec<Entry>,
    /// Frames of facts and texts.
    pub(crate) definitions: Vec<Definition>,
    pub(crate) records: Records,
    health: Health,
    /// Health before the tail, which is reread when following.
    health_sealed: Health,
    /// End of the last frame that stays where it is; after it is the tail.
    ofs_sealed: u64,
    /// Records of the tail by number: they move once the tail is sealed.
    tail: HashMap<u64, Arc<[u8]>>,
    len_tail: usize,
    /// For a chunk found after its tail, by its offset: the offset to which it will be moved.
    moves: HashMap<u64, u64>,
    is_closed: bool,
    /// An index that is unreliable although its checksum is right.
    unused_index: Option<UnusedIndex>,
    /// Where another capture begins, after this one.
    ofs_other: Option<u64>,
    /// Marks left next to the log.
    pub(crate) marks_beside: Vec<Mark>,
}

/// A frame that holds records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) ofs: u64,
    pub(crate) len_frame: usize,
    pub(crate) is_chunk: bool,
    pub(crate) number_first: u64,
    pub(crate) num_records: usize,
    /// Its first record in [`Records`].
    pub(crate) first_record: usize,
}

impl Entry {
    /// One more than the number of its last record.
    pub(crate) fn number_end(&self) -> u64 {
        self.number_first + self.num_records as u64
    }
}

/// A frame of facts or texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) kind: crate::frame::FrameKind,
    pub(crate) ofs: u64,
    pub(crate) len_frame: usize,
}

/// What is known about all records without reading them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Records {
    pub(crate) times: Vec<Timestamp>,
    pub(crate) kinds: Vec<RecordKind>,
    pub(crate) lens: Vec<u64>,
}

impl Records {
    fn truncate(&mut self, num: usize) {
        self.times.truncate(num);
        self.kinds.truncate(num);
        self.lens.truncate(num);
    }
}

impl Log {
    /// How far a log may be damaged at its start and still be recognised.
    pub(crate) const LEN_SEARCHED: usize = 64 << 10;

    /// Whether bytes are those of a log: its first ones, or more of them.
    pub fn recognise(bytes: &[u8]) -> bool {
        let bytes = &bytes[..bytes.len().min(Log::LEN_SEARCHED)];
        search::find_head(bytes, 0, None).is_some()
    }

    /// Opens a log: by its index if it was closed, otherwise by its frames. [`Log::health`] reports damage; it is an
    /// error only if nothing can be read.
    pub fn open(input: Box<dyn ReadAt>) -> Result<Log, CaptureError> {
        let mut log = Log {
            input: Counted::new(input),
            header: None,
            tag: 0,
            facts: Facts::new(),
            texts: BTreeMap::new(),
            entries: Vec::new(),
            definitions: Vec::new(),
            records: Records::default(),
            health: Health::default(),
            health_sealed: Health::default(),
            ofs_sealed: 0,
            tail: HashMap::new(),
            len_tail: 0,
            moves: HashMap::new(),
            is_closed: false,
            unused_index: None,
            ofs_other: None,
            marks_beside: Vec::new(),
        };
        let ofs = log.read_header()?;
        if !log.read_by_index(ofs)? {
            log.scan(ofs)?;
        }
        Ok(log)
    }

    /// Like [`Log::open`], but ignores the index: every frame is visited.
    pub fn open_by_frames(input: Box<dyn ReadAt>) -> Result<Log, CaptureError> {
        let mut log = Log::open(input)?;
        log.is_closed = false;
        log.start_over();
        let ofs = log.read_header()?;
        log.scan(ofs)?;
        Ok(log)
    }

    /// Reads what was written since. A closed log doesn't change.
    pub fn refresh(&mut self) -> Result<(), CaptureError> {
        if self.is_closed {
            return Ok(());
        }
        if self.input.len()? < self.ofs_sealed {
            // Our writer doesn't do that: it is another file now, or was truncated.
            self.start_over();
            let ofs = self.read_header()?;
            return self.scan(ofs).map(|_| ());
        }
        // The tail may have been sealed in the meantime, so all of it is reread.
        self.health = self.health_sealed.clone();
        self.is_closed = self.scan(self.ofs_sealed)?;
        Ok(())
    }

    /// Forgets everything after the last frame that won't move.
    fn forget_tail(&mut self) {
        let num_sealed = self.entries.iter().take_while(|entry| entry.ofs < self.ofs_sealed).count();
        let num_records = self.entries.get(num_sealed).map_or(self.records.times.len(), |e| e.first_record);
        self.entries.truncate(num_sealed);
        self.records.truncate(num_records);
        let num_definitions = self.definitions.iter().take_while(|frame| frame.ofs < self.ofs_sealed).count();
        self.definitions.truncate(num_definitions);
        self.tail.clear();
        self.moves.clear();
        self.len_tail = 0;
    }

    fn start_over(&mut self) {
        self.facts.clear();
        self.texts.clear();
        self.entries.clear();
        self.definitions.clear();
        self.records = Records::default();
        (self.health, self.health_sealed) = (Health::default(), Health::default());
        (self.ofs_sealed, self.header) = (0, None);
        (self.unused_index, self.ofs_other) = (None, None);
        self.forget_tail();
    }

    /// Facts about machine and recording.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Names and help texts by language.
    pub fn texts(&self) -> &BTreeMap<String, NameTable> {
        &self.texts
    }

    /// The damage found so far.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Number of records.
    pub fn num_records(&self) -> usize {
        self.records.times.len()
    }

    /// Whether it has records of a kind.
    pub fn has_kind(&self, kind: RecordKind) -> bool {
        self.records.kinds.contains(&kind)
    }

    /// Time and kind of a record.
    pub fn record_info(&self, record: usize) -> Option<(Timestamp, RecordKind)> {
        Some((*self.records.times.get(record)?, *self.records.kinds.get(record)?))
    }

    /// Bytes of a record.
    pub fn len_record(&self, record: usize) -> u64 {
        self.records.lens.get(record).copied().unwrap_or(0)
    }

    /// Number of chunks.
    pub fn num_chunks(&self) -> usize {
        self.entries.iter().filter(|entry| entry.is_chunk).count()
    }

    /// Number of records that are not in chunks.
    pub fn num_unsealed(&self) -> usize {
        self.entries.iter().filter(|entry| !entry.is_chunk).count()
    }

    /// Whether the log was closed: it has an index at its end.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// An index that is unreliable although its checksum is right.
    pub(crate) fn unused_index(&self) -> Option<&UnusedIndex> {
        self.unused_index.as_ref()
    }

    /// Where another capture begins, after this one.
    pub(crate) fn ofs_other(&self) -> Option<u64> {
        self.ofs_other
    }

    /// Bytes read from the input so far.
    pub fn len_read(&self) -> u64 {
        self.input.len_read()
    }

    /// The id of the capture; `None` if the header is damaged.
    pub fn capture_id(&self) -> Option<[u8; 16]> {
        self.header.as_ref().map(|header| header.capture_id)
    }

    /// The program that wrote the log.
    pub fn writer(&self) -> Option<&str> {
        self.header.as_ref().map(|header| header.writer.as_str())
    }
}
