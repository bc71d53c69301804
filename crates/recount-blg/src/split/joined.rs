//! Messages in fragments: joined for splitting, and their pieces cut where the fragments end.

use std::collections::VecDeque;
use std::ops::Range;

use recount_model::{Health, Piece};

use super::{Cut, key};
use crate::container::buffer::buffer;
use crate::container::{Event, PdhEvent, events};

/// Longer messages are not joined.
const MAX_NUM_FRAGMENTS: u32 = 1 << 12;

/// The pieces of a message whose fragments follow.
#[derive(Debug, Default)]
pub(super) struct Joined {
    identity: Option<Identity>,
    /// Number of the next fragment.
    next: u32,
    pieces: VecDeque<Piece>,
    /// Bytes of the first piece that were in the previous fragments, and the number of these.
    len_cut: u32,
    num_cuts: u32,
}

/// Fields that the fragments of one message share: type, time, number of fragments.
type Identity = (u8, i64, u32);

fn identity(event: &PdhEvent) -> Identity {
    (event.header.message_type, event.header.local.0, event.header.num_fragments)
}

impl Joined {
    /// The message of a first fragment, with the pieces of the whole message.
    pub(super) fn new(first: &PdhEvent, pieces: Vec<Piece>) -> Joined {
        Joined { identity: Some(identity(first)), next: 1, pieces: pieces.into(), len_cut: 0, num_cuts: 0 }
    }

    /// Takes the pieces of a fragment that ends at `end`; none if it isn't the next fragment.
    pub(super) fn take(&mut self, event: &PdhEvent, end: usize, cut: &mut Cut<'_, '_>) {
        if self.identity != Some(identity(event)) || self.next != event.header.fragment {
            self.identity = None;
            return;
        }
        self.next += 1;
        while cut.at < end
            && let Some(piece) = self.pieces.front().copied()
        {
            let len = (piece.len - self.len_cut).min((end - cut.at) as u32);
            let key = if len == piece.len { piece.key } else { key((piece.key, self.num_cuts)) };
            cut.to(cut.at + len as usize, piece.section, piece.sort, key);
            self.len_cut += len;
            self.num_cuts += 1;
            if self.len_cut == piece.len {
                (self.len_cut, self.num_cuts) = (0, 0);
                self.pieces.pop_front();
            }
        }
    }
}

/// The whole message of a first fragment in the buffer at `range`, if the others follow in order, in it or in
/// the next buffers.
pub(super) fn join(first: &PdhEvent, file: &[u8], range: &Range<usize>) -> Option<Vec<u8>> {
    let num = first.header.num_fragments;
    if num > MAX_NUM_FRAGMENTS {
        return None;
    }
    let mut whole = Vec::new();
    let mut next = 1;
    for start in (range.start..file.len()).step_by(range.len()).take(num as usize + 1) {
        let Some(buffer) = buffer(file, start, (start + range.len()).min(file.len())) else { continue };
        events(file, &buffer, &mut Health::default(), |event| {
            if let Event::Pdh(event) = event
                && event.ofs >= first.ofs
                && (identity(&event), event.header.fragment) == (identity(first), next)
            {
                let payload = file.get(event.ofs_payload()..event.ofs_payload() + event.len_payload());
                whole.extend_from_slice(payload.unwrap_or_default());
                next += 1;
            }
        });
        if next > num {
            return Some(whole);
        }
    }
    None
}
