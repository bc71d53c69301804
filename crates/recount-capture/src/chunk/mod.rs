//! A sealed chunk: many records, taken apart into tables whose columns are compressed (`formats/rcap.md#chunk`).
//!
//! ```text
//! records --split--> pieces --same section, sort, key and length--> streams of equal rows
//! streams --same sort and length--> classes --column by column, over time--> planes --> zstd
//! ```
//!
//! The way back needs no knowledge of what the records are: each record is a sequence of rows.

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
pub(crate) use head::{ChunkHead, LEN_HEAD_FIXED, RecordTable, SectionEntry, version};
pub(crate) use outline::{Outline, OutlineGroup, outline};

/// The most bytes of records that a chunk of several records may hold.
pub(crate) const MAX_LEN_CHUNK: usize = 64 << 20;
/// The most bytes that one record may have.
pub(crate) const MAX_LEN_RECORD: usize = 256 << 20;
