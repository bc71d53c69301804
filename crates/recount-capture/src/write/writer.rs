//! The writer of a log.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use recount_model::{Event, Facts, Piece, ProcessNote, Sink, Split, Timestamp};
use recount_pcq::{Message, MessageSplit, MessagesInForce};
use recount_perf_data::BlockSplit;

use super::{Storage, Sync};
use crate::CaptureError;
use crate::chunk::{Encoder, MAX_LEN_RECORD};
use crate::frame::{self, FrameKind, LEN_FRAME_HEAD, LEN_FRAME_TAIL};
use crate::payload::{self, Header, RecordHead};
use crate::processes::NoteWriter;
use crate::random_id::new_id;
use crate::record::RecordKind;
use crate::write::fault::Fault;
use crate::write::room::Room;
use crate::write::sync::SyncClock;

/// What a frame adds to its payload.
const LEN_FRAME: u64 = (LEN_FRAME_HEAD + LEN_FRAME_TAIL) as u64;

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// What a power cut may lose.
    pub sync: Sync,
    /// Records are sealed into a chunk when they have this many bytes in total. Larger chunks compress better, but
    /// take correspondingly more memory.
    pub len_chunk: usize,
    /// zstd level of the chunks.
    pub level: i32,
    /// Whether records are written immediately, before they are sealed. A writer whose input is a file doesn't need
    /// such a tail.
    pub tail: bool,
}

impl Default for WriterOptions {
    fn default() -> Self {
        WriterOptions { sync: Sync::default(), len_chunk: 8 << 20, level: 6, tail: true }
    }
}

/// Writes a log: every record goes immediately to the tail, which is sealed into a chunk from time to time.
///
/// A record that [`LogWriter::append`] has accepted can be lost only by a power cut, within the limits of [`Sync`]; a
/// record that failed leaves all others readable.
pub struct LogWriter<S: Storage = File> {
    pub(super) storage: S,
    pub(super) options: WriterOptions,
    pub(super) tag: u32,
    /// The frame at the start of the file.
    pub(super) header: Vec<u8>,
    /// End of the last sound frame.
    pub(super) len_file: u64,
    /// Where the tail starts: the records that the encoder holds.
    pub(super) ofs_tail: u64,
    pub(super) encoder: Encoder,
    pub(super) next_number: u64,
    /// Number of bytes from which on sealing is tried.
    pub(super) len_to_seal: usize,
    pub(super) clock: SyncClock,
    /// Where the tail can be sealed when the disk is full.
    pub(super) room: Room,
    /// The disk failed while sealing.
    pub(super) fault: Option<Fault>,
    block_split: BlockSplit,
    message_split: MessageSplit,
    notes: NoteWriter,
    /// The state described by the messages so far, for copies.
    in_force: MessagesInForce,
    num_sealed: u64,
    /// Whether copies are due before the next sample.
    is_copy_due: bool,
    /// Length of the frame written last to the tail.
    pub(super) len_last: u64,
    pieces: Vec<Piece>,
    frame: Vec<u8>,
}

impl LogWriter<File> {
    /// Creates a new file; it must not exist yet. Except on Windows it stays locked until it is closed
    /// ([`is_locked`](crate::is_locked)).
    pub fn create(path: &Path, options: WriterOptions) -> Result<LogWriter, CaptureError> {
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        LogWriter::lock(&file);
        LogWriter::new(file, options).inspect_err(|_| {
            // An empty file would only be in the way of the next attempt.
            let _ = std::fs::remove_file(path);
        })
    }

    /// On Windows a lock would keep readers away. Not every file system has locks.
    pub(super) fn lock(file: &File) {
        #[cfg(not(windows))]
        let _ = file.try_lock();
        #[cfg(windows)]
        let _ = file;
    }
}

impl<S: Storage> LogWriter<S> {
    /// Begins a log in an empty storage.
    pub fn new(storage: S, options: WriterOptions) -> Result<LogWriter<S>, CaptureError> {
        LogWriter::with_identity(storage, options, new_id()?, now())
    }

