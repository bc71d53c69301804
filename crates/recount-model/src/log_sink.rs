//! A file that a recorder writes to, begins and closes.

use std::io;

use crate::Sink;

/// A sink that has a length and an end.
pub trait LogSink: Sink {
    /// Bytes written so far.
    fn len_file(&self) -> u64;

    /// How many bytes closing it adds at most.
    fn len_to_close(&self) -> u64 {
        0
    }

    /// Makes it as short as it can be while it is open.
    fn compact(&mut self) {}

    /// Whether another program has removed, emptied or cut its file, so that what was written can't be read anymore.
    fn gone(&mut self) -> Option<LostLog> {
        None
    }

    /// Closes it, so that readers needn't repair anything.
    fn finish(self: Box<Self>) -> io::Result<ClosedLog>;
}

/// A log that another program took away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostLog {
    /// What happened, with its name.
    pub what: String,
    /// Samples that can still be read in it.
    pub num_readable: u64,
}

/// A log that was closed.
#[derive(Debug)]
pub struct ClosedLog {
    /// Its length in bytes.
    pub len: u64,
    /// The disk has failed, though the log reads well now.
    pub fault: Option<io::Error>,
    /// What is damaged in it.
    pub damage: Option<String>,
}
