//! What can be recorded.

use recount_blocks::NameTable;
use recount_model::{Facts, Timestamp};

/// A source of samples that are taken now.
pub trait LiveSource {
    /// Facts about the machine: `formats/rcap.md#facts`.
    fn facts(&mut self) -> Facts;

    /// Names and help texts of everything in the samples, by language (`009` is English).
    fn texts(&mut self) -> Vec<(String, NameTable)>;

    /// Takes a sample, whose block is then in [`LiveSource::block`]. `None`: the source has ended, which one that
    /// replays does.
    fn take(&mut self) -> Result<Option<Taken>, TakeError>;

    /// The bytes of the `PERF_DATA_BLOCK` that was taken last.
    fn block(&self) -> &[u8];
}

/// A sample that was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// When, UTC: the block's `PerfTime100nSec`.
    pub time: Timestamp,
    /// How many readings failed (a process that this user may not look into, a file that is gone): their values are
    /// left out.
    pub num_unreadable: u64,
    /// The first of them, for people: what, and why.
    pub first_unreadable: Option<String>,
}

/// Why no sample could be taken. The next may succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TakeError {
    /// A file that the whole sample depends on can't be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The operating system's own interface failed.
    #[error("{function}: {what}")]
    System {
        /// The function that was called.
        function: &'static str,
        /// What it answered, and what to do about it.
        what: String,
    },
    /// The block could not be written.
    #[error(transparent)]
    Block(#[from] recount_blocks::BlockError),
}
