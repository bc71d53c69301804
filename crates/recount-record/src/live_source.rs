//! Sources that can be recorded.

use recount_model::{Event, Facts, NameTable, ProcessNote, Timestamp};

/// A source of live samples.
pub trait LiveSource {
    /// Facts about the machine: `formats/rcap.md#facts`.
    fn facts(&mut self) -> Facts;

    /// Names and help texts of everything in the samples, by language (`009` is English).
    fn texts(&mut self) -> Vec<(String, NameTable)>;

    /// The form of its samples.
    fn form(&self) -> SampleForm {
        SampleForm::Block
    }

    /// Takes a sample, which is then in [`LiveSource::sample`]. `None` if the source has ended, as a replay
    /// does.
    fn take(&mut self) -> Result<Option<Taken>, TakeError>;

    /// Gives the last sample back, because nobody got its values: a replay takes it again. For other sources there is always a
    /// newer one.
    fn put_back(&mut self) {}

    /// The bytes of the last sample.
    fn sample(&self) -> &[u8];

    /// Samples that are known already: all that a replay has left. They show objects that appear later.
    fn coming(&self) -> Vec<&[u8]> {
        Vec::new()
    }

    /// Whether failed samples after the first good one are no reason to give up: a remote machine may answer again.
    fn keeps_trying(&self) -> bool {
        false
    }

    /// Whether names or help texts have changed since the last call, because the last sample was taken over a new connection.
    /// Samples before need the old ones, so a new log begins.
    fn take_renamed(&mut self) -> bool {
        false
    }

    /// If the last sample was taken over a new connection because the previous one was lost: the time without a
    /// connection, in 100 ns, and the peer.
    fn take_reconnected(&mut self) -> Option<(i64, String)> {
        None
    }

    /// Messages received since the last call that the last sample or later ones need, in order. Every log
    /// begins with those that are in force.
    fn messages(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// What became known of processes with the last sample: who they are, and how they ended. `all`: descriptions of all that it has,
    /// since a new log begins with it.
    fn processes(&mut self, _all: bool) -> Vec<ProcessNote> {
        Vec::new()
    }

    /// What happened since the last call besides, such as losses that the source itself reports.
    fn take_events(&mut self) -> Vec<Event> {
        Vec::new()
    }
}

/// The form of a source's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SampleForm {
    /// `PERF_DATA_BLOCK`s.
    Block,
    /// MS-PCQ messages: answers of `PerflibV2QueryCounterData` (`formats/ms-pcq.md#messages`).
    Message,
}

/// A taken sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// When, UTC: the block's `PerfTime100nSec`.
    pub time: Timestamp,
    /// How many readings failed (a process that this user may not inspect, a file that is gone). Their values
    /// are left out.
    pub num_unreadable: u64,
    /// The first failed reading as a message: what, and why.
    pub first_unreadable: Option<String>,
}

/// Why no sample could be taken. Except after the end, the next may succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TakeError {
    /// A file that the whole sample needs can't be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// A system interface failed.
    #[error("{function}: {what}")]
    System {
        /// The function that was called.
        function: &'static str,
        /// Its answer, and what to do about it.
        what: String,
    },
    /// The source has no more samples, as a replay after its last one.
    #[error("there are no more samples")]
    Ended,
    /// The values could not be encoded.
    #[error(transparent)]
    Block(#[from] recount_bytes::FormatError),
}
