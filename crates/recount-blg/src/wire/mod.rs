//! A log as it stands in its file: every byte of it has a named place here, those without meaning too.
//!
//! [`Log::parse`] takes a log apart into structures, [`Log::write`] puts it together again. Lengths, counts, offsets
//! and fragments aren't kept but worked out on writing, so a log whose values were changed comes out sound; an
//! unchanged one comes out byte for byte. [`BlgWriter`](crate::BlgWriter), which writes logs from nothing, writes by
//! the same code. `formats/blg.md` specifies the structures.
//!
//! Unlike the reader, this takes sound files only: damage is an error.

mod buffer;
mod catalog;
mod counter_list;
mod data_block;
mod error;
mod event;
mod fields;
mod instances;
mod log;
mod message;
mod name_table;
mod parse;
mod trace_event;

pub use buffer::{BufferHeader, Fill};
pub use catalog::{Catalog, CatalogCounter, CatalogInstance, CatalogRecord};
pub use counter_list::{CounterList, ListEntry};
pub use data_block::{DataBlock, Record, RecordBody};
pub use error::WireError;
pub use event::EventHeader;
pub use instances::{Instances, Item};
pub use log::{Buffer, Event, Fragment, Log};
pub use message::Message;
pub use name_table::NameTable;
pub use trace_event::TraceEvent;

pub(crate) use buffer::write_buffer;
pub(crate) use counter_list::{LIST_LOG_TYPE, LIST_VERSION, write_entry, write_list_head};
pub(crate) use data_block::write_values;
pub(crate) use event::{EVENT_VERSION, MARKER, write_event};
pub(crate) use name_table::write_name_table;

/// Appends padding to a multiple of 8, counted from `start`: stale bytes as far as they are known, then zeros.
fn pad(out: &mut Vec<u8>, start: usize, stale: &[u8]) {
    let end = start + (out.len() - start).next_multiple_of(8);
    let num = (end - out.len()).min(stale.len());
    out.extend_from_slice(&stale[..num]);
    out.resize(end, 0);
}
