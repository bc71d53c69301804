//! The structures of a performance log, each defined once: its fields in order, and how it is read, written
//! and shown in a dump. `formats/blg.md` specifies them.
//!
//! Meaningless fields are kept, so that reading and writing a structure gives the same bytes. Lengths, counts
//! and offsets are computed on writing.

pub mod buffer;
pub mod catalog;
pub mod counter_list;
pub(crate) mod data_block;
pub mod event;
pub mod instances;
pub mod name_table;
pub mod record;
pub mod single;
pub mod trace_header;

use recount_model::Timestamp;

/// Message type: the requested counters.
pub const COUNTER_LIST: u8 = 0x20;
/// Message type: one sample.
pub const DATA_BLOCK: u8 = 0x22;
/// Message type: summary at the end of an object log.
pub const CATALOG: u8 = 0x23;
/// Message type: names of objects and counters by index.
pub const NAME_TABLE: u8 = 0x24;

/// Appends padding to a multiple of 8, counted from `start`: first the known stale bytes, then zeros.
pub fn pad(out: &mut Vec<u8>, start: usize, stale: &[u8]) {
    let end = start + (out.len() - start).next_multiple_of(8);
    let num = (end - out.len()).min(stale.len());
    out.extend_from_slice(&stale[..num]);
    out.resize(end, 0);
}

/// A local time stamp in a dump: its civil time, without a zone.
fn local(time: Timestamp) -> String {
    time.without_zone() + " local"
}