    /// Like [`LogWriter::new`], with a given id and time of creation, so that the same input gives the same bytes. No
    /// two captures may have the same id.
    pub fn with_identity(
        storage: S,
        options: WriterOptions,
        capture_id: [u8; 16],
        created: Timestamp,
    ) -> Result<LogWriter<S>, CaptureError> {
        let writer = format!("recount {}", env!("CARGO_PKG_VERSION"));
        let header = Header { capture_id, created, writer };
        let mut encoder = Encoder::new(0);
        // The last record of a chunk goes beyond its length.
        encoder.reserve(options.len_chunk.saturating_add(options.len_chunk / 8));
        let mut writer = LogWriter {
            storage,
            options,
            tag: header.tag(),
            header: Vec::new(),
            len_file: 0,
            ofs_tail: 0,
            encoder,
            next_number: 0,
            len_to_seal: options.len_chunk,
            clock: SyncClock::new(options.sync),
            room: Room::new(),
            fault: None,
            block_split: BlockSplit::default(),
            message_split: MessageSplit::default(),
            notes: NoteWriter::default(),
            in_force: MessagesInForce::default(),
            num_sealed: 0,
            is_copy_due: false,
            len_last: 0,
            pieces: Vec::new(),
            frame: Vec::new(),
        };
        writer.write_definition(FrameKind::HEADER, &header.write())?;
        writer.header.clone_from(&writer.frame);
        Ok(writer)
    }

    /// Bytes of the file so far.
    pub fn len_file(&self) -> u64 {
        self.len_file
    }

    /// The first four bytes of the capture's id, which identify the log in marks left next to it.
    pub fn tag(&self) -> u32 {
        self.tag
    }

    /// Number of records so far.
    pub fn num_records(&self) -> u64 {
        self.next_number
    }

    /// Appends a record with its pieces, which split it into rows. The pieces only affect its size in the file.
    pub fn append(
        &mut self,
        time: Timestamp,
        kind: RecordKind,
        record: &[u8],
        pieces: &[Piece],
    ) -> Result<(), CaptureError> {
        if record.len() > MAX_LEN_RECORD {
            return Err(CaptureError::TooLarge { len: record.len(), max: MAX_LEN_RECORD });
        }
        self.report_fault()?;
        if !self.encoder.fits(record.len(), pieces.len()) {
            self.seal_or_keep()?;
        }
        // Without a tail a record is safe only once it is sealed, so a failure to seal has to be returned before more
        // records are accepted.
        if !self.options.tail && self.encoder.len_raw() >= self.options.len_chunk {
            self.seal()?;
        }
        if self.options.tail {
            let head = RecordHead { number: self.next_number, time, kind };
            self.append_to_tail(&[&head.write(), record])?;
        }
        if let Err(error) = self.sync_if_due() {
            // It is removed, or a caller that retries would add it twice.
            let len_before = self.len_file - self.len_last;
            let _ = self.cut(len_before);
            self.len_file = len_before;
            return Err(error);
        }
        self.encoder.push(time, kind, record, pieces);
        self.next_number += 1;
        if self.options.tail && self.encoder.len_raw() >= self.len_to_seal {
            self.seal_or_wait();
        }
        Ok(())
    }

    /// Leaves out the next numbers, those of records that are lost: readers report them, and compute no value across them.
    pub fn leave_out(&mut self, num_records: u64) -> Result<(), CaptureError> {
        self.seal_or_keep()?;
        self.next_number += num_records;
        self.begin_tail();
        Ok(())
    }

    /// Writes a record. If the disk is full, the tail is sealed to make room for it.
    fn append_to_tail(&mut self, payload: &[&[u8]]) -> Result<(), CaptureError> {
        let len = payload.iter().map(|part| part.len() as u64).sum::<u64>() + LEN_FRAME;
        self.keep_room(len);
        self.len_last = len;
        match self.write_frame(FrameKind::RECORD, payload) {
            Err(error) if self.has_made_room(&error) => self.write_frame(FrameKind::RECORD, payload),
            done => done,
        }
    }

    /// Seals the tail. If that fails, the records are safe as they are, and sealing is retried later.
    fn seal_or_wait(&mut self) {
        let len_raw = self.encoder.len_raw();
        self.len_to_seal = match self.seal() {
            Ok(()) => self.options.len_chunk,
            Err(error) => {
                self.note_failed(error);
                len_raw + self.options.len_chunk / 2
            }
        };
    }

