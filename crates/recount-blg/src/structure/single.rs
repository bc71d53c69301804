//! Single values: `PDH_RAW_COUNTER` as laid out in memory (formats/blg.md#single-value).

use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::by_fields;
use recount_model::Timestamp;

use super::record::{self, Record, RecordHead};

/// A single value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Single {
    /// `CStatus`.
    pub status: u32,
    /// `TimeStamp`, local.
    pub local: Timestamp,
    /// Padding after the time stamp.
    pub padding_time: u32,
    /// `FirstValue`.
    pub first: u64,
    /// `SecondValue`.
    pub second: u64,
    /// `MultiCount`.
    pub multi: u32,
    /// Padding at the end.
    pub padding: u32,
}

impl Single {
    /// Bytes of the record.
    pub const LEN: usize = 48;

    /// Reads a record of kind 1; `None` if it is too short.
    #[inline]
    pub fn read(record: &Record<'_>) -> Option<Single> {
        let bytes = record.bytes.get(RecordHead::LEN..)?;
        Some(by_fields("single value record", ByteOrder::Little, Single::fields)(bytes).ok()?.1)
    }

    /// Appends the record.
    pub fn write(mut self, version: u8, out: &mut Vec<u8>) -> Result<(), FormatError> {
        record::write(version, record::SINGLE, out, |out| {
            let Ok(()) = self.fields(&mut Writer::new(ByteOrder::Little, out));
            Ok(())
        })
    }

    /// The fields after the record's head, in order.
    #[inline]
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.shown("status", &mut self.status, |status| format!("{status:#x}"))?;
        f.shown("time stamp", &mut self.local, super::local)?;
        f.hidden("padding", &mut self.padding_time)?;
        f.field("first value", &mut self.first)?;
        f.field("second value", &mut self.second)?;
        f.field("multi count", &mut self.multi)?;
        f.hidden("padding", &mut self.padding)
    }
}
