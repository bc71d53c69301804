//! Finding the frames of a log one after the other, over damage.
//!
//! The writer may be at work meanwhile. It only ever appends, but for sealing, which moves the records of the tail: what
//! was read before and what is read after that don't fit together. Such a scan finds something amiss, and is repeated.

use std::ops::Range;

use recount_model::{Finding, FindingKind, Health, Place};

use super::search::{LEN_WINDOW, Search, find_head};
use super::visit::Visit;
use super::{Entry, Log};
use crate::CaptureError;
use crate::bytes::Short;
use crate::frame::{self, FrameHead, FrameKind, LEN_FRAME_HEAD};
use crate::payload::Header;

/// How often a scan that finds something amiss is repeated, unless it finds the same twice.
const MAX_ATTEMPTS: usize = 8;
/// How many traces are kept: those that may yet turn out to be nothing.
const MAX_NUM_TRACES: usize = 1_000;

/// What one scan met. Traces of an interrupted sealing are taken back once the sealed chunk is found.
#[derive(Default)]
pub(super) struct Scan {
    traces: Vec<Trace>,
    /// More than are kept as such.
    more: Health,
    settled: Settled,
    gap: Option<Gap>,
    /// End of the frame visited last, and whether that was a chunk.
    end: u64,
    is_behind_chunk: bool,
    /// Among records that are had already.
    is_in_leftover: bool,
    /// Bytes read of frames that turned out to be broken.
    len_broken: u64,
    search: Search,
    /// Whether a sound index is the last thing in the file.
    pub(super) ends_with_index: bool,
    /// Where records begin that are more than the file may have.
    ofs_beyond: Option<u64>,
    /// Where another capture begins.
    ofs_other: Option<u64>,
}

/// Something amiss.
#[derive(Clone, PartialEq)]
struct Trace {
    finding: Finding,
    /// Entries found before it.
    num_entries: usize,
    /// Whether sealing may have left it.
    may_be_sealing: bool,
}

impl Trace {
    fn tell(&self, health: &mut Health) {
        let Finding { kind, place, what } = self.finding.clone();
        health.note(kind, place, what);
    }
}

/// Up to where all frames stay where they are: behind that is the tail.
#[derive(Clone, Copy, Default, PartialEq)]
struct Settled {
    ofs: u64,
    num_entries: usize,
    num_traces: usize,
}

/// Bytes that belong to no sound frame.
struct Gap {
    ofs: u64,
    what: String,
    /// Entries found before it.
    num_entries: usize,
    /// Whether it starts where a chunk ends.
    is_behind_chunk: bool,
    /// What the head at its start is of, if that is sound.
    kind: Option<FrameKind>,
    /// Whether another capture begins here.
    is_other: bool,
}

impl Gap {
    /// Whether sealing may have left it.
    fn may_be_sealing(&self) -> bool {
        !self.is_other && !matches!(self.kind, Some(FrameKind::FACTS | FrameKind::TEXTS))
    }
}

impl Log {
    /// Reads the header, and gives the place of the next frame.
    pub(super) fn read_header(&mut self) -> Result<u64, CaptureError> {
        let mut bytes = Vec::new();
        self.input.read(0, LEN_WINDOW, &mut bytes)?;
        let first = FrameHead::read(&bytes).ok().filter(|head| head.kind == FrameKind::HEADER);
        if let Some(head) = first {
            let known = FrameKind::HEADER.version().unwrap_or(0);
            if head.version > known {
                return Err(CaptureError::Version { found: head.version, known });
            }
            let frame = bytes.get(..head.len_frame()).unwrap_or_default();
            let header = frame::check_tail(frame).and_then(|()| Header::read(frame::payload(frame)));
            self.tag = head.tag;
            if let Ok(header) = header {
                self.header = Some(header);
                return Ok(head.len_frame() as u64);
            }
        }
        // Without its header a log still has its records, whose frames know which file they are of.
        let mut ofs = 0;
        loop {
            if let Some((at, head)) = find_head(&bytes, usize::from(ofs == 0 && first.is_some()), None) {
                self.tag = head.tag;
                let what = "no sound header frame at the start of the file";
                self.health.note(FindingKind::Damaged, Place::structure("header", 0), what);
                return Ok(ofs + at as u64);
            }
            if bytes.len() < LEN_WINDOW {
                return Err(CaptureError::NotACapture);
            }
            ofs += (LEN_WINDOW - LEN_FRAME_HEAD) as u64;
            self.input.read(ofs, LEN_WINDOW, &mut bytes)?;
        }
    }

