//! The declarations of the eight methods.

use std::fmt;

use crate::{Guid, ReturnCode};

/// The interface `PerflibV2` (MS-PCQ 3.1.4.1 and appendix A): the calls between client and server.
///
/// Every method returns the server's `error_status_t`. A failure before a method is reached, or in transport,
/// is an [`RpcFault`]: an exception, in terms of MS-RPCE.
pub trait PerflibV2 {
    /// Sets the authentication level of the calls that follow. It belongs to the RPC binding, not to a
    /// method; `RPC_C_AUTHN_LEVEL_PKT_PRIVACY` is required (MS-PCQ 5.1).
    fn set_authentication_level(&mut self, level: AuthenticationLevel);

    /// Opnum 0, `PerflibV2EnumerateCounterSet`: the GUIDs of all countersets. Sizes count GUIDs (3.1.4.1.1).
    fn enumerate_counter_set(&mut self, machine: &str, dw_in_size: u32) -> Result<Reply, RpcFault>;

    /// Opnum 1, `PerflibV2QueryCounterSetRegistrationInfo`: information about a counterset or counter
    /// (3.1.4.1.2).
    fn query_registration_info(
        &mut self,
        machine: &str,
        guid: Guid,
        request_code: u32,
        request_lcid: u32,
        dw_in_size: u32,
    ) -> Result<Reply, RpcFault>;

    /// Opnum 2, `PerflibV2EnumerateCounterSetInstances`: the active instances of a counterset (3.1.4.1.3).
    fn enumerate_instances(&mut self, machine: &str, guid: Guid, dw_in_size: u32) -> Result<Reply, RpcFault>;

    /// Opnum 3, `PerflibV2OpenQueryHandle`. The handle is [`QueryHandle::NULL`] unless the method succeeds (3.1.4.1.4).
    fn open_query_handle(&mut self, machine: &str) -> Result<(ReturnCode, QueryHandle), RpcFault>;

    /// Opnum 4, `PerflibV2CloseQueryHandle`, which sets the handle to null (3.1.4.1.8).
    fn close_query_handle(&mut self, query: &mut QueryHandle) -> Result<ReturnCode, RpcFault>;

    /// Opnum 5, `PerflibV2QueryCounterInfo`: the counters of a query and their positions (3.1.4.1.5).
    fn query_counter_info(&mut self, query: QueryHandle, dw_in_size: u32) -> Result<Reply, RpcFault>;

    /// Opnum 6, `PerflibV2QueryCounterData`: the values of a query's counters (3.1.4.1.6).
    fn query_counter_data(&mut self, query: QueryHandle, dw_in_size: u32) -> Result<Reply, RpcFault>;

    /// Opnum 7, `PerflibV2ValidateCounters`: adds counters to a query, or removes them if `dw_add` is 0.
    /// `dwInSize` is the length of `data`, in which the server sets the `Status` of each (3.1.4.1.7).
    fn validate_counters(
        &mut self,
        query: QueryHandle,
        data: &mut [u8],
        dw_add: u32,
    ) -> Result<ReturnCode, RpcFault>;
}

/// The methods: those that return a buffer with a size limit given by the client, and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Method {
    /// Opnum 0.
    EnumerateCounterSet = 0,
    /// Opnum 1.
    QueryCounterSetRegistrationInfo = 1,
    /// Opnum 2.
    EnumerateCounterSetInstances = 2,
    /// Opnum 3.
    OpenQueryHandle = 3,
    /// Opnum 4.
    CloseQueryHandle = 4,
    /// Opnum 5.
    QueryCounterInfo = 5,
    /// Opnum 6.
    QueryCounterData = 6,
    /// Opnum 7.
    ValidateCounters = 7,
}

impl Method {
    /// Its number.
    pub const fn opnum(self) -> u16 {
        self as u16
    }

