//! Performance Co-Pilot archives, as written by pmlogger and related tools (`formats/pcp-archive.md`).
//!
//! An archive is several files. `NAME.meta` has the metrics, the instance domains as they change, labels and help; the
//! volumes `NAME.0`, `NAME.1`, ... have a record per sampling instant; `NAME.index` is never needed. Each may be compressed.
//!
//! A metric `disk.dev.read` is the counter `read` of the object `disk.dev`. Values are raw, with their units in terms
//! of bytes, seconds and counts. Rates, and the share of time for time counters, are computed as for any other counter.
//! A mark ends an epoch.

mod archive;
mod canonical;
mod clock;
mod decode;
mod decompress;
mod derived;
#[cfg(test)]
mod document;
mod dump;
mod error;
mod files;
mod gaps;
mod kernel;
mod meta;
mod names;
mod objects;
mod order;
mod rounds;
mod row;
mod scan;
mod source;
mod spaces;
mod starts;
mod structure;
mod sum;
mod units;
mod value;

pub use archive::Archive;
pub use canonical::metrics_of;
pub use decompress::{Compression, Decompressed};
pub use dump::dump;
pub use error::PcpError;
pub use files::{
    ArchiveFiles, ArchivePart, PartName, archives_among, find_archive, is_companion, lone_volume,
};
pub use structure::{label_error, recognise};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
