//! A log as text: every frame with every field, and its offset in the file.
//!
//! One line per field: offset, indentation by structure, documented name, value. Lines that begin with `!` report
//! faults where a reader finds them; the dump continues where a reader does. Lines about compressed data have the
//! offset of the compressed bytes. The only records shown are events; the crates of the other formats know how to
//! show the rest.

mod chunk;
mod cursor;
mod index;
mod payloads;
mod processes;
mod samples;
mod section;

use std::fmt;
use std::iter::Peekable;
use std::vec::IntoIter;

use recount_bytes::fields::{Fields, Lines};
use recount_model::Finding;

use crate::frame::{self, FrameKind};
use crate::log::{Frame, frames};
use crate::{CaptureError, Log, ReadAt};
use samples::Samples;

/// Writes the dump of a log. Samples after the first `max_samples` are counted, not shown. One frame is in memory at a time.
pub fn dump(
    input: Box<dyn ReadAt>,
    max_samples: usize,
    out: &mut dyn fmt::Write,
) -> Result<(), CaptureError> {
    let log = Log::open_by_frames(input)?;
    let mut findings = log.health().findings().to_vec();
    findings.sort_by_key(|finding| finding.place.as_ref().map_or(u64::MAX, |place| place.ofs));
    let findings = findings.into_iter().peekable();
    let samples = Samples { max: max_samples, num: 0 };
    let mut dump = Dump { log: &log, lines: Lines::new(out), findings, samples };
    let is_listed = |ofs| log.entries.binary_search_by_key(&ofs, |entry| entry.ofs).is_ok();
    frames(&log, &is_listed, |frame, bytes| dump.frame(&frame, bytes))?;
    dump.finish()
}

struct Dump<'a, 'w> {
    log: &'a Log,
    lines: Lines<'w>,
    /// A reader's findings, by place.
    findings: Peekable<IntoIter<Finding>>,
    samples: Samples,
}

impl Dump<'_, '_> {
    fn frame(&mut self, frame: &Frame, bytes: &[u8]) -> Result<(), CaptureError> {
        let Frame { ofs, mut head, ref fault } = *frame;
        let is_reported = self.findings_up_to(ofs)?;
        let payload = frame::payload(bytes);
        // Of damaged frames only chunks are read, since their parts have their own checksums.
        let is_known = head.kind.version().is_none_or(|known| (1..=known).contains(&head.version));
        let is_read = is_known && (fault.is_none() || head.kind == FrameKind::CHUNK);
        let is_record = is_read && head.kind == FrameKind::RECORD;
        if is_record && !self.samples.shows(payloads::record_kind(payload)) {
            return Ok(());
        }
        let (log, lines, samples) = (self.log, &mut self.lines, &mut self.samples);
        lines.at(ofs).structure(format_args!("frame, {}", head.kind))?;
        let crc = |crc| format!("{crc:#010x}");
        cursor::read("frame", bytes, lines, |fields| {
            head.fields(fields)?;
            fields.shown("crc_head", &mut 0_u32, crc)?;
            fields.bytes.take("payload", payload.len())?;
            let ofs_tail = fields.lines.ofs() + payload.len() as u64;
            fields.lines.nested(|lines| match head.kind {
                _ if !is_read => lines.bytes("payload", payload),
                FrameKind::HEADER => payloads::header(payload, lines),
                FrameKind::FACTS => payloads::facts(payload, lines),
                FrameKind::TEXTS => payloads::texts(payload, lines),
                FrameKind::RECORD => payloads::record(payload, lines),
                FrameKind::CHUNK => chunk::chunk(log, ofs, payload, samples, lines),
                FrameKind::INDEX => index::index(log, ofs, payload, samples.max, lines),
                _ => lines.bytes("payload", payload),
            })?;
            fields.lines.at(ofs_tail);
            fields.shown("crc_payload", &mut 0_u32, crc)?;
            fields.field("len_frame", &mut 0_u32)
        })?;
        match fault {
            Some(fault) if !is_reported => lines.fault(CaptureError::at("frame", ofs, fault.clone()))?,
            _ => {}
        }
        Ok(())
    }

    /// Reports a reader's findings up to a frame. Returns whether the last one is about this frame.
    fn findings_up_to(&mut self, ofs: u64) -> Result<bool, fmt::Error> {
        let ofs_of = |finding: &Finding| finding.place.as_ref().map(|place| place.ofs);
        let mut is_of_frame = false;
        while let Some(finding) = self.findings.next_if(|next| ofs_of(next).is_some_and(|at| at <= ofs)) {
            is_of_frame = ofs_of(&finding) == Some(ofs);
            self.lines.fault(finding)?;
        }
        Ok(is_of_frame)
    }

    fn finish(mut self) -> Result<(), CaptureError> {
        for finding in self.findings {
            self.lines.fault(finding)?;
        }
        let health = self.log.health();
        let num_more = health.total() - health.findings().len() as u64;
        if num_more > 0 {
            self.lines.fault(format_args!("{num_more} more findings"))?;
        }
        let Samples { max, num } = self.samples;
        if num > max {
            self.lines.note(format_args!("{} of {num} samples not shown", num - max))?;
        }
        Ok(())
    }
}
