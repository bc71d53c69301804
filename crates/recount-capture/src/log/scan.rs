//! Finds the frames of a log in sequence, continuing after damage.
//!
//! The writer may be active at the same time. It only appends, except for sealing, which moves the records of the tail:
//! data read before and after that doesn't fit together. Such a scan finds faults, and is repeated.

use recount_model::{FindingKind, Place};

use super::Log;
use super::progress::{Gap, Scan, Visit};
use super::search::{LEN_WINDOW, find_head};
use crate::CaptureError;
use crate::bytes::Short;
use crate::frame::{self, FrameHead, FrameKind, LEN_FRAME_HEAD};
use crate::payload::Header;

/// How often a scan that finds faults is repeated, unless it finds the same twice.
const MAX_ATTEMPTS: usize = 8;

impl Log {
    /// Reads the header, and returns the offset of the next frame.
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
        // A log without a header still has its records, whose frames identify their file.
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

    /// Visits all frames from `ofs` on. Returns whether a sound index is the last of them.
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
            trace.report(&mut self.health_sealed);
        }
        self.health = self.health_sealed.clone();
        for trace in tail {
            trace.report(&mut self.health);
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
                let gap = Gap::new(ofs, &fault, FrameHead::stated_kind(&bytes), is_other, self.has_facts());
                scan.begin_gap(gap, self.entries.len());
                scan.len_broken += len_frame;
                // A sound head says where the next frame is, but the frame may be truncated, with others after it.
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

    /// Whether the header of another capture is here, because two files were concatenated. Only called where a
    /// frame is expected, so a log packed within this one isn't found.
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
            return fault("len_payload", format!("{left} of the frame's {} bytes", head.len_frame()));
        }
        Ok(*head)
    }
}
