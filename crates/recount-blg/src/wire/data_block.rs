//! Data blocks and their records (formats/blg.md#data-block).

use recount_blocks::perf_data::{BlockBuf, DataBlock as PerfDataBlock};
use recount_model::Timestamp;

use super::WireError;
use super::fields::{Fault, Fields, Found};
use super::instances::{self, Instances};
use crate::records::data_block::{
    INSTANCES, LEN_RECORD_HEAD, LEN_SINGLE, OBJECT, OUTER, RecordError, Records, SIGNATURE, SINGLE,
};
use crate::write::RecordBuf;

/// The third byte of every record seen.
const RECORD_VERSION: u8 = 0x03;

/// Message 0x22: one sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataBlock {
    /// The third byte of the outer record, 0x03.
    pub version: u8,
    /// One per entry of the counter list.
    pub records: Vec<Record>,
}

/// A record. Its length is worked out on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The third byte, 0x03.
    pub version: u8,
    /// What it holds.
    pub body: RecordBody,
}

/// What a record holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordBody {
    /// A single value: `PDH_RAW_COUNTER`.
    Single {
        /// `CStatus`.
        status: u32,
        /// `TimeStamp`, local.
        local: Timestamp,
        /// Padding behind the time stamp.
        padding_time: u32,
        /// `FirstValue`.
        first: u64,
        /// `SecondValue`.
        second: u64,
        /// `MultiCount`.
        multi: u32,
        /// Padding at the end.
        padding: u32,
    },
    /// One counter of many instances.
    Instances(Instances),
    /// A whole object.
    Object {
        /// The block.
        block: Box<BlockBuf>,
        /// What stands behind it, to a multiple of 8.
        padding: Vec<u8>,
    },
    /// A record of another kind, or a whole object whose block is unsound, from offset 8 on.
    Unknown {
        /// Its kind.
        kind: u8,
        /// What stands behind its head.
        bytes: Vec<u8>,
    },
}

impl DataBlock {
    pub(super) fn parse(bytes: &[u8]) -> Found<DataBlock> {
        let mut records = Vec::new();
        for record in Records::open(bytes).map_err(fault)? {
            let record = record.map_err(fault)?;
            let body = RecordBody::parse(record.kind, record.bytes, record.ofs)?;
            records.push(Record { version: record.bytes[2], body });
        }
        Ok(DataBlock { version: bytes[2], records })
    }

    pub(super) fn encode(&self) -> Result<Vec<u8>, WireError> {
        let mut out = Vec::new();
        let start = open(&mut out, self.version, OUTER);
        for record in &self.records {
            record.write(&mut out)?;
        }
        close(&mut out, start)?;
        Ok(out)
    }
}

impl RecordBody {
    fn parse(kind: u8, bytes: &[u8], ofs: usize) -> Found<RecordBody> {
        match kind {
            SINGLE if bytes.len() == LEN_SINGLE => single(bytes, ofs),
            INSTANCES => Instances::parse(bytes, ofs).map(RecordBody::Instances),
            OBJECT => Ok(object(bytes)),
            _ => Ok(unknown(kind, bytes)),
        }
    }
}

fn single(bytes: &[u8], ofs: usize) -> Found<RecordBody> {
    let mut fields = Fields::new("single value record", bytes, ofs);
    fields.take("head", LEN_RECORD_HEAD)?;
    Ok(RecordBody::Single {
        status: fields.u32("CStatus")?,
        local: Timestamp(fields.i64("TimeStamp")?),
        padding_time: fields.u32("padding")?,
        first: fields.u64("FirstValue")?,
        second: fields.u64("SecondValue")?,
        multi: fields.u32("MultiCount")?,
        padding: fields.u32("padding")?,
    })
}

fn object(bytes: &[u8]) -> RecordBody {
    let bytes_block = &bytes[LEN_RECORD_HEAD..];
    let block = PerfDataBlock::parse(bytes_block, 0).ok().and_then(|block| {
        let padding = bytes_block[block.bytes().len()..].to_vec();
        let copy = BlockBuf::from_block(&block).ok()?;
        Some(RecordBody::Object { block: Box::new(copy), padding })
    });
    block.unwrap_or_else(|| unknown(OBJECT, bytes))
}

