//! The end of a log.

use std::fs::File;
use std::io;

use recount_model::FindingKind;

use super::{LogWriter, Storage};
use crate::{CaptureError, Log};

/// A log that was closed.
#[derive(Debug)]
pub struct Closed {
    /// Its length in bytes.
    pub len: u64,
    /// The disk failed, and the caller doesn't know yet: the log is sound as it reads now, but may not stay so.
    pub fault: Option<io::Error>,
    /// What other programs, or the disk, did to what was written, if it doesn't read as it was written.
    pub damage: Option<String>,
}

impl LogWriter<File> {
    /// Like [`LogWriter::close`]; a fault of the disk is an error.
    pub fn finish(self) -> Result<u64, CaptureError> {
        let closed = self.close()?;
        closed.fault.map_or(Ok(closed.len), |fault| Err(fault.into()))
    }

    /// Seals what is left, and closes the log with an index. It is an error if a reader wouldn't find the log closed.
    pub fn close(mut self) -> Result<Closed, CaptureError> {
        self.seal_or_keep()?;
        let log = Log::open(Box::new(self.storage.try_clone()?))?;
        self.write_index(&log)?;
        drop(log);
        // Something is left after the end if a write failed and could not be undone.
        if self.room.goes_beyond(self.len_file) || self.storage.metadata()?.len() != self.len_file {
            self.cut(self.len_file)?;
        }
        let log = Log::open(Box::new(self.storage.try_clone()?))?;
        if !log.is_closed() {
            return Err(self.take_fault().unwrap_or_else(unreadable).into());
        }
        let found = log
            .health()
            .findings()
            .iter()
            .find(|finding| matches!(finding.kind, FindingKind::Damaged | FindingKind::Lost));
        Ok(Closed { len: self.len_file, fault: self.take_fault(), damage: found.map(ToString::to_string) })
    }
}

fn unreadable() -> io::Error {
    io::Error::other("the index at the end of the log doesn't read back")
}

impl<S: Storage> LogWriter<S> {
    /// Writes the index of what is in the file.
    pub(crate) fn write_index(&mut self, log: &Log) -> Result<(), CaptureError> {
        self.write_frame(crate::frame::FrameKind::INDEX, &[&crate::log::write_index(log)])?;
        self.ofs_tail = self.len_file;
        if self.clock.syncs()
            && let Err(error) = self.storage.sync()
        {
            // The index is there all the same.
            self.note_fault(error);
        }
        Ok(())
    }
}
