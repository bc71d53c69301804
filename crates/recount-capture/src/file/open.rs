//! Opening a log that may be in the middle of being written.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use super::inbox::Inbox;
use crate::{CaptureError, Log};

/// How often a log is opened anew that its writer changed meanwhile.
const MAX_ATTEMPTS: u32 = 8;
/// How long sealing takes, about.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(10);

/// Opens a log, with the marks that wait beside it.
pub fn open_with_marks(path: &Path, file: &File) -> Result<Log, CaptureError> {
    // These first: what its recorder takes in meanwhile is in the log by the time that this is read.
    let waiting = Inbox::of(path).look(&HashSet::new());
    let mut log = open_log(file)?;
    let marks = waiting.for_log(log.tag()).into_iter().map(|request| request.mark);
    log.add_marks(marks.collect());
    Ok(log)
}

/// Opens a log. What is amiss because its writer was at it just then is not amiss for long.
pub fn open_log(file: &File) -> Result<Log, CaptureError> {
    let mut attempt = 1;
    loop {
        let log = Log::open(Box::new(file.try_clone()?))?;
        if log.is_closed() || log.health().is_sound() || attempt == MAX_ATTEMPTS {
            return Ok(log);
        }
        attempt += 1;
        std::thread::sleep(BETWEEN_ATTEMPTS);
    }
}
