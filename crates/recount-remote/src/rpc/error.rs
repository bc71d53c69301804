//! Why a call has no answer.

use std::io;

/// A failure of a connection or of a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RpcError {
    /// The connection failed.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The peer closed the connection.
    #[error("{doing}: the other side closed the connection")]
    Closed {
        /// What was being done.
        doing: &'static str,
    },
    /// Bytes that the protocol doesn't allow.
    #[error("{structure} at byte {ofs}: expected {expected}, found {found}")]
    Malformed {
        /// The structure.
        structure: &'static str,
        /// Offset in it.
        ofs: usize,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// More data than was asked for.
    #[error("the call has more than {max} bytes; no more were asked for")]
    TooLong {
        /// The limit.
        max: usize,
    },
    /// The server doesn't accept the binding.
    #[error("the server refused the binding: {what}")]
    Refused {
        /// Its reason.
        what: String,
    },
    /// Authentication or protection failed.
    #[error("{what}")]
    Security {
        /// How.
        what: String,
    },
    /// The server answered with a fault: the method was not executed, or not to its end.
    #[error("the server answered with fault {status:#010x} ({})", fault::text(*status))]
    Fault {
        /// Its status ([`fault`]).
        status: u32,
    },
}

impl From<crate::ntlm::NtlmError> for RpcError {
    fn from(error: crate::ntlm::NtlmError) -> RpcError {
        RpcError::Security { what: error.to_string() }
    }
}

impl From<crate::spnego::SpnegoError> for RpcError {
    fn from(error: crate::spnego::SpnegoError) -> RpcError {
        RpcError::Security { what: error.to_string() }
    }
}

impl RpcError {
    #[expect(clippy::needless_pass_by_value, reason = "callers pass numbers and texts of their own")]
    pub(crate) fn malformed(
        structure: &'static str,
        ofs: usize,
        expected: impl Into<String>,
        found: impl ToString,
    ) -> RpcError {
        RpcError::Malformed { structure, ofs, expected: expected.into(), found: found.to_string() }
    }
}

/// Status codes of faults (C706 appendix E, MS-RPCE 2.2.2).
pub mod fault {
    /// `ERROR_ACCESS_DENIED`: the client isn't authenticated.
    pub const ACCESS_DENIED: u32 = 0x5;
    /// `RPC_X_BAD_STUB_DATA`: parameters that contradict the interface.
    pub const BAD_STUB_DATA: u32 = 0x6F7;
    /// `RPC_S_SERVER_TOO_BUSY`
    pub const TOO_BUSY: u32 = 0x6BB;
    /// `RPC_S_SEC_PKG_ERROR`: the protection of a call isn't what was negotiated.
    pub const SEC_PKG_ERROR: u32 = 0x721;
    /// `nca_s_fault_context_mismatch`: a context handle that the server doesn't know.
    pub const CONTEXT_MISMATCH: u32 = 0x1C00_001A;
    /// `nca_s_op_rng_error`: the interface has no such operation.
    pub const OP_RANGE: u32 = 0x1C01_0002;
    /// `nca_s_unk_if`: no such interface was bound.
    pub const UNKNOWN_INTERFACE: u32 = 0x1C01_0003;
    /// `nca_s_proto_error`.
    pub const PROTOCOL: u32 = 0x1C01_000B;
    /// `nca_s_fault_remote_no_memory`.
    pub const NO_MEMORY: u32 = 0x1C00_001B;

    /// A status in words.
    pub const fn text(status: u32) -> &'static str {
        match status {
            ACCESS_DENIED => "access denied: wrong user or password, or a user who may not read counters",
            BAD_STUB_DATA => "the parameters contradict the interface",
            TOO_BUSY => "the server has as many connections as it allows",
            SEC_PKG_ERROR => "the protection of the call is not what was negotiated",
            CONTEXT_MISMATCH => "the server doesn't know the handle",
            OP_RANGE => "the interface has no such operation",
            UNKNOWN_INTERFACE => "the server doesn't offer the interface",
            PROTOCOL => "a violation of the protocol",
            NO_MEMORY => "the server has no memory for it",
            _ => "a code without a name here",
        }
    }
}
