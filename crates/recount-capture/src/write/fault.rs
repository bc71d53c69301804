//! Failures of the disk while a tail is sealed. They don't harm any record, but mustn't be silent: a disk that fails may
//! lose what it has.

use std::io;

use super::storage::is_full;
use super::{LogWriter, Storage};
use crate::CaptureError;

/// The first failure, and whether the caller knows about it.
#[derive(Debug)]
pub(super) struct Fault {
    error: io::Error,
    is_reported: bool,
}

impl<S: Storage> LogWriter<S> {
    /// Keeps an error of the disk for the caller. When it syncs or truncates, any error counts, also that of a full disk:
    /// what was written before may be gone.
    pub(super) fn note_fault(&mut self, error: io::Error) {
        self.fault.get_or_insert(Fault { error, is_reported: false });
    }

    /// The same for an error of writing. A full disk isn't one: nothing was lost, and there may be room later.
    pub(super) fn note_failed(&mut self, error: CaptureError) {
        if let CaptureError::Io(error) = error
            && !is_full(&error)
        {
            self.note_fault(error);
        }
    }

    /// Fails if the disk has failed since the last call.
    pub(super) fn report_fault(&mut self) -> io::Result<()> {
        self.take_fault().map_or(Ok(()), Err)
    }

    /// The error that the caller doesn't know yet.
    pub(super) fn take_fault(&mut self) -> Option<io::Error> {
        let fault = self.fault.as_mut().filter(|fault| !fault.is_reported)?;
        fault.is_reported = true;
        Some(copy_of(&fault.error))
    }
}

/// The same error again.
pub(super) fn copy_of(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}
