//! Performance Library 2.0: the buffers of MS-PCQ, and the messages that contain them in recorded sessions.
//!
//! ```text
//! opnum 0   GUIDs                                  opnum 5, 7   _PERF_COUNTER_IDENTIFIER, name | ...
//! opnum 1   _PERF_COUNTERSET_REG_INFO | _PERF_COUNTER_REG_INFO ..., texts, tables of texts
//! opnum 2   _PERF_INSTANCE_HEADER, name | ...      opnum 6   _PERF_DATA_HEADER | _PERF_COUNTER_HEADER, values | ...
//! ```
//!
//! Everything parsed can be written back byte for byte, including padding. Parsers take the bytes of a buffer
//! and their offset in the file. Structures begin at multiples of 8 bytes from the start of their buffer
//! (MS-PCQ 2.2.4). A size that doesn't include the padding to the next multiple is accepted, and the next
//! structure is expected after the padding. Reserved fields are kept and ignored, as the document requires.

mod block;
mod data_header;
mod dump;
mod guid;
mod identifier;
mod in_force;
mod instance;
mod message;
mod method;
mod pieces;
mod query_data;
mod query_data_buf;
mod registration;
mod return_code;
mod split;
mod stream;
mod string_table;
mod text;

pub use block::{
    BlockType, CounterBlock, CounterData, CounterHeader, CounterIds, InstanceRow, InstanceRows, Values,
};
pub use data_header::{DataClocks, DataHeader};
pub use dump::dump;
pub use guid::{Guid, GuidError, parse_guids};
pub use identifier::{
    ANY_COUNTER, ANY_INSTANCE, CounterIdentifier, CounterIdentifierBuf, CounterIdentifiers,
};
pub use in_force::MessagesInForce;
pub use instance::{InstanceBuf, InstanceHeader, Instances};
pub use message::{Message, MessageHeader};
pub use method::{opnum, request};
pub(crate) use pieces::NOT_AT_HAND;
pub use query_data::{Blocks, QueryData};
pub use query_data_buf::QueryDataBuf;
pub use registration::{CounterRegInfo, CounterSetRegInfo, Registration};
pub use return_code::ReturnCode;
pub use split::MessageSplit;
pub use stream::{Messages, StreamItem, messages};
pub use string_table::{StringOrigin, StringTable, StringTableBuf};
pub use text::Text;

use recount_bytes::parse::{Expected, Failed, Fault, Parsed};

/// Structures begin at multiples of this many bytes (MS-PCQ 2.2.4).
const ALIGNMENT: usize = 8;

/// Refuses a `Size` that isn't a multiple of 8; `at` is where it is.
fn check_aligned(size: u32, at: &[u8]) -> Result<(), Failed<'_>> {
    if (size as usize).is_multiple_of(ALIGNMENT) {
        return Ok(());
    }
    let fault = Fault::number(at, Expected::Described("a multiple of 8"), size);
    Err(nom::Err::Error(Fault { field: Some("Size"), ..fault }))
}

/// No more bytes are allowed here.
fn end(i: &[u8]) -> Parsed<'_, ()> {
    if i.is_empty() {
        return Ok((i, ()));
    }
    let mut fault = Fault::bytes(i, "the end of the buffer", i.len().min(8));
    fault.field = Some("end");
    Err(nom::Err::Error(fault))
}

/// A length for a length field. No method returns more than 1 GiB (the ranges of `dwInSize` in MS-PCQ 3.1.4.1), so none is
/// ever too long.
fn len_u32(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Splits off `len` bytes, then the padding up to the next multiple of 8 or to the end of `i`. `i` starts at
/// such a multiple, and is at least `len` bytes long.
fn take_padded(i: &[u8], len: usize) -> (&[u8], &[u8], &[u8]) {
    let (taken, rest) = i.split_at(len.min(i.len()));
    let len_padding = (len.next_multiple_of(ALIGNMENT) - len).min(rest.len());
    let (padding, rest) = rest.split_at(len_padding);
    (taken, padding, rest)
}

/// Appends zeros up to a multiple of 8 bytes from `start` on.
fn pad(out: &mut Vec<u8>, start: usize) {
    let len = (out.len() - start).next_multiple_of(ALIGNMENT);
    out.resize(start + len, 0);
}
