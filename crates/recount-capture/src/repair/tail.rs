//! Sealing the records that a recorder left unsealed.

use recount_blocks::perf_data::BlockSplit;
use recount_model::Split;

use super::output::Output;
use crate::chunk::Encoder;
use crate::frame::{FrameKind, LEN_FRAME_HEAD, LEN_FRAME_TAIL};
use crate::log::Entry;
use crate::{CaptureError, Log, WriterOptions};

/// Unsealed records in a row.
pub(super) struct Tail {
    encoder: Encoder,
    entries: Vec<Entry>,
    split: BlockSplit,
}

impl Default for Tail {
    fn default() -> Tail {
        Tail { encoder: Encoder::new(0), entries: Vec::new(), split: BlockSplit::default() }
    }
}

impl Tail {
    /// Whether a record continues these.
    pub(super) fn fits(&self, entry: &Entry) -> bool {
        let Some(last) = self.entries.last() else { return true };
        let len = entry.len_frame.saturating_sub(LEN_FRAME_HEAD + LEN_FRAME_TAIL);
        last.number_first + 1 == entry.number_first
            && self.encoder.len_raw() < WriterOptions::default().len_chunk
            // Pieces have a byte at least.
            && self.encoder.fits(len, 0)
    }

    /// Adds a record, which `fits`.
    pub(super) fn push(&mut self, log: &Log, entry: &Entry) -> Result<(), CaptureError> {
        let Some((time, kind)) = log.record_info(entry.first_record) else { return Ok(()) };
        let mut bytes = Vec::new();
        log.read_unsealed(entry, &mut bytes)?;
        if self.entries.is_empty() {
            self.encoder.reset(entry.number_first);
        }
        let mut pieces = Vec::new();
        if kind.is_sample() {
            self.split.split(&bytes, &mut pieces);
        }
        if !self.encoder.fits(bytes.len(), pieces.len()) {
            pieces.clear();
        }
        self.encoder.push(time, kind, &bytes, &pieces);
        self.entries.push(*entry);
        Ok(())
    }

    /// Writes them as a chunk, or as they are if that is shorter. Gives how many they were, and how many of them are sealed.
    pub(super) fn seal(&mut self, log: &Log, out: &mut Output) -> Result<(u64, u64), CaptureError> {
        let entries = std::mem::take(&mut self.entries);
        if entries.is_empty() {
            return Ok((0, 0));
        }
        let num = entries.len() as u64;
        let len_frames: usize = entries.iter().map(|entry| entry.len_frame).sum();
        let encoded = self.encoder.encode(WriterOptions::default().level).ok();
        let len_limit = len_frames.saturating_sub(LEN_FRAME_HEAD + LEN_FRAME_TAIL);
        let encoded = encoded.filter(|encoded| encoded.payload.len() < len_limit);
        let num_sealed = if let Some(encoded) = encoded {
            out.write(FrameKind::CHUNK, &encoded.payload)?;
            num
        } else {
            entries.iter().try_for_each(|entry| out.copy(log, entry.ofs, entry.len_frame))?;
            0
        };
        self.encoder.reset(0);
        Ok((num, num_sealed))
    }
}
