//! Room on the disk for sealing the tail, which makes it small, when the disk is full (`formats/rcap.md#full-disk`).

use super::storage::is_full;
use super::{LogWriter, Storage};
use crate::CaptureError;

/// Reserved in steps of this many bytes, so that few calls are necessary.
const LEN_STEP: u64 = 256 << 10;
/// Reserved for the head of a chunk and the index, besides what depends on the records.
const LEN_BASE: u64 = 16 << 10;

/// Closing a log of few records takes this many bytes.
const LEN_LEAST_END: u64 = 320;
/// The index takes up to this many bytes for a record: the steps of its time, its length, and its part of a frame.
const LEN_LISTED: u64 = 6;

/// Space after the end of the log, enough for the chunk that the tail would become.
#[derive(Debug)]
pub(super) struct Room {
    /// Up to this offset.
    end: u64,
    /// How long a chunk is, as a share of its records in 1/256.
    share: u64,
}

impl Room {
    /// Before anything is known about how the records compress.
    pub(super) fn new() -> Room {
        Room { end: 0, share: 128 }
    }

    /// Notes the length of a chunk.
    pub(super) fn note_chunk(&mut self, len_chunk: u64, len_tail: u64) {
        // With a margin, since the next may compress less.
        self.share = (len_chunk * 256 * 3 / 2 / len_tail.max(1)).clamp(8, 256);
    }

    /// Notes that the file was truncated: nothing is reserved after its end.
    pub(super) fn note_cut(&mut self, len: u64) {
        self.end = self.end.min(len);
    }

    /// Whether anything is reserved after this offset.
    pub(super) fn goes_beyond(&self, len: u64) -> bool {
        self.end > len
    }
}

impl<S: Storage> LogWriter<S> {
    /// Keeps room for sealing the tail together with the next `len` bytes. If the disk doesn't have it, the tail is
    /// sealed now, into the room that was kept before.
    pub(super) fn keep_room(&mut self, len: u64) {
        let len_tail = self.len_file - self.ofs_tail + len;
        let end = self.len_file + len + len_tail.saturating_mul(self.room.share) / 256 + LEN_BASE;
        if end <= self.room.end {
            return;
        }
        for ahead in [LEN_STEP, 0] {
            let reserved = self.storage.reserve(self.len_file, end + ahead - self.len_file);
            if !reserved.is_err_and(|error| is_full(&error)) {
                self.room.end = end + ahead;
                return;
            }
        }
        self.make_room();
    }

    /// Seals the tail, whatever its length, so that the log is as short as it can be.
    pub fn compact(&mut self) {
        self.make_room();
    }

    /// About how many bytes closing the log adds: an event, and the index with its lists of records and frames.
    pub fn len_to_close(&self) -> u64 {
        LEN_LEAST_END + LEN_LISTED * self.next_number
    }

    /// Seals the tail, whatever its length; whether that made room.
    pub(super) fn make_room(&mut self) -> bool {
        let len_before = self.len_file;
        if let Err(error) = self.seal() {
            self.note_failed(error);
        }
        self.len_file < len_before
    }

    /// Whether a record could not be written for lack of room, and sealing has made some.
    pub(super) fn has_made_room(&mut self, error: &CaptureError) -> bool {
        matches!(error, CaptureError::Io(error) if is_full(error)) && self.make_room()
    }

    /// Truncates the file, which also gives back what is reserved after its end.
    pub(super) fn cut(&mut self, len: u64) -> std::io::Result<()> {
        self.room.note_cut(len);
        self.storage.set_len(len)
    }
}
