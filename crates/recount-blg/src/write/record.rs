//! Records of a data block for writing (formats/blg.md#data-block).

use recount_bytes::FormatError;
use recount_model::Timestamp;

use crate::structure::instances::{self, InstancesHead, Item};
use crate::structure::record::{self, RecordHead};
use crate::structure::single::Single;

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
        /// Multi count; 1 except for MULTI types.
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
pub(super) fn write_data_block(
    local: Timestamp,
    records: &[RecordBuf],
    out: &mut Vec<u8>,
) -> Result<(), FormatError> {
    record::write(RecordHead::VERSION, record::OUTER, out, |out| {
        records.iter().try_for_each(|record| record.write(local, out))
    })
}

impl RecordBuf {
    fn write(&self, local: Timestamp, out: &mut Vec<u8>) -> Result<(), FormatError> {
        const VERSION: u8 = RecordHead::VERSION;
        match self {
            RecordBuf::Single { status, first, second, multi } => {
                let (status, first, second, multi) = (*status, *first, *second, *multi);
                Single { status, local, first, second, multi, ..Single::default() }.write(VERSION, out)
            }
            RecordBuf::Instances { status, values } => {
                let head = InstancesHead { status: *status, local, ..InstancesHead::default() };
                let items = values.iter().map(|value| {
                    let item = Item { first: value.first, second: value.second, ..Item::default() };
                    (&*value.name, item)
                });
                instances::write(VERSION, head, items, &[], out)
            }
            RecordBuf::Object(block) => record::write_object(VERSION, block, &[], out),
        }
    }
}
