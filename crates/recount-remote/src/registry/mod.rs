//! The performance data of the remote registry, as NDR (MS-RRP): the older way to the counters of another machine.

mod client;
mod interface;
mod machine;

use recount_pcq::Guid;

pub use client::{Handle, QueryAnswer, RegistryClient, Root};
pub use interface::RegistryInterface;
pub(crate) use machine::RemoteMachine;

use crate::rpc::Syntax;

/// `winreg`: 338cd001-2244-31f1-aaaa-900038001003, version 1.0.
pub const WINREG: Syntax = Syntax {
    uuid: Guid([
        0x01, 0xD0, 0x8C, 0x33, 0x44, 0x22, 0xF1, 0x31, 0xAA, 0xAA, 0x90, 0x00, 0x38, 0x00, 0x10, 0x03,
    ]),
    version: 1,
};

/// Numbers of the methods (MS-RRP 3.1.5).
mod opnum {
    pub(super) const OPEN_LOCAL_MACHINE: u16 = 2;
    pub(super) const OPEN_PERFORMANCE_DATA: u16 = 3;
    pub(super) const CLOSE_KEY: u16 = 5;
    pub(super) const OPEN_KEY: u16 = 15;
    pub(super) const QUERY_VALUE: u16 = 17;
    pub(super) const GET_VERSION: u16 = 26;
    pub(super) const OPEN_PERFORMANCE_TEXT: u16 = 32;
    pub(super) const OPEN_PERFORMANCE_NLS_TEXT: u16 = 33;
}

/// Return codes (winerror.h).
mod code {
    pub(super) const FILE_NOT_FOUND: u32 = 2;
    pub(super) const ACCESS_DENIED: u32 = 5;
    pub(super) const INVALID_HANDLE: u32 = 6;
    pub(super) const OUT_OF_MEMORY: u32 = 14;
    pub(super) const READ_FAULT: u32 = 30;
    /// There are no more samples.
    pub(super) const HANDLE_EOF: u32 = 38;
    pub(super) const MORE_DATA: u32 = 234;
    pub(super) const NO_SYSTEM_RESOURCES: u32 = 1450;
    /// `RPC_S_CALL_FAILED`
    pub(super) const CALL_FAILED: u32 = 1726;
}

/// The longest value that may be asked for (the range of `lpcbData`).
const MAX_VALUE: u32 = 64 << 20;
