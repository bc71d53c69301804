//! Looking for frames after damage.

use crate::CaptureError;
use crate::frame::{FrameHead, LEN_FRAME_HEAD, MAGIC};
use crate::read_at::Counted;

/// How much is searched at a time.
pub(super) const LEN_WINDOW: usize = 1 << 20;

/// The first offset from `from` on with a sound frame head, with a given tag if it is known.
pub(super) fn find_head(bytes: &[u8], from: usize, tag: Option<u32>) -> Option<(usize, FrameHead)> {
    let mut ofs = from;
    while let Some(rest) = bytes.get(ofs..) {
        ofs += rest.windows(MAGIC.len()).position(|window| window == MAGIC)?;
        match FrameHead::read(&bytes[ofs..]) {
            Ok(head) if tag.is_none_or(|tag| head.tag == tag) => return Some((ofs, head)),
            _ => ofs += 1,
        }
    }
    None
}

/// A search for the frames of one file. Keeps the bytes read, so that many small damaged places close to each other
/// cost no more than a large one.
#[derive(Default)]
pub(super) struct Search {
    ofs: u64,
    bytes: Vec<u8>,
}

impl Search {
    /// The next offset from `ofs` on with a sound frame head with this tag.
    pub(super) fn next(
        &mut self,
        input: &Counted,
        tag: u32,
        mut ofs: u64,
    ) -> Result<Option<u64>, CaptureError> {
        loop {
            let from = ofs.checked_sub(self.ofs).and_then(|from| usize::try_from(from).ok());
            let from = from.filter(|from| from + LEN_FRAME_HEAD <= self.bytes.len());
            let from = if let Some(from) = from {
                from
            } else {
                input.read(ofs, LEN_WINDOW, &mut self.bytes)?;
                self.ofs = ofs;
                0
            };
            if let Some((at, _)) = find_head(&self.bytes, from, Some(tag)) {
                return Ok(Some(self.ofs + at as u64));
            }
            if self.bytes.len() < LEN_WINDOW {
                return Ok(None);
            }
            // A head may begin in this window and end in the next.
            ofs = self.ofs + (LEN_WINDOW - LEN_FRAME_HEAD + 1) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{self, FrameKind};

    #[test]
    fn finds_every_head_across_windows() {
        let mut frame = Vec::new();
        frame::write(7, FrameKind::RECORD, &[], &mut frame);
        for place in (LEN_WINDOW - 40..LEN_WINDOW + 5).chain([0, 5, 2 * LEN_WINDOW + 3]) {
            let mut bytes = vec![0x8D; place];
            bytes.extend_from_slice(&frame);
            bytes.resize(3 * LEN_WINDOW, 0);
            let input = Counted::new(Box::new(bytes));
            let mut search = Search::default();
            assert_eq!(search.next(&input, 7, 0).expect("in memory"), Some(place as u64));
            assert_eq!(search.next(&input, 7, place as u64).expect("in memory"), Some(place as u64));
            assert_eq!(search.next(&input, 7, place as u64 + 1).expect("in memory"), None);
            assert_eq!(Search::default().next(&input, 8, 0).expect("in memory"), None);
        }
    }
}
