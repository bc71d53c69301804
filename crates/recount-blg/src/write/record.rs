//! The records of a data block, to be written (formats/blg.md#data-block).

use std::collections::BTreeMap;

use recount_model::Timestamp;

use crate::records::data_block::{
    INSTANCES, LEN_INSTANCES_HEAD, LEN_ITEM, LEN_RECORD_HEAD, LEN_SINGLE, OBJECT, OUTER, SIGNATURE,
};
use crate::text;

/// The raw value of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceValue {
    /// Name of the instance.
    pub name: String,
    /// First value.
    pub first: u64,
    /// Second value.
    pub second: u64,
}

/// One record of a data block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordBuf {
    /// A single value.
    Single {
        /// PDH status, 0 = good.
        status: u32,
        /// First value.
        first: u64,
        /// Second value.
        second: u64,
        /// Multi count, 1 but for MULTI types.
        multi: u32,
    },
    /// One counter of many instances.
    Instances {
        /// PDH status, 0 = good.
        status: u32,
        /// Values in order.
        values: Vec<InstanceValue>,
    },
    /// A whole object: a `PERF_DATA_BLOCK`.
    Object(Vec<u8>),
}

/// The message of a data block.
pub(super) fn data_block(local: Timestamp, records: &[RecordBuf]) -> Vec<u8> {
    let mut message = head(OUTER, 0);
    for record in records {
        message.extend(encode(local, record));
    }
    let len = message.len() as u32;
    message[4..8].copy_from_slice(&len.to_le_bytes());
    message
}

fn head(kind: u8, len: usize) -> Vec<u8> {
    let mut head = Vec::with_capacity(len.max(LEN_RECORD_HEAD));
    head.extend(SIGNATURE.to_le_bytes());
    head.extend([0x03, kind]);
    head.extend((len as u32).to_le_bytes());
    head
}

fn encode(local: Timestamp, record: &RecordBuf) -> Vec<u8> {
    match record {
        RecordBuf::Single { status, first, second, multi } => {
            let mut bytes = head(SINGLE_KIND, LEN_SINGLE);
            bytes.extend(status.to_le_bytes());
            bytes.extend(local.0.to_le_bytes());
            bytes.extend([0; 4]);
            bytes.extend(first.to_le_bytes());
            bytes.extend(second.to_le_bytes());
            bytes.extend(multi.to_le_bytes());
            bytes.extend([0; 4]);
            bytes
        }
        RecordBuf::Instances { status, values } => instances(local, *status, values),
        RecordBuf::Object(block) => {
            let len = (LEN_RECORD_HEAD + block.len()).next_multiple_of(8);
            let mut bytes = head(OBJECT, len);
            bytes.extend_from_slice(block);
            bytes.resize(len, 0);
            bytes
        }
    }
}

const SINGLE_KIND: u8 = crate::records::data_block::SINGLE;

fn instances(local: Timestamp, status: u32, values: &[InstanceValue]) -> Vec<u8> {
    // The names are packed, but the writer of Windows reserves each of them rounded up to 8 bytes.
    let names: Vec<Vec<u8>> = values.iter().map(|value| text::encode(&value.name)).collect();
    let len_reserved: usize = names.iter().map(|name| name.len().next_multiple_of(8)).sum();
    let len = LEN_INSTANCES_HEAD + values.len() * LEN_ITEM + len_reserved;
    let mut bytes = head(INSTANCES, len);
    bytes.extend((len as u32 - 8).to_le_bytes());
    bytes.extend((values.len() as u32).to_le_bytes());
    bytes.extend(status.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(local.0.to_le_bytes());
    let mut ofs_name = LEN_INSTANCES_HEAD - 8 + values.len() * LEN_ITEM;
    for (value, name) in values.iter().zip(&names) {
        bytes.extend((ofs_name as u64).to_le_bytes());
        bytes.extend(value.first.to_le_bytes());
        bytes.extend(value.second.to_le_bytes());
        ofs_name += name.len();
    }
    bytes.extend(names.iter().flatten());
    bytes.resize(len, 0);
    bytes
}

/// The message of a name table.
pub(super) fn name_table(machine: &str, names: &BTreeMap<u32, String>) -> Vec<u8> {
    let mut message = text::encode(machine);
    for (index, name) in names {
        message.extend(text::encode(&index.to_string()));
        message.extend(text::encode(name));
    }
    message
}
