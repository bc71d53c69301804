//! `PERF_DATA_BLOCK`: the result of `RegQueryValueEx(HKEY_PERFORMANCE_DATA, ...)`.
//!
//! ```text
//! PERF_DATA_BLOCK | PERF_OBJECT_TYPE | PERF_COUNTER_DEFINITION ... | instance | instance ... | PERF_OBJECT_TYPE ...
//!                                                                      |
//!                              PERF_INSTANCE_DEFINITION, name | PERF_COUNTER_BLOCK: raw values
//! ```
//!
//! Reading borrows and never allocates: [`DataBlock::objects`], [`Object::counters`] and
//! [`Object::instances`] are iterators, bounded at each step by the enclosing structure. Specified in
//! `formats/perf-data-block.md`.

mod block;
mod counter;
mod counter_block;
mod dump;
mod extent;
mod header;
mod instance;
mod object;
mod part;
mod split;
mod texts;
mod write;

pub use block::{BlockItem, DataBlock, Objects, blocks};
pub use counter::{CounterDefinition, Counters};
pub use counter_block::CounterBlock;
pub use dump::{dump, show};
pub use header::Header;
pub use instance::{InstanceDefinition, Instances};
pub use object::{Object, ObjectHeader};
pub use split::BlockSplit;
pub(crate) use texts::TextSlot;
pub use write::{
    BlockBuf, BlockClocks, BlockStream, CounterBuf, InstanceBuf, InstanceName, InstancesBuf, ObjectBuf,
    ObjectStream, ObjectTemplate, Values,
};

use recount_bytes::parse::{Fault, ofs_within, placed};
use recount_bytes::{ByteOrder, FormatError};

/// The block from which the parts are read; it turns positions into offsets.
#[derive(Clone, Copy, Debug)]
struct Whole<'a> {
    bytes: &'a [u8],
    ofs_in_file: u64,
    order: ByteOrder,
}

impl Whole<'_> {
    fn settle<O>(&self, result: Result<O, Fault<'_>>) -> Result<O, FormatError> {
        placed(result, self.bytes, self.ofs_in_file)
    }

    /// Offset of a part in the file.
    fn ofs_of(&self, part: &[u8]) -> u64 {
        self.ofs_in_file + ofs_within(self.bytes, part) as u64
    }
}