fn unknown(kind: u8, bytes: &[u8]) -> RecordBody {
    RecordBody::Unknown { kind, bytes: bytes[LEN_RECORD_HEAD..].to_vec() }
}

fn fault(error: RecordError) -> Fault {
    Fault {
        structure: "record",
        ofs_structure: error.ofs,
        field: error.field,
        ofs: error.ofs,
        what: error.what,
    }
}

impl Record {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        let version = self.version;
        match &self.body {
            RecordBody::Single { status, local, padding_time, first, second, multi, padding } => {
                let value = RawValue { status: *status, first: *first, second: *second, multi: *multi };
                write_single(version, *local, value, [*padding_time, *padding], out)
            }
            RecordBody::Instances(many) => {
                let start = open(out, version, INSTANCES);
                many.write(out)?;
                close(out, start)
            }
            RecordBody::Object { block, padding } => write_object(version, &block.write()?, padding, out),
            RecordBody::Unknown { kind, bytes } => {
                let start = open(out, version, *kind);
                out.extend_from_slice(bytes);
                close(out, start)
            }
        }
    }
}

/// The message of a data block made from values.
pub(crate) fn write_values(
    local: Timestamp,
    records: &[RecordBuf],
    out: &mut Vec<u8>,
) -> Result<(), WireError> {
    let outer = open(out, RECORD_VERSION, OUTER);
    for record in records {
        match record {
            RecordBuf::Single { status, first, second, multi } => {
                let value = RawValue { status: *status, first: *first, second: *second, multi: *multi };
                write_single(RECORD_VERSION, local, value, [0; 2], out)?;
            }
            RecordBuf::Instances { status, values } => {
                let start = open(out, RECORD_VERSION, INSTANCES);
                instances::write_head(values.len(), *status, 0, local, out)?;
                let items = values.iter().map(|value| (&*value.name, 0, value.first, value.second));
                instances::write_items(items, &[], out)?;
                instances::close(out, start);
                close(out, start)?;
            }
            RecordBuf::Object(block) => write_object(RECORD_VERSION, block, &[], out)?,
        }
    }
    close(out, outer)
}

/// The fields of a single value that mean something.
#[derive(Clone, Copy)]
struct RawValue {
    status: u32,
    first: u64,
    second: u64,
    multi: u32,
}

fn write_single(
    version: u8,
    local: Timestamp,
    value: RawValue,
    padding: [u32; 2],
    out: &mut Vec<u8>,
) -> Result<(), WireError> {
    let start = open(out, version, SINGLE);
    out.extend(value.status.to_le_bytes());
    out.extend(local.0.to_le_bytes());
    out.extend(padding[0].to_le_bytes());
    out.extend(value.first.to_le_bytes());
    out.extend(value.second.to_le_bytes());
    out.extend(value.multi.to_le_bytes());
    out.extend(padding[1].to_le_bytes());
    close(out, start)
}

fn write_object(version: u8, block: &[u8], padding: &[u8], out: &mut Vec<u8>) -> Result<(), WireError> {
    let start = open(out, version, OBJECT);
    out.extend_from_slice(block);
    super::pad(out, start, padding);
    close(out, start)
}

/// Begins a record; gives where it starts.
pub(super) fn open(out: &mut Vec<u8>, version: u8, kind: u8) -> usize {
    let start = out.len();
    out.extend(SIGNATURE.to_le_bytes());
    out.extend([version, kind, 0, 0, 0, 0]);
    start
}

/// Ends a record: its length is known now.
pub(super) fn close(out: &mut [u8], start: usize) -> Result<(), WireError> {
    let value = out.len() - start;
    let len = u32::try_from(value);
    let len = len.map_err(|_| WireError::TooLarge { structure: "record", field: "length", value })?;
    out[start + 4..start + 8].copy_from_slice(&len.to_le_bytes());
    Ok(())
}
