//! The eight methods of MS-PCQ as NDR (appendix A of the document).

mod client;
mod interface;

use recount_pcq::Guid;
use recount_pcq::conversation::QueryHandle;

pub use client::RemotePerflib;
pub use interface::PerflibInterface;

use crate::rpc::{NdrReader, RpcError, Syntax};

/// `PerflibV2`: da5a86c5-12c2-4943-ab30-7f74a813d853, version 1.0.
pub const INTERFACE: Syntax = Syntax {
    uuid: Guid([
        0xC5, 0x86, 0x5A, 0xDA, 0xC2, 0x12, 0x43, 0x49, 0xAB, 0x30, 0x7F, 0x74, 0xA8, 0x13, 0xD8, 0x53,
    ]),
    version: 1,
};

/// What an answer has besides its buffer: sizes, counts and the return code.
const LEN_AROUND: usize = 64;

fn handle(reader: &mut NdrReader<'_>) -> Result<QueryHandle, RpcError> {
    reader.context_handle().map(QueryHandle)
}
