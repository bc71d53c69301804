//! Performance data blocks (`PERF_DATA_BLOCK`), from bytes to structures and runs, and back.
//!
//! A block is one sample: all data of some performance objects of a machine at one instant.
//! `formats/perf-data-block.md` specifies it.
//!
//! - [`DataBlock`] reads blocks, [`BlockStream`] writes them, [`dump()`] shows every field.
//! - A [`NameTable`](recount_model::NameTable) turns the indexes in them into names.
//! - [`ObjectRuns`] turns the blocks of successive samples into the [`Run`](recount_model::Run)s of one object;
//!   [`DumpSource`] does so for files of blocks, as a [`Source`](recount_model::Source).
//!
//! ```
//! use recount_model::CounterType;
//! use recount_perf_data::{
//!     BlockClocks, BlockStream, CounterDefinition, DataBlock, ObjectHeader, ObjectTemplate,
//! };
//!
//! let mut memory = ObjectTemplate::new(ObjectHeader::new(4, false));
//! let available = memory.add_counter(CounterDefinition::new(24, CounterType(0x0001_0100)));
//! let mut stream = BlockStream::new("WEB1");
//! stream.begin(BlockClocks::default());
//! stream.object(&memory, 0, 0).values().set(available, 1 << 33);
//! let bytes = stream.finish()?;
//!
//! let block = DataBlock::parse(bytes, 0)?;
//! assert_eq!(block.system_name(), "WEB1");
//! let object = block.objects().next().expect("one object")?;
//! let values = object.counter_block().expect("no instances")?;
//! assert_eq!(values.u64_at(8), Some(1 << 33));
//! # Ok::<(), recount_bytes::FormatError>(())
//! ```

mod block_copies;
mod block_decoder;
mod block_run;
mod dump_source;
mod perf_clock;
mod structure;

pub use block_decoder::BlockDecoder;
pub use block_run::ObjectRuns;
pub use dump_source::DumpSource;
pub use structure::{
    BlockClocks, BlockItem, BlockSplit, BlockStream, CounterBlock, CounterDefinition, DataBlock, Header,
    InstanceDefinition, InstanceName, Object, ObjectHeader, ObjectStream, ObjectTemplate, Values, blocks,
    dump, show,
};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
