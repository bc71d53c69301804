//! Parts of other bytes.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use recount_capture::ReadAt;
use recount_model::Content;

use crate::files::content::Pieces;
use crate::files::unread::content_of;

/// A stretch of a content, as far as it reaches: a part of its bytes, or if they aren't in memory, what is read of it when it is
/// needed.
pub(crate) fn slice_of(whole: &Arc<dyn Content>, range: Range<u64>) -> io::Result<Arc<dyn Content>> {
    let len = whole.len();
    let within = |at: u64| usize::try_from(at).map_or(len, |at| at.min(len));
    let (start, end) = (within(range.start), within(range.end));
    let slice = Slice { whole: Arc::clone(whole), range: start..end.max(start) };
    if whole.head().len() < len { content_of(Arc::new(Pieces(Arc::new(slice)))) } else { Ok(Arc::new(slice)) }
}

/// The stretch of a content.
struct Slice {
    whole: Arc<dyn Content>,
    range: Range<usize>,
}

/// A content as a file that is read from start to end, and in which others are found.
pub(super) struct Walk {
    pieces: Pieces,
    at: u64,
}

impl Walk {
    pub(super) fn of(content: &Arc<dyn Content>) -> Walk {
        Walk { pieces: Pieces(Arc::clone(content)), at: 0 }
    }
}

impl Read for Walk {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let num = self.pieces.read_at(self.at, out)?;
        self.at += num as u64;
        Ok(num)
    }
}

impl Seek for Walk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.pieces.len()?.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at =
            at.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a place before the start"))?;
        Ok(self.at)
    }
}

impl Content for Slice {
    fn bytes(&self) -> &[u8] {
        &self.whole.bytes()[self.range.clone()]
    }

    fn len(&self) -> usize {
        self.range.len()
    }

    fn part(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let within = |at: usize| self.range.start.saturating_add(at).min(self.range.end);
        self.whole.part(within(range.start)..within(range.end))
    }

    fn is_lost(&self) -> bool {
        self.whole.is_lost()
    }

    fn may_be_lost(&self) -> bool {
        self.whole.may_be_lost()
    }

    fn release(&self, range: Range<usize>) {
        let end = (self.range.start + range.end).min(self.range.end);
        let start = (self.range.start + range.start).min(end);
        self.whole.release(start..end);
    }
}
