//! The log that a repair writes.

use std::fs::File;
use std::io;

use crate::frame::{self, FrameKind};
use crate::payload::Header;
use crate::random_id::new_id;
use crate::{CaptureError, Log, ReadAt, Storage};

/// A log that grows frame by frame.
pub(super) struct Output {
    file: File,
    tag: u32,
    len_file: u64,
    frame: Vec<u8>,
}

impl Output {
    /// Begins a log with the header of another one.
    pub(super) fn new(log: &Log, file: File) -> Result<Output, CaptureError> {
        let mut out = Output { file, tag: log.tag, len_file: 0, frame: Vec::new() };
        let header = match &log.header {
            Some(header) => header.clone(),
            None => new_header(log)?,
        };
        out.write(FrameKind::HEADER, &[&header.write()])?;
        Ok(out)
    }

    /// Writes a frame, whose payload comes in parts.
    pub(super) fn write(&mut self, kind: FrameKind, payload: &[&[u8]]) -> Result<(), CaptureError> {
        self.frame.clear();
        frame::write(self.tag, kind, payload, &mut self.frame);
        self.append()
    }

    /// Takes over a frame as it is.
    pub(super) fn copy(&mut self, log: &Log, ofs: u64, len_frame: usize) -> Result<(), CaptureError> {
        log.input.read(ofs, len_frame, &mut self.frame)?;
        self.append()
    }

    fn append(&mut self) -> Result<(), CaptureError> {
        self.file.write_at(self.len_file, &self.frame)?;
        self.len_file += self.frame.len() as u64;
        Ok(())
    }

    /// A reader of what was written so far.
    pub(super) fn reader(&self) -> Result<Box<dyn ReadAt>, CaptureError> {
        Ok(Box::new(self.file.try_clone()?))
    }

    /// Bytes written so far.
    pub(super) fn len_file(&self) -> u64 {
        self.len_file
    }
}

/// A header to replace a damaged one. Its capture id begins with the tag of the frames; the rest is new.
fn new_header(log: &Log) -> io::Result<Header> {
    let mut capture_id = new_id()?;
    capture_id[..4].copy_from_slice(&log.tag.to_le_bytes());
    let created = log.record_info(0).map_or_else(super::now, |(time, _)| time);
    Ok(Header { capture_id, created, writer: format!("recount {} (repair)", env!("CARGO_PKG_VERSION")) })
}
