//! Message 0x23, the catalog at the end of an object log (formats/blg.md#catalog).
//!
//! Everything in it can be derived from the data, so it is only used as a check. Its records aren't read.

use std::fmt;

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Lines, Writer};
use recount_bytes::parse::{Parsed, by_fields};
use recount_model::Timestamp;

/// The head of the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CatalogHead {
    /// Time of the first sample, local.
    pub first: Timestamp,
    /// Time of the last sample, local.
    pub last: Timestamp,
    /// Data blocks in the log.
    pub num_blocks: u32,
    /// Records that follow.
    pub num_records: u32,
    /// Length of the message.
    pub len: u32,
    /// 0x5FF.
    pub version: u32,
}

impl CatalogHead {
    /// Length in bytes.
    pub const LEN: usize = 32;

    /// Parses the head.
    pub fn parse(i: &[u8]) -> Parsed<'_, CatalogHead> {
        by_fields("catalog", ByteOrder::Little, CatalogHead::fields)(i)
    }

    /// Appends the head.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(&mut Writer::new(ByteOrder::Little, out));
    }

    /// The fields in the order of the structure.
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.shown("first sample", &mut self.first, super::local)?;
        f.shown("last sample", &mut self.last, super::local)?;
        f.field("data blocks", &mut self.num_blocks)?;
        f.field("records", &mut self.num_records)?;
        f.hidden("length", &mut self.len)?;
        f.hidden("version", &mut self.version)
    }
}

pub(crate) fn show(message: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    lines.at(0).structure(format_args!("catalog, {} bytes", message.len()))?;
    match CatalogHead::parse(message) {
        Ok((_, mut head)) => head.fields(lines),
        Err(_) => lines.fault("too short for a catalog"),
    }
}