    /// Visits all frames from `ofs` on. Gives whether a sound index is the last of them.
    pub(super) fn scan(&mut self, ofs: u64) -> Result<bool, CaptureError> {
        self.ofs_sealed = self.ofs_sealed.max(ofs);
        self.health_sealed = self.health.clone();
        let mut before = None;
        for _ in 0..MAX_ATTEMPTS {
            self.forget_tail();
            let scan = self.scan_once()?;
            let same = before.as_ref().is_some_and(|before: &Scan| {
                (before.settled, &before.traces, &before.more) == (scan.settled, &scan.traces, &scan.more)
            });
            let is_sound = scan.traces.is_empty();
            before = Some(scan);
            if is_sound || same {
                break;
            }
        }
        let scan = before.unwrap_or_default();
        let (settled, tail) = scan.traces.split_at(scan.settled.num_traces.min(scan.traces.len()));
        for trace in settled {
            trace.tell(&mut self.health_sealed);
        }
        self.health = self.health_sealed.clone();
        for trace in tail {
            trace.tell(&mut self.health);
        }
        self.health.absorb(scan.more);
        self.ofs_sealed = scan.settled.ofs;
        self.ofs_other = scan.ofs_other;
        Ok(scan.ends_with_index)
    }

    fn scan_once(&mut self) -> Result<Scan, CaptureError> {
        let len_file = self.input.len()?;
        let mut scan = Scan::new(self.ofs_sealed, &self.entries);
        let mut ofs = scan.end;
        let mut bytes = Vec::new();
        while ofs < len_file {
            self.input.read(ofs, LEN_FRAME_HEAD, &mut bytes)?;
            let head = FrameHead::read(&bytes).and_then(|head| self.check_head(&head, ofs, len_file));
            let (visit, len_frame) = match &head {
                Ok(head) => (self.visit(ofs, head, len_file, &mut scan)?, head.len_frame() as u64),
                Err(fault) => (Visit::Broken(fault.clone()), 0),
            };
            let kind = head.ok().map(|head| head.kind);
            if let Visit::Broken(fault) = visit {
                let is_other = scan.gap.is_none() && self.begins_other(ofs)?;
                scan.begin_gap(ofs, &fault, kind, self.entries.len(), is_other);
                scan.len_broken += len_frame;
                // A sound head tells where the next frame is, but maybe the frame was cut and others follow.
                let next = if scan.is_worth_it(len_file) {
                    scan.search.next(&self.input, self.tag, ofs + 1)?
                } else {
                    None
                };
                ofs = next.unwrap_or(len_file);
                continue;
            }
            match visit {
                Visit::Superseded => scan.leftover(ofs, self.entries.len()),
                _ => scan.end_gap(ofs, false),
            }
            scan.visited(&visit, kind, ofs..ofs + len_frame, self.entries.len());
            ofs += len_frame;
        }
        scan.end_gap(len_file, true);
        Ok(scan)
    }

    /// Whether the header of another capture stands here: somebody has put two files together. Only asked where a frame is
    /// expected, so a log that is packed in this one isn't met.
    fn begins_other(&self, ofs: u64) -> Result<bool, CaptureError> {
        let mut frame = Vec::new();
        self.input.read(ofs, LEN_FRAME_HEAD, &mut frame)?;
        let is_header = |head: &FrameHead| head.kind == FrameKind::HEADER && head.tag != self.tag;
        let Some(head) = FrameHead::read(&frame).ok().filter(is_header) else { return Ok(false) };
        self.input.read(ofs, head.len_frame(), &mut frame)?;
        let is_whole = frame.len() == head.len_frame() && frame::check_tail(&frame).is_ok();
        Ok(is_whole && Header::read(frame::payload(&frame)).is_ok_and(|header| header.tag() == head.tag))
    }

    fn check_head(&self, head: &FrameHead, ofs: u64, len_file: u64) -> Result<FrameHead, Short> {
        let fault = |field, what| Err(Short { field, ofs: 0, what });
        if head.tag != self.tag {
            return fault("tag", format!("expected {:#010x}, found {:#010x}", self.tag, head.tag));
        }
        let left = len_file - ofs;
        if head.len_frame() as u64 > left {
            return fault(
                "len_payload",
                format!("a frame of {} bytes, of which {left} are there", head.len_frame()),
            );
        }
        Ok(*head)
    }
}

impl Scan {
    fn new(ofs: u64, entries: &[Entry]) -> Scan {
        let settled = Settled { ofs, num_entries: entries.len(), num_traces: 0 };
        let ends_at = |entry: &Entry| entry.ofs + entry.len_frame as u64 == ofs;
        let is_behind_chunk = entries.last().is_some_and(|last| last.is_chunk && ends_at(last));
        Scan { settled, end: ofs, is_behind_chunk, ..Scan::default() }
    }

    /// Notes something amiss before the entry that comes next.
    pub(super) fn note(&mut self, kind: FindingKind, ofs: u64, what: String, num_entries: usize) {
        self.trace(kind, ofs, what, num_entries, true);
    }

    fn trace(&mut self, kind: FindingKind, ofs: u64, what: String, num_entries: usize, may_be_sealing: bool) {
        let place = Some(Place::structure("frame", ofs));
        if self.traces.len() == MAX_NUM_TRACES {
            self.more.note(kind, place, what);
            return;
        }
        let finding = Finding { kind, place, what };
        self.traces.push(Trace { finding, num_entries, may_be_sealing });
    }

