//! Seals the records that a recorder left unsealed, and those of chunks that can't be kept as they are.

use recount_model::{Piece, Split};
use recount_pcq::MessageSplit;
use recount_perf_data::BlockSplit;

use super::output::Output;
use crate::chunk::{Encoder, LEN_HEAD_FIXED};
use crate::frame::{FrameKind, LEN_FRAME_HEAD, LEN_FRAME_TAIL};
use crate::log::max_num_records;
use crate::payload::{LEN_RECORD_HEAD, RecordHead};
use crate::{CaptureError, RecordKind, WriterOptions};

/// Records in a row.
pub(super) struct Tail {
    encoder: Encoder,
    number_next: u64,
    /// How many of them were not sealed before.
    num_unsealed: u64,
    block_split: BlockSplit,
    message_split: MessageSplit,
    pieces: Vec<Piece>,
}

/// The result of sealing a tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sealed {
    /// Records written.
    pub(super) num_records: u64,
    /// How many of them were not sealed before and are now.
    pub(super) num_sealed: u64,
}

impl Default for Tail {
    fn default() -> Tail {
        Tail {
            encoder: Encoder::new(0),
            number_next: 0,
            num_unsealed: 0,
            block_split: BlockSplit::default(),
            message_split: MessageSplit::default(),
            pieces: Vec::new(),
        }
    }
}

impl Tail {
    /// Whether a record with this number and length can be added.
    pub(super) fn fits(&self, number: u64, len: usize) -> bool {
        self.encoder.num_records() == 0
            || (self.number_next == number
                && self.encoder.len_raw() < WriterOptions::default().len_chunk
                // Pieces have a byte at least.
                && self.encoder.fits(len, 0))
    }

    /// Adds a record, which `fits`. `is_sealed`: it was in a chunk before.
    pub(super) fn push(&mut self, record: RecordHead, bytes: &[u8], is_sealed: bool) {
        if self.encoder.num_records() == 0 {
            self.encoder.reset(record.number);
        }
        self.split(record.kind, bytes);
        if !self.encoder.fits(bytes.len(), self.pieces.len()) {
            self.pieces.clear();
        }
        let RecordHead { number, time, kind } = record;
        self.encoder.push(time, kind, bytes, &self.pieces);
        self.number_next = number + 1;
        self.num_unsealed += u64::from(!is_sealed);
    }

    fn split(&mut self, kind: RecordKind, bytes: &[u8]) {
        self.pieces.clear();
        match kind {
            RecordKind::BLOCK => self.block_split.split(bytes, &mut self.pieces),
            RecordKind::MESSAGE | RecordKind::MESSAGE_SAMPLE | RecordKind::MESSAGE_COPY => {
                self.message_split.split(bytes, &mut self.pieces);
            }
            _ => {}
        }
    }

    /// Writes them as a chunk, or one by one if that is shorter. `num_before`: records that were written before these.
    pub(super) fn seal(&mut self, num_before: u64, out: &mut Output) -> Result<Sealed, CaptureError> {
        let num_records = self.encoder.num_records() as u64;
        if num_records == 0 {
            return Ok(Sealed::default());
        }
        let num_unsealed = std::mem::take(&mut self.num_unsealed);
        let len_frame = LEN_FRAME_HEAD + LEN_RECORD_HEAD + LEN_FRAME_TAIL;
        let len_frames = self.encoder.len_raw() + len_frame * num_records as usize;
        let len_limit = len_frames.saturating_sub(LEN_FRAME_HEAD + LEN_FRAME_TAIL);
        // No chunk is shorter than its head.
        let is_worth_it = len_limit > LEN_HEAD_FIXED;
        let encoded = is_worth_it.then(|| self.encoder.encode(WriterOptions::default().level).ok()).flatten();
        let encoded = encoded.filter(|encoded| {
            let len_file = out.len_file() + encoded.payload.len() as u64;
            encoded.payload.len() < len_limit && num_before + num_records <= max_num_records(len_file)
        });
        let num_sealed = if let Some(encoded) = encoded {
            out.write(FrameKind::CHUNK, &[&encoded.payload])?;
            num_unsealed
        } else {
            for (head, record) in self.encoder.records() {
                out.write(FrameKind::RECORD, &[&head.write(), record])?;
            }
            0
        };
        self.encoder.reset(0);
        Ok(Sealed { num_records, num_sealed })
    }
}
