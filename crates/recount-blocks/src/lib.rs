//! Performance data blocks (`PERF_DATA_BLOCK`), bytes to structures, to runs, and back.
//!
//! A block is one sample: everything that a machine said about some performance objects at one instant.
//! `formats/perf-data-block.md` specifies it.
//!
//! - [`perf_data`] reads, writes and dumps blocks.
//! - [`NameTable`] turns the indexes in them into names.
//! - [`ObjectRuns`] turns the blocks of successive samples into the [`Run`](recount_model::Run)s of one object;
//!   [`DumpSource`] does so for files of blocks, as a [`Source`](recount_model::Source).
//!
//! ```
//! use recount_blocks::perf_data::{BlockBuf, ByteOrder, DataBlock, ObjectBuf};
//! use recount_model::CounterType;
//!
//! let mut memory = ObjectBuf::new(4, false);
//! let available = memory.add_counter(24, CounterType(0x0001_0100));
//! let mut values = memory.zeroed_values();
//! assert!(memory.set_value(&mut values, ByteOrder::Little, available, 1 << 33));
//! memory.instances = recount_blocks::perf_data::InstancesBuf::Single(values);
//! let mut block = BlockBuf::new("WEB1", ByteOrder::Little);
//! block.objects.push(memory);
//! let bytes = block.write()?;
//!
//! let block = DataBlock::parse(&bytes, 0)?;
//! assert_eq!(block.system_name(), "WEB1");
//! let object = block.objects().next().expect("one object")?;
//! let values = object.counter_block().expect("no instances")?;
//! assert_eq!(values.u64_at(8), Some(1 << 33));
//! # Ok::<(), recount_blocks::BlockError>(())
//! ```

mod block_decoder;
mod block_run;
mod dump_source;
mod error;
mod names;
pub mod parse;
pub mod pcq;
mod pcq_session;
pub mod perf_data;
mod piece_key;
mod zone_rule;

pub use block_decoder::BlockDecoder;
pub use block_run::ObjectRuns;
pub use dump_source::DumpSource;
pub use error::BlockError;
pub use names::NameTable;
pub use pcq_session::{Counterset, Links, MessageDecoder, NOT_AT_HAND, Session, SessionSource};
pub use zone_rule::{ZoneRule, posix_date};
