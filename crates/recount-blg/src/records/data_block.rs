//! Message 0x22, the data block: one record per entry of the counter list (formats/blg.md#data-block).

use recount_model::Timestamp;

use crate::le::{i64_at, u16_at, u32_at, u64_at};
use crate::text::{self, Utf16};

/// Bytes in front of every record: signature, kind, length.
pub(crate) const LEN_RECORD_HEAD: usize = 8;
/// "BL"
pub(crate) const SIGNATURE: u16 = 0x4C42;

/// Record kinds.
pub(crate) const OUTER: u8 = 0x00;
pub(crate) const SINGLE: u8 = 0x01;
pub(crate) const INSTANCES: u8 = 0x02;
pub(crate) const OBJECT: u8 = 0x05;

/// Bytes of a single value's record.
pub(crate) const LEN_SINGLE: usize = 48;
/// Bytes of an instances record in front of its items.
pub(crate) const LEN_INSTANCES_HEAD: usize = 32;
/// Bytes of an item.
pub(crate) const LEN_ITEM: usize = 24;

/// PDH status codes of good data: valid, and valid for the first time.
pub(crate) const fn is_good(status: u32) -> bool {
    status <= 1
}

/// PDH status codes that say why there is nothing (formats/blg.md#absent).
pub(crate) const NO_MACHINE: u32 = 0x8000_07D0;
/// The instance isn't there.
pub(crate) const NO_INSTANCE: u32 = 0x8000_07D1;
/// The object isn't there.
pub(crate) const NO_OBJECT: u32 = 0xC000_0BB8;
/// The counter isn't there.
pub(crate) const NO_COUNTER: u32 = 0xC000_0BB9;
/// There should be a value, and isn't.
pub(crate) const INVALID_DATA: u32 = 0xC000_0BBA;

/// Whether a status says that the sample doesn't have the object at all.
pub(crate) const fn lacks_object(status: u32) -> bool {
    matches!(status, NO_MACHINE | NO_OBJECT)
}

/// Whether a status says that the sample doesn't have the thing that was asked for, rather than that reading failed.
pub(crate) const fn is_absent(status: u32) -> bool {
    lacks_object(status) || matches!(status, NO_INSTANCE | NO_COUNTER)
}

/// One record of a data block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// Where it starts in the message.
    pub(crate) ofs: usize,
    /// Its kind.
    pub(crate) kind: u8,
    /// All its bytes, head included.
    pub(crate) bytes: &'a [u8],
}

/// Why the records of a data block end early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordError {
    /// Where in the message.
    pub(crate) ofs: usize,
    /// Which field.
    pub(crate) field: &'static str,
    /// Found and expected.
    pub(crate) what: String,
}

/// The records in a data block, the outer one unwrapped.
pub(crate) struct Records<'a> {
    message: &'a [u8],
    ofs: usize,
    end: usize,
}

impl<'a> Records<'a> {
    /// Opens the outer record.
    pub(crate) fn open(message: &'a [u8]) -> Result<Records<'a>, RecordError> {
        let outer = record_at(message, 0, message.len())?;
        if outer.kind != OUTER {
            let what = format!("{:#04x} where the outer record, {OUTER:#04x}, was expected", outer.kind);
            return Err(RecordError { ofs: 3, field: "kind", what });
        }
        Ok(Records { message, ofs: LEN_RECORD_HEAD, end: outer.bytes.len() })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ofs >= self.end {
            return None;
        }
        let record = record_at(self.message, self.ofs, self.end);
        // Behind a record of unknown length nothing can be found.
        self.ofs = record.as_ref().map_or(self.end, |record| record.ofs + record.bytes.len());
        Some(record)
    }
}

fn record_at(message: &[u8], ofs: usize, end: usize) -> Result<Record<'_>, RecordError> {
    let bytes = &message[ofs..end];
    let (Some(signature), Some(len)) = (u16_at(bytes, 0), u32_at(bytes, 4)) else {
        let what = format!("{} bytes left where a record head takes {LEN_RECORD_HEAD}", bytes.len());
        return Err(RecordError { ofs, field: "signature", what });
    };
    if signature != SIGNATURE {
        let what = format!("{signature:#06x} where {SIGNATURE:#06x} (\"BL\") was expected");
        return Err(RecordError { ofs, field: "signature", what });
    }
    match bytes.get(..len as usize) {
        Some(bytes) if bytes.len() >= LEN_RECORD_HEAD => Ok(Record { ofs, kind: bytes[3], bytes }),
        _ => {
            let what = format!("{len} where {LEN_RECORD_HEAD} to {} bytes were expected", bytes.len());
            Err(RecordError { ofs: ofs + 4, field: "length", what })
        }
    }
}