    /// Its name in the document.
    pub const fn name(self) -> &'static str {
        match self {
            Method::EnumerateCounterSet => "PerflibV2EnumerateCounterSet",
            Method::QueryCounterSetRegistrationInfo => "PerflibV2QueryCounterSetRegistrationInfo",
            Method::EnumerateCounterSetInstances => "PerflibV2EnumerateCounterSetInstances",
            Method::OpenQueryHandle => "PerflibV2OpenQueryHandle",
            Method::CloseQueryHandle => "PerflibV2CloseQueryHandle",
            Method::QueryCounterInfo => "PerflibV2QueryCounterInfo",
            Method::QueryCounterData => "PerflibV2QueryCounterData",
            Method::ValidateCounters => "PerflibV2ValidateCounters",
        }
    }

    /// The largest `dwInSize` that its declaration allows, `range(0, ...)` in appendix A: bytes, or GUIDs for
    /// [`Method::EnumerateCounterSet`]. 0 for methods without a buffer.
    pub const fn max_in_size(self) -> u32 {
        match self {
            Method::EnumerateCounterSet => 256,
            Method::QueryCounterSetRegistrationInfo => 134_217_728,
            Method::EnumerateCounterSetInstances | Method::QueryCounterInfo | Method::ValidateCounters => {
                67_108_864
            }
            Method::QueryCounterData => 1_073_741_824,
            Method::OpenQueryHandle | Method::CloseQueryHandle => 0,
        }
    }
}

/// Its name in the document.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The results of a method with a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The return code.
    pub return_code: ReturnCode,
    /// `*pdwOutSize`: the filled part of the buffer; in bytes, or in GUIDs for opnum 0.
    pub out_size: u32,
    /// `*pdwRtnSize`: the required size of the buffer, in the same unit.
    pub rtn_size: u32,
    /// `lpData`: the filled part of the buffer.
    pub data: Vec<u8>,
}

impl Reply {
    /// A failure that leaves sizes and buffer empty.
    pub fn failed(return_code: ReturnCode) -> Reply {
        Reply { return_code, ..Reply::default() }
    }
}

/// `RPC_HQUERY` (MS-PCQ 2.2.1): a context handle as marshalled by RPC: 20 bytes that only the server
/// understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueryHandle(pub [u8; 20]);

impl QueryHandle {
    /// No handle.
    pub const NULL: QueryHandle = QueryHandle([0; 20]);
}

/// RPC's level of protection of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuthenticationLevel(pub u32);

impl AuthenticationLevel {
    /// `RPC_C_AUTHN_LEVEL_NONE`: no protection.
    pub const NONE: AuthenticationLevel = AuthenticationLevel(1);
    /// `RPC_C_AUTHN_LEVEL_CONNECT`.
    pub const CONNECT: AuthenticationLevel = AuthenticationLevel(2);
    /// `RPC_C_AUTHN_LEVEL_CALL`.
    pub const CALL: AuthenticationLevel = AuthenticationLevel(3);
    /// `RPC_C_AUTHN_LEVEL_PKT`.
    pub const PKT: AuthenticationLevel = AuthenticationLevel(4);
    /// `RPC_C_AUTHN_LEVEL_PKT_INTEGRITY`.
    pub const PKT_INTEGRITY: AuthenticationLevel = AuthenticationLevel(5);
    /// `RPC_C_AUTHN_LEVEL_PKT_PRIVACY`: required by the methods.
    pub const PKT_PRIVACY: AuthenticationLevel = AuthenticationLevel(6);
}

/// A call without an answer from its method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RpcFault {
    /// A size outside the range of its declaration: the runtime rejects the call (MS-PCQ 3.1.4, strict NDR
    /// consistency).
    #[error("dwInSize of {method} is {found}: its declaration allows at most {max}")]
    OutOfRange {
        /// The method.
        method: Method,
        /// The given size.
        found: u64,
        /// The largest allowed.
        max: u32,
    },
    /// A handle that `PerflibV2OpenQueryHandle` didn't return, or that is closed: "an exception is thrown or an error is
    /// returned by RPC" (MS-PCQ 3.1.4.1.5 to 3.1.4.1.8).
    #[error("{method}: the handle is not one of an open query")]
    BadHandle {
        /// The method.
        method: Method,
    },
    /// The transport failed.
    #[error("{method}: {what}")]
    Transport {
        /// The method.
        method: Method,
        /// Its error.
        what: String,
    },
}