    /// Notes records that are left out because the file is too short for so many, once.
    pub(super) fn note_beyond(&mut self, ofs: u64, max_num_records: u64, num_entries: usize) {
        if self.ofs_beyond.replace(ofs).is_none() {
            let what =
                format!("more records than the file's length allows, {max_num_records}: these are left out");
            self.trace(FindingKind::Damaged, ofs, what, num_entries, false);
        }
    }

    /// Up to where everything stays where it is.
    pub(super) fn ofs_settled(&self) -> u64 {
        self.settled.ofs
    }

    /// Broken frames are read and then searched for others, so what claims to be large again and again could cost hours.
    fn is_worth_it(&self, len_file: u64) -> bool {
        /// As much as is read in a moment.
        const LEN_FREE: u64 = 1 << 30;
        self.len_broken / 16 <= len_file + LEN_FREE / 16
    }

    fn begin_gap(
        &mut self,
        ofs: u64,
        fault: &Short,
        kind: Option<FrameKind>,
        num_entries: usize,
        is_other: bool,
    ) {
        if self.gap.is_none() {
            let what = format!("{}: {}", fault.field, fault.what);
            let is_behind_chunk = self.is_behind_chunk && ofs == self.end;
            self.gap = Some(Gap { ofs, what, num_entries, is_behind_chunk, kind, is_other });
        }
    }

    /// Tells of bytes that belong to no frame, or to a broken one.
    fn end_gap(&mut self, end: u64, is_last: bool) {
        let Some(gap) = self.gap.take() else { return };
        let len = end - gap.ofs;
        let (kind, what) = if gap.is_other {
            self.ofs_other.get_or_insert(gap.ofs);
            let what = format!("another capture begins at byte {:#x}; split the file there", gap.ofs);
            (FindingKind::Damaged, format!("{what} ({len} bytes are not read)"))
        } else if is_last {
            let what = "what was being written when the recording was cut off";
            (
                FindingKind::Truncated,
                format!("the last {len} bytes are no whole frame ({}): {what}", gap.what),
            )
        } else {
            (FindingKind::Damaged, format!("{len} bytes skipped to the next frame ({})", gap.what))
        };
        self.trace(kind, gap.ofs, what, gap.num_entries, gap.may_be_sealing());
    }

    /// Records that are had already: what an interrupted sealing leaves behind.
    fn leftover(&mut self, ofs: u64, num_entries: usize) {
        // Between these and the chunk, and between each other, stand parts of what the chunk was written over.
        let is_left = |gap: &Gap| !gap.is_other && (gap.is_behind_chunk || self.is_in_leftover);
        if self.gap.as_ref().is_some_and(is_left) {
            self.gap = None;
        }
        self.end_gap(ofs, false);
        if !std::mem::replace(&mut self.is_in_leftover, true) {
            self.note_interrupted(ofs, num_entries);
        }
    }

    /// A chunk takes the place of all entries from `num_entries` on, and explains what is amiss there.
    pub(super) fn replaced(&mut self, ofs: u64, num_entries: usize) {
        let num_before = self.traces.len();
        let (mut at, num_settled) = (0, self.settled.num_traces);
        self.traces.retain(|trace| {
            let is_kept = trace.num_entries < num_entries || !trace.may_be_sealing;
            self.settled.num_traces -= usize::from(!is_kept && at < num_settled);
            at += 1;
            is_kept
        });
        let gap = self.gap.take_if(|gap| gap.may_be_sealing());
        if self.traces.len() < num_before || gap.is_some() {
            self.note_interrupted(ofs, num_entries);
        }
    }

    fn note_interrupted(&mut self, ofs: u64, num_entries: usize) {
        let what = "records that were sealed already: a sealing was interrupted here; nothing is lost";
        self.trace(FindingKind::Odd, ofs, what.to_owned(), num_entries, false);
    }

    /// Notes how far everything stays where it is, once a frame was visited.
    fn visited(&mut self, visit: &Visit, kind: Option<FrameKind>, place: Range<u64>, num_entries: usize) {
        let goes_on = matches!(visit, Visit::Sound { is_next: true, .. });
        if goes_on && self.is_behind_chunk && self.end == place.start && self.settled.ofs < self.end {
            // The writer has gone on behind the chunk, so that stays.
            self.settle(self.end, num_entries - 1);
        }
        self.end = place.end;
        self.is_behind_chunk = kind == Some(FrameKind::CHUNK) && !matches!(visit, Visit::Superseded);
        self.is_in_leftover = matches!(visit, Visit::Superseded);
        let Visit::Sound { is_records, .. } = visit else { return };
        // Sealed in its place: neither unsealed records nor damage are before it.
        let is_in_place = self.is_behind_chunk
            && num_entries == self.settled.num_entries + 1
            && self.traces.len() == self.settled.num_traces;
        if !is_records || is_in_place {
            self.settle(place.end, num_entries);
        }
    }

    fn settle(&mut self, ofs: u64, num_entries: usize) {
        self.settled = Settled { ofs, num_entries, num_traces: self.traces.len() };
    }
}
