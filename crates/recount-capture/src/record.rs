//! Records, of which a log consists.

use std::fmt;

/// The kind of a record's bytes (`formats/rcap.md#record-kinds`). It is a number, so that records of later versions'
/// kinds are preserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordKind(pub u16);

impl RecordKind {
    /// A `PERF_DATA_BLOCK`: a sample.
    pub const BLOCK: RecordKind = RecordKind(1);
    /// Something that happened while recording.
    pub const EVENT: RecordKind = RecordKind(2);
    /// A stretch of a packed file.
    pub const FILE_PART: RecordKind = RecordKind(3);
    /// An MS-PCQ message that samples need: registration, instances, what a query asks for.
    pub const MESSAGE: RecordKind = RecordKind(4);
    /// An MS-PCQ message that is a sample: an answer of `PerflibV2QueryCounterData`.
    pub const MESSAGE_SAMPLE: RecordKind = RecordKind(5);
    /// A copy of a message, for readers that can't read the original.
    pub const MESSAGE_COPY: RecordKind = RecordKind(6);
    /// Who processes are.
    pub const PROCESSES: RecordKind = RecordKind(7);
    /// How processes ended.
    pub const ENDED_PROCESSES: RecordKind = RecordKind(8);

    /// Whether records of this kind are samples.
    pub const fn is_sample(self) -> bool {
        matches!(self, RecordKind::BLOCK | RecordKind::MESSAGE_SAMPLE)
    }

    /// Its number, and its name if it has one.
    pub(crate) fn shown(self) -> String {
        match self.to_string() {
            name if name.ends_with(&self.0.to_string()) => self.0.to_string(),
            name => format!("{} ({name})", self.0),
        }
    }

    /// Whether records of this kind say something about processes.
    pub const fn is_about_processes(self) -> bool {
        matches!(self, RecordKind::PROCESSES | RecordKind::ENDED_PROCESSES)
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RecordKind::BLOCK => f.write_str("block"),
            RecordKind::EVENT => f.write_str("event"),
            RecordKind::FILE_PART => f.write_str("part of a file"),
            RecordKind::MESSAGE => f.write_str("message"),
            RecordKind::MESSAGE_COPY => f.write_str("copy of a message"),
            RecordKind::MESSAGE_SAMPLE => f.write_str("message of a sample"),
            RecordKind::PROCESSES => f.write_str("processes"),
            RecordKind::ENDED_PROCESSES => f.write_str("processes that ended"),
            RecordKind(number) => write!(f, "kind {number}"),
        }
    }
}
