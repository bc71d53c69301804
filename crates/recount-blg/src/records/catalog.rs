//! Message 0x23, the catalog at the end of an object log (formats/blg.md#catalog).
//!
//! All it says can be had from the data, so it is a check, never a need.

use recount_model::Timestamp;

use crate::le::{i64_at, u32_at};

/// The head of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Catalog {
    /// Time of the first sample, local.
    pub(crate) first: Timestamp,
    /// Time of the last sample, local.
    pub(crate) last: Timestamp,
    /// Data blocks in the log.
    pub(crate) num_blocks: u32,
    /// Records that follow.
    pub(crate) num_records: u32,
}

/// Bytes of the catalog's head.
pub(crate) const LEN_CATALOG_HEAD: usize = 32;

impl Catalog {
    /// Reads the head; `None` if the message is too short.
    pub(crate) fn read(message: &[u8]) -> Option<Catalog> {
        let head = message.get(..LEN_CATALOG_HEAD)?;
        Some(Catalog {
            first: Timestamp(i64_at(head, 0)?),
            last: Timestamp(i64_at(head, 8)?),
            num_blocks: u32_at(head, 16)?,
            num_records: u32_at(head, 20)?,
        })
    }
}
