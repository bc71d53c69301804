//! `PERF_DATA_BLOCK`: the result of `RegQueryValueEx(HKEY_PERFORMANCE_DATA, ...)`.
//!
//! ```text
//! PERF_DATA_BLOCK | PERF_OBJECT_TYPE | PERF_COUNTER_DEFINITION ... | instance | instance ... | PERF_OBJECT_TYPE ...
//!                                                                      |
//!                              PERF_INSTANCE_DEFINITION, name | PERF_COUNTER_BLOCK: raw values
//! ```
//!
//! Each structure is a nom parser made of its list of fields. Reading borrows and never allocates: [`DataBlock::objects`],
//! [`Object::counters`] and [`Object::instances`] are sequences, bounded at each step by the enclosing structure. Specified in
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
mod pieces;
mod split;
mod texts;
mod write;

pub use block::{BlockItem, DataBlock, blocks};
pub use counter::CounterDefinition;
pub use counter_block::CounterBlock;
pub use dump::{dump, show};
pub use header::Header;
pub use instance::InstanceDefinition;
pub use object::{Object, ObjectHeader};
pub use split::BlockSplit;
pub(crate) use texts::TextSlot;
pub use write::{BlockClocks, BlockStream, InstanceName, ObjectStream, ObjectTemplate, Values};

use recount_bytes::parse::{Parsed, Sequence, ofs_within, settle};
use recount_bytes::{ByteOrder, FormatError};

/// The block from which the parts are read; it turns positions into offsets.
#[derive(Clone, Copy, Debug)]
struct Whole<'a> {
    bytes: &'a [u8],
    ofs_in_file: u64,
    order: ByteOrder,
}

impl<'a> Whole<'a> {
    /// The bytes, and where they start.
    fn origin(&self) -> (&'a [u8], u64) {
        (self.bytes, self.ofs_in_file)
    }

    /// The objects at the start of some of the bytes.
    fn objects(
        self,
        i: &'a [u8],
        num_objects: u32,
    ) -> Sequence<'a, impl FnMut(&'a [u8]) -> Parsed<'a, Object<'a>> + Clone + use<'a>> {
        Sequence::counted(num_objects, move |i| Object::parse(i, self), i, self.origin())
    }

    fn settle<O>(&self, result: Parsed<'_, O>) -> Result<O, FormatError> {
        settle(result, self.bytes, self.ofs_in_file)
    }

    /// Offset of a part in the file.
    fn ofs_of(&self, part: &[u8]) -> u64 {
        self.ofs_in_file + ofs_within(self.bytes, part) as u64
    }
}
