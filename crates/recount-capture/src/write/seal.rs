//! Sealing: the tail becomes a chunk (`formats/rcap.md#sealing`).
//!
//! ```text
//! 1.  ... | record | record | record |            the tail
//! 2.  ... | record | record | record | chunk |    appended; the disk has it
//! 3.  ... | chunk  | rd | record | chunk |        written over the start of the tail; the disk has it
//! 4.  ... | chunk  |                              the rest cut off
//! ```
//!
//! At every moment each record is complete in the file, in the tail or in one of the two copies of the chunk, so a
//! crash at any point loses nothing. Readers recognise each state.

#[cfg(test)]
mod tests;

use super::{LogWriter, Storage};
use crate::CaptureError;
use crate::frame::{self, FrameKind, LEN_FRAME_HEAD, LEN_FRAME_TAIL};
use crate::log::max_num_records;
use crate::write::fault::copy_of;

impl<S: Storage> LogWriter<S> {
    /// Seals the records of the tail, if there are any. After an error they are still there, unsealed.
    pub(super) fn seal(&mut self) -> Result<(), CaptureError> {
        if self.encoder.num_records() == 0 {
            return Ok(());
        }
        // What can't be proven is a fault of this program or of the memory.
        let Ok(encoded) = self.encoder.encode(self.options.level) else { return self.leave_unsealed() };
        let mut chunk = Vec::with_capacity(encoded.payload.len() + LEN_FRAME_HEAD + LEN_FRAME_TAIL);
        frame::write(self.tag, FrameKind::CHUNK, &[&encoded.payload], &mut chunk);
        drop(encoded);
        let len_chunk = chunk.len() as u64;
        let len_tail = self.len_file - self.ofs_tail;
        if self.next_number > max_num_records(self.ofs_tail + len_chunk) {
            // Readers don't accept this many records in so few bytes.
            return self.leave_unsealed();
        }
        if self.options.tail {
            if len_chunk >= len_tail {
                // There are few records, or they don't compress.
                self.keep_tail();
                return Ok(());
            }
            self.room.note_chunk(len_chunk, len_tail);
            self.replace_tail(&chunk)?;
        } else {
            self.append_bytes(&chunk)?;
        }
        self.len_file = self.ofs_tail + len_chunk;
        self.begin_tail();
        self.note_sealed();
        Ok(())
    }

    fn replace_tail(&mut self, chunk: &[u8]) -> Result<(), CaptureError> {
        self.append_bytes(chunk)?;
        let end = self.len_file + chunk.len() as u64;
        if let Err(error) = self.storage.sync() {
            let _ = self.cut(self.len_file);
            self.note_fault(copy_of(&error));
            return Err(error.into());
        }
        // From here on the copy at the end counts. If the rest fails, it is kept, as is everything after it.
        if let Err(error) = self.storage.write_at(self.ofs_tail, chunk) {
            self.note_failed(error.into());
        } else {
            let synced = self.storage.sync();
            let Err(error) = synced.and_then(|()| self.cut(self.ofs_tail + chunk.len() as u64)) else {
                return Ok(());
            };
            self.note_fault(error);
        }
        self.ofs_tail = end - chunk.len() as u64;
        Ok(())
    }

    /// Records that can't be sealed: they are kept as they are.
    fn leave_unsealed(&mut self) -> Result<(), CaptureError> {
        if !self.options.tail {
            let mut frames = Vec::new();
            for (head, record) in self.encoder.records() {
                frame::write(self.tag, FrameKind::RECORD, &[&head.write(), record], &mut frames);
            }
            self.append_bytes(&frames)?;
            self.len_file += frames.len() as u64;
        }
        self.keep_tail();
        Ok(())
    }

    /// Leaves the records of the tail unsealed for good.
    pub(super) fn keep_tail(&mut self) {
        self.len_to_seal = self.options.len_chunk;
        self.begin_tail();
    }

    pub(super) fn begin_tail(&mut self) {
        self.ofs_tail = self.len_file;
        self.encoder.reset(self.next_number);
    }
}
