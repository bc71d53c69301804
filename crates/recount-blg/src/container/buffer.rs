//! The buffers of the file (formats/blg.md#buffers).

use std::ops::Range;

use recount_model::{Content, FindingKind, Health, Place};

use crate::le::u32_at;
use crate::structure::buffer::BufferHeader;
use crate::structure::trace_header::SystemEventHeader;

/// Buffer sizes are multiples of this.
const SECTOR: usize = 512;
const MIN_BUFFER: usize = 1024;

/// How much of a mapped file is walked before its pages are released.
const LEN_RELEASE: usize = 64 << 20;

/// A buffer: its header and the position of its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Where it starts in the file.
    pub ofs: usize,
    /// Its header.
    pub header: BufferHeader,
    /// End of its events in the file: bounded by the header, the buffer and the file.
    pub ofs_events_end: usize,
}

impl Buffer {
    /// First byte after the header.
    pub fn ofs_events(&self) -> usize {
        self.ofs + BufferHeader::LEN
    }
}

/// The size of the file's buffers: stated by the first buffer's header and by the logfile header in it. If
/// they disagree, the one that leads to a second buffer of the same size is used.
pub(crate) fn len_buffer(file: &[u8]) -> Option<usize> {
    len_buffer_by(|ofs| u32_at(file, ofs))
}

/// The same, of a file that may not be in memory.
pub(crate) fn len_buffer_in(content: &dyn Content) -> Option<usize> {
    len_buffer_by(|ofs| u32_at(&content.part(ofs..ofs + 4), 0))
}

fn len_buffer_by(word: impl Fn(usize) -> Option<u32>) -> Option<usize> {
    let stated = [0, BufferHeader::LEN + SystemEventHeader::LEN]
        .map(|ofs| word(ofs).map(|len| len as usize).filter(|&len| is_sane(len)));
    match stated {
        [Some(one), Some(other)] if one != other => {
            let confirmed = |len: &usize| word(*len).is_some_and(|second| second as usize == *len);
            [one, other].into_iter().find(confirmed)
        }
        [one, other] => one.or(other),
    }
}

fn is_sane(len: usize) -> bool {
    len >= MIN_BUFFER && len.is_multiple_of(SECTOR)
}

/// The buffers of the file, in file order. Invalid headers are reported and skipped.
///
/// Pages of a mapped file are released after the walk has passed them, because it is loaded in pieces of
/// buffer size, however little of them is read.
pub struct Buffers<'a> {
    content: &'a dyn Content,
    len_buffer: usize,
    ofs: usize,
    ofs_released: usize,
    /// The findings so far; the caller may take them.
    pub health: Health,
}

impl<'a> Buffers<'a> {
    /// The buffers of a file, with this size.
    pub fn new(content: &'a dyn Content, len_buffer: usize) -> Buffers<'a> {
        Buffers { content, len_buffer, ofs: 0, ofs_released: 0, health: Health::default() }
    }
}

impl Iterator for Buffers<'_> {
    type Item = Buffer;

    fn next(&mut self) -> Option<Buffer> {
        let len = self.content.len();
        while self.ofs < len {
            if self.ofs >= self.ofs_released + LEN_RELEASE {
                self.content.release(self.ofs_released..self.ofs);
                self.ofs_released = self.ofs;
            }
            let (ofs, end) = (self.ofs, (self.ofs + self.len_buffer).min(len));
            self.ofs += self.len_buffer;
            let found = buffer_of(&self.content.part(ofs..end.min(ofs + BufferHeader::LEN)), ofs, end);
            // Missing events are more informative and are reported with the buffer.
            let lacks_events = found.is_some_and(|buffer| ofs + buffer.header.len_used as usize > end);
            if end - ofs < self.len_buffer && !lacks_events {
                let what = format!("the file ends {} bytes into a buffer of {}", end - ofs, self.len_buffer);
                self.health.note(FindingKind::Truncated, Place::structure("buffer", ofs as u64), what);
            }
            match found {
                Some(buffer) => {
                    check(&buffer, self.len_buffer, end, &mut self.health);
                    return Some(buffer);
                }
                None => self.skip(ofs..end),
            }
        }
        None
    }
}

impl Buffers<'_> {
    fn skip(&mut self, range: Range<usize>) {
        let place = Place::structure("buffer", range.start as u64);
        let bytes = self.content.part(range);
        if bytes.iter().all(|&byte| byte == 0) {
            // A log that wasn't closed: this is the rest of the preallocated file.
            let what = format!("{} bytes of zeros: preallocated, never written", bytes.len());
            self.health.note(FindingKind::Odd, place, what);
        } else {
            let what = "no buffer header: bytes skipped to the next buffer";
            self.health.note(FindingKind::Damaged, place, what);
        }
    }
}

/// The buffer at `ofs`, which ends at `end` at the latest; `None` if there is no header or it is all zeros.
pub(crate) fn buffer(file: &[u8], ofs: usize, end: usize) -> Option<Buffer> {
    buffer_of(file.get(ofs..end.min(ofs + BufferHeader::LEN))?, ofs, end)
}

/// The same, by the first bytes at `ofs`.
fn buffer_of(bytes: &[u8], ofs: usize, end: usize) -> Option<Buffer> {
    let (_, header) = BufferHeader::parse(bytes).ok().filter(|_| bytes.iter().any(|&byte| byte != 0))?;
    let len_used = header.len_used as usize;
    let used = if len_used >= BufferHeader::LEN { len_used } else { end - ofs };
    Some(Buffer { ofs, header, ofs_events_end: (ofs + used).min(end) })
}

fn check(buffer: &Buffer, len_buffer: usize, end: usize, health: &mut Health) {
    let at = |field, ofs: usize| Place::field("buffer", buffer.ofs as u64, field, (buffer.ofs + ofs) as u64);
    let header = &buffer.header;
    if header.len as usize != len_buffer {
        let what = format!("{} where every buffer of the file has {len_buffer} bytes", header.len);
        health.note(FindingKind::Damaged, at("BufferSize", 0), what);
    }
    let used = header.len_used as usize;
    if !(BufferHeader::LEN..=len_buffer).contains(&used) {
        let what = format!("{used} bytes used of {len_buffer}: reading events as far as they go");
        health.note(FindingKind::Damaged, at("FilledBytes", 48), what);
    } else if buffer.ofs + used > end {
        let what = format!("{} bytes of events are missing at the end of the file", buffer.ofs + used - end);
        health.note(FindingKind::Truncated, at("FilledBytes", 48), what);
    }
    if header.is_compressed() {
        let what = "compressed buffer: not known in performance logs, skipped; convert it on Windows with tracerpt or relog";
        health.note(FindingKind::Dropped, at("Flags", 52), what);
    }
}