    /// Seals the tail; if that fails, its records stay unsealed for good.
    pub(super) fn seal_or_keep(&mut self) -> Result<(), CaptureError> {
        match self.seal() {
            Err(error) if self.options.tail => {
                self.note_failed(error);
                self.keep_tail();
            }
            Ok(()) => self.len_to_seal = self.options.len_chunk,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn append_block(&mut self, time: Timestamp, block: &[u8]) -> Result<(), CaptureError> {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        self.block_split.split(block, &mut pieces);
        let done = self.append(time, RecordKind::BLOCK, block, &pieces);
        self.pieces = pieces;
        done
    }

    /// A message that can't be read is kept as one that isn't a sample.
    fn append_message(&mut self, time: Timestamp, message: &[u8]) -> Result<(), CaptureError> {
        let parsed = Message::parse(message, 0).ok().filter(|parsed| parsed.len() == message.len());
        if !parsed.is_some_and(|parsed| parsed.is_sample()) {
            self.append_split(time, RecordKind::MESSAGE, message)?;
            self.in_force.keep(time, message.to_vec());
            return Ok(());
        }
        if std::mem::take(&mut self.is_copy_due) {
            let in_force = std::mem::take(&mut self.in_force);
            let done = in_force
                .iter()
                .try_for_each(|(time, copy)| self.append_split(time, RecordKind::MESSAGE_COPY, copy));
            self.in_force = in_force;
            done?;
        }
        // An answer without a time of its own has the time of its receipt.
        let time = parsed.map(|parsed| parsed.time_of_sample()).filter(|time| time.0 != 0).unwrap_or(time);
        self.append_split(time, RecordKind::MESSAGE_SAMPLE, message)
    }

    /// Descriptions and ends of processes: a record for each kind.
    fn append_notes(&mut self, time: Timestamp, notes: &[ProcessNote]) -> Result<(), CaptureError> {
        let mut writer = std::mem::take(&mut self.notes);
        let done = [RecordKind::PROCESSES, RecordKind::ENDED_PROCESSES].into_iter().try_for_each(|kind| {
            let Some(record) = writer.record(kind, notes) else { return Ok(()) };
            self.append(time, kind, record, &[])
        });
        if done.is_err() {
            writer.note_failed();
        }
        self.notes = writer;
        done
    }

    fn append_split(
        &mut self,
        time: Timestamp,
        kind: RecordKind,
        message: &[u8],
    ) -> Result<(), CaptureError> {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        self.message_split.split(message, &mut pieces);
        let done = self.append(time, kind, message, &pieces);
        self.pieces = pieces;
        done
    }

    /// To be called after sealing a chunk. If the first chunk were lost, samples could not be read without the messages
    /// in it, so these are repeated at growing distances.
    pub(super) fn note_sealed(&mut self) {
        self.num_sealed += 1;
        self.is_copy_due |= self.num_sealed.is_power_of_two();
    }

    /// Writes a frame that won't move; the tail is sealed first.
    pub(super) fn write_definition(&mut self, kind: FrameKind, payload: &[u8]) -> Result<(), CaptureError> {
        self.report_fault()?;
        self.seal_or_keep()?;
        self.write_frame(kind, &[payload])?;
        self.ofs_tail = self.len_file;
        self.sync_if_due()
    }

    /// Appends a frame. If that fails, the part already written is truncated.
    pub(super) fn write_frame(&mut self, kind: FrameKind, payload: &[&[u8]]) -> Result<(), CaptureError> {
        let mut frame = std::mem::take(&mut self.frame);
        frame.clear();
        frame::write(self.tag, kind, payload, &mut frame);
        let done = self.append_bytes(&frame);
        if done.is_ok() {
            self.len_file += frame.len() as u64;
        }
        self.frame = frame;
        done
    }

    /// Writes after the last frame, and undoes that if it fails.
    pub(super) fn append_bytes(&mut self, bytes: &[u8]) -> Result<(), CaptureError> {
        self.storage.write_at(self.len_file, bytes).map_err(|error| {
            // If even this fails, a torn frame remains at the end, which readers can handle.
            let _ = self.cut(self.len_file);
            CaptureError::Io(error)
        })
    }

    fn sync_if_due(&mut self) -> Result<(), CaptureError> {
        if self.clock.is_due() {
            self.storage.sync()?;
            self.clock.synced();
        }
        Ok(())
    }
}

impl<S: Storage> Sink for LogWriter<S> {
    fn facts(&mut self, facts: &Facts) -> io::Result<()> {
        Ok(self.write_definition(FrameKind::FACTS, &payload::write_facts(facts))?)
    }

    fn texts(&mut self, language: &str, texts: &mut dyn Iterator<Item = (u32, &str)>) -> io::Result<()> {
        Ok(self.write_definition(FrameKind::TEXTS, &payload::write_texts(language, texts))?)
    }

    fn block(&mut self, time: Timestamp, block: &[u8]) -> io::Result<()> {
        Ok(self.append_block(time, block)?)
    }

    fn message(&mut self, time: Timestamp, message: &[u8]) -> io::Result<()> {
        Ok(self.append_message(time, message)?)
    }

    fn processes(&mut self, time: Timestamp, notes: &[ProcessNote]) -> io::Result<()> {
        Ok(self.append_notes(time, notes)?)
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        Ok(self.append(event.time, RecordKind::EVENT, &payload::write_event(event), &[])?)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.clock.syncs() { self.storage.sync() } else { Ok(()) }
    }
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Timestamp(Timestamp::UNIX_EPOCH.0 + (since.as_nanos() / 100) as i64)
}
