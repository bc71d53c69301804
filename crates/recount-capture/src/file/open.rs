//! Opening a log that may be in the middle of being written.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use super::inbox::Inbox;
use crate::frame::MAGIC;
use crate::{CaptureError, Log};

/// How often opening is retried if the writer changes the log in the meantime.
const MAX_ATTEMPTS: u32 = 8;
/// How long sealing takes, about.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(10);

/// Whether a file begins as a log does.
pub fn is_log(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok()) && magic == MAGIC
}

/// The file, if it is an ordinary one and a log by its first bytes.
pub fn open_log_file(path: &Path) -> io::Result<Option<File>> {
    if !path.metadata()?.is_file() {
        return Ok(None);
    }
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    (&file).take(Log::LEN_SEARCHED as u64).read_to_end(&mut bytes)?;
    Ok(Log::recognise(&bytes).then_some(file))
}

/// Opens a log, with the marks that wait next to it.
pub fn open_with_marks(path: &Path, file: &File) -> Result<Log, CaptureError> {
    // Marks first: those that the recorder adds in the meantime are in the log by the time it is read.
    let waiting = Inbox::of(path).look(&HashSet::new());
    let mut log = open_log(file)?;
    let marks = waiting.for_log(log.tag()).into_iter().map(|request| request.mark);
    log.add_marks(marks.collect());
    Ok(log)
}

/// Opens a log. Retries if there are faults that may be the writer's work in progress.
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
