//! Marking a time in a capture log: for `recount mark`.

mod error;

use std::path::Path;

use recount_capture::mark_log;
use recount_model::Timestamp;

pub use error::MarkError;
pub use recount_capture::{MAX_LEN_MARK, MarkLogError, Marked};

use crate::{NameTable, TimeBound, Timeline, is_stdio, open_all};

/// Marks a time in a log: now, or at a given [`TimeBound`].
///
/// The mark is appended to a closed log immediately. Any other log may still be open in its recorder, which is its only
/// writer, so the mark is left next to it: the recorder adds it with the next sample, with the time at which it was
/// made. If the recorder was killed, [`repair`](crate::repair) adds it, or the next mark does once the log is closed.
/// Readers see the mark in the meantime.
///
/// The name of a series of logs means its newest log. If a closed log is continued by one that is being written, a mark
/// of the present goes to the latter.
pub fn mark(path: &Path, text: &str, at: Option<&TimeBound>) -> Result<Marked, MarkError> {
    if is_stdio(path) {
        return Err(MarkLogError::NotALog { name: path.display().to_string() }.into());
    }
    match at {
        Some(at) => mark_log(path, text, Some(&|path: &Path| time_in(path, at))),
        None => mark_log(path, text, None),
    }
}

/// A bound as a moment, given the existing samples and marks.
fn time_in(path: &Path, at: &TimeBound) -> Result<Timestamp, MarkError> {
    let captures = open_all(&[path.to_path_buf()], &NameTable::new())?;
    Timeline::whole(&captures)?
        .moment(at)?
        .ok_or_else(|| MarkError::NoSamples { name: path.display().to_string() })
}
