//! A sealed chunk: many records, split into tables whose columns are compressed (`formats/rcap.md#chunk`).
//!
//! ```text
//! records --split--> pieces --same section, sort, key and length--> streams of equal rows
//! streams --same sort and length--> classes --column by column, over time--> planes --> zstd
//! ```
//!
//! Decoding needs no knowledge of the records' meaning: each record is a sequence of rows.

mod columns;
mod decode;
mod encode;
mod head;
mod known_texts;
mod outline;
mod proof;
mod relation;
mod section;

pub(crate) use decode::{ChunkReader, segments};
pub(crate) use encode::Encoder;
pub(crate) use head::{ChunkHead, FixedHead, LEN_HEAD_FIXED, RecordTable, SectionEntry, crc_shown, version};
pub(crate) use outline::{Outline, OutlineGroup, outline};

/// Maximum bytes of records in a chunk of several records.
pub(crate) const MAX_LEN_CHUNK: usize = 64 << 20;
/// Maximum bytes of one record.
pub(crate) const MAX_LEN_RECORD: usize = 256 << 20;
