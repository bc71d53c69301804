//! Adding the marks that wait next to a closed log.

use std::fs::File;
use std::path::Path;

use recount_model::Mark;

use super::inbox::Inbox;
use super::lock::{LogLock, SOON};
use crate::{CaptureError, Log, append_marks};

/// Adds the marks that wait next to a log, if it is closed. Returns whether it is.
pub fn take_in(path: &Path) -> Result<bool, CaptureError> {
    if !Log::open(Box::new(File::open(path)?))?.is_closed() {
        return Ok(false);
    }
    take_in_locked(path, &LogLock::acquire(path, SOON)?).map(|taken| taken.is_some())
}

/// Adds the marks that were left next to a log while its recorder closed it.
///
/// Doesn't wait for the lock: its holder has found the log closed and adds the marks left before, and a mark left from
/// now on finds the log closed as well.
pub fn take_in_last(path: &Path) -> Result<(), CaptureError> {
    match LogLock::try_acquire(path)? {
        Some(lock) => take_in_locked(path, &lock).map(|_| ()),
        None => Ok(()),
    }
}

/// Adds marks, for the holder of the lock. Returns how many there were, `None` if the log isn't closed.
pub(super) fn take_in_locked(path: &Path, _lock: &LogLock) -> Result<Option<usize>, CaptureError> {
    let log = Log::open(Box::new(File::open(path)?))?;
    if !log.is_closed() {
        return Ok(None);
    }
    let inbox = Inbox::of(path);
    let requests = inbox.requests(log.tag());
    drop(log);
    if requests.is_empty() {
        return Ok(Some(0));
    }
    let mut file = File::options().read(true).write(true).open(path)?;
    let marks: Vec<Mark> = requests.iter().map(|request| request.mark.clone()).collect();
    append_marks(Box::new(file.try_clone()?), &mut file, &marks)?;
    inbox.remove(&requests);
    Ok(Some(requests.len()))
}
