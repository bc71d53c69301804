//! The records of a data block, to be written (formats/blg.md#data-block).

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