/// A single value: `PDH_RAW_COUNTER` as laid out in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Single {
    /// PDH status.
    pub(crate) status: u32,
    /// Time stamp, local.
    pub(crate) local: Timestamp,
    /// First value.
    pub(crate) first: u64,
    /// Second value.
    pub(crate) second: u64,
    /// Multi count.
    pub(crate) multi: u32,
}

impl Single {
    /// Reads a record of kind 1; `None` if it is too short.
    pub(crate) fn read(record: &Record<'_>) -> Option<Single> {
        let bytes = record.bytes;
        Some(Single {
            status: u32_at(bytes, 8)?,
            local: Timestamp(i64_at(bytes, 12)?),
            first: u64_at(bytes, 24)?,
            second: u64_at(bytes, 32)?,
            multi: u32_at(bytes, 40)?,
        })
    }
}

/// One counter of many instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InstanceValues<'a> {
    /// PDH status.
    pub(crate) status: u32,
    /// Time stamp, local.
    pub(crate) local: Timestamp,
    /// Items, 24 bytes each.
    items: &'a [u8],
    /// From offset 8 of the record, where the offsets of the names count from.
    names: &'a [u8],
}

/// The value of one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Offset of the name from offset 8 of the record.
    pub(crate) ofs_name: u32,
    /// First value.
    pub(crate) first: u64,
    /// Second value.
    pub(crate) second: u64,
}

impl<'a> InstanceValues<'a> {
    /// Reads a record of kind 2; `None` if it is too short for its count.
    pub(crate) fn read(record: &Record<'a>) -> Option<InstanceValues<'a>> {
        let bytes = record.bytes;
        let num_instances = u32_at(bytes, 12)? as usize;
        let len_items = num_instances.checked_mul(LEN_ITEM)?;
        Some(InstanceValues {
            status: u32_at(bytes, 16)?,
            local: Timestamp(i64_at(bytes, 24)?),
            items: bytes.get(LEN_INSTANCES_HEAD..)?.get(..len_items)?,
            names: &bytes[8..],
        })
    }

    /// The number of instances that a record of kind 2 states, without reading on.
    pub(crate) fn num_instances_of(record: &Record<'_>) -> Option<u32> {
        u32_at(record.bytes, 12)
    }

    /// Number of instances.
    pub(crate) fn len(&self) -> usize {
        self.items.len() / LEN_ITEM
    }

    /// The items in order.
    pub(crate) fn items(&self) -> impl ExactSizeIterator<Item = Item> + use<'a> {
        self.items.chunks_exact(LEN_ITEM).map(|item| Item {
            ofs_name: u32_at(item, 0).unwrap_or_default(),
            first: u64_at(item, 8).unwrap_or_default(),
            second: u64_at(item, 16).unwrap_or_default(),
        })
    }

    /// The name of an item; `None` if its offset lies outside the record.
    pub(crate) fn name(&self, item: &Item) -> Option<Utf16<'a>> {
        self.names.get(item.ofs_name as usize..).map(|bytes| text::string(bytes).0)
    }

    /// The bytes of an item's name, of which at most `len_most` are looked at.
    pub(crate) fn name_within(&self, item: &Item, len_most: usize) -> &'a [u8] {
        let bytes = self.names.get(item.ofs_name as usize..).unwrap_or_default();
        text::string(bytes.get(..len_most).unwrap_or(bytes)).0.0
    }

    /// The bytes that hold the names: equal bytes and equal offsets mean equal names.
    pub(crate) fn name_bytes(&self) -> &'a [u8] {
        self.names.get(LEN_INSTANCES_HEAD - 8 + self.items.len()..).unwrap_or_default()
    }
}
