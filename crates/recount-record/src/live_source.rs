//! What can be recorded.

use recount_model::{Facts, NameTable, Timestamp};

/// A source of samples that are taken now.
pub trait LiveSource {
    /// Facts about the machine: `formats/rcap.md#facts`.
    fn facts(&mut self) -> Facts;

    /// Names and help texts of everything in the samples, by language (`009` is English).
    fn texts(&mut self) -> Vec<(String, NameTable)>;

    /// What its samples are.
    fn form(&self) -> SampleForm {
        SampleForm::Block
    }

    /// Takes a sample, which is then in [`LiveSource::sample`]. `None`: the source has ended, which one that
    /// replays does.
    fn take(&mut self) -> Result<Option<Taken>, TakeError>;

    /// The bytes of the sample that was taken last.
    fn sample(&self) -> &[u8];

    /// Messages that came since they were last asked for and that the sample taken last, or later ones, need, in their
    /// order. Every log gets those that are in force when it begins.
    fn messages(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// What the samples of a source are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleForm {
    /// `PERF_DATA_BLOCK`s.
    Block,
    /// MS-PCQ messages: answers of `PerflibV2QueryCounterData` (`formats/ms-pcq.md#messages`).
    Message,
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
    /// What was read could not be written down.
    #[error(transparent)]
    Block(#[from] recount_bytes::FormatError),
}
