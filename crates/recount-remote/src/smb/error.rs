//! Why a pipe can't be opened, or doesn't answer.

use std::io;

/// What precedes every message over TCP. If it isn't there, the other side doesn't speak SMB.
pub(crate) const TRANSPORT_HEADER: &str = "SMB transport header";

/// A failure of an SMB connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SmbError {
    /// The connection failed.
    #[error("{doing}: {source}")]
    Io {
        /// The message that was under way.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The server closed the connection.
    #[error("{doing}: the server closed the connection")]
    Closed {
        /// The message that was under way.
        doing: &'static str,
    },
    /// Bytes that MS-SMB2 doesn't allow.
    #[error("{structure} at byte {ofs}: expected {expected}, found {found}")]
    Malformed {
        /// The structure.
        structure: &'static str,
        /// Offset in the message.
        ofs: usize,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The server refused a request.
    #[error("{doing}: the server answered {status:#010x} ({})", status::text(*status))]
    Status {
        /// The request.
        doing: &'static str,
        /// Its status ([`status`]).
        status: u32,
    },
    /// Authentication or protection failed.
    #[error("{what}")]
    Security {
        /// How.
        what: String,
    },
}

impl SmbError {
    #[expect(clippy::needless_pass_by_value, reason = "callers pass numbers and texts of their own")]
    pub(crate) fn malformed(
        structure: &'static str,
        ofs: usize,
        expected: impl Into<String>,
        found: impl ToString,
    ) -> SmbError {
        SmbError::Malformed { structure, ofs, expected: expected.into(), found: found.to_string() }
    }

    pub(crate) fn security(what: impl Into<String>) -> SmbError {
        SmbError::Security { what: what.into() }
    }
}

impl From<crate::ntlm::NtlmError> for SmbError {
    fn from(error: crate::ntlm::NtlmError) -> SmbError {
        SmbError::security(error.to_string())
    }
}

impl From<crate::spnego::SpnegoError> for SmbError {
    fn from(error: crate::spnego::SpnegoError) -> SmbError {
        SmbError::security(error.to_string())
    }
}

/// Transports only know errors of the system; a timeout has to remain one.
impl From<SmbError> for io::Error {
    fn from(error: SmbError) -> io::Error {
        match error {
            SmbError::Io { source, .. } => source,
            other => io::Error::other(other),
        }
    }
}

/// Status codes (MS-ERREF 2.3.1).
pub mod status {
    /// `STATUS_SUCCESS`.
    pub const SUCCESS: u32 = 0;
    /// `STATUS_PENDING`: the answer comes later.
    pub const PENDING: u32 = 0x0000_0103;
    /// `STATUS_BUFFER_OVERFLOW`: there is more of the pipe's message.
    pub const BUFFER_OVERFLOW: u32 = 0x8000_0005;
    /// `STATUS_MORE_PROCESSING_REQUIRED`: authentication isn't complete.
    pub const MORE_PROCESSING: u32 = 0xC000_0016;
    /// `STATUS_INVALID_PARAMETER`.
    pub const INVALID_PARAMETER: u32 = 0xC000_000D;
    /// `STATUS_INVALID_DEVICE_REQUEST`.
    pub const INVALID_DEVICE_REQUEST: u32 = 0xC000_0010;
    /// `STATUS_END_OF_FILE`.
    pub const END_OF_FILE: u32 = 0xC000_0011;
    /// `STATUS_ACCESS_DENIED`.
    pub const ACCESS_DENIED: u32 = 0xC000_0022;
    /// `STATUS_OBJECT_NAME_NOT_FOUND`: no such pipe, or its service isn't running yet.
    pub const NAME_NOT_FOUND: u32 = 0xC000_0034;
    /// `STATUS_LOGON_FAILURE`.
    pub const LOGON_FAILURE: u32 = 0xC000_006D;
    /// `STATUS_ACCOUNT_RESTRICTION`.
    pub const ACCOUNT_RESTRICTION: u32 = 0xC000_006E;
    /// `STATUS_PASSWORD_EXPIRED`.
    pub const PASSWORD_EXPIRED: u32 = 0xC000_0071;
    /// `STATUS_ACCOUNT_DISABLED`.
    pub const ACCOUNT_DISABLED: u32 = 0xC000_0072;
    /// `STATUS_PIPE_NOT_AVAILABLE`: the pipe's service has no instance free, or is starting.
    pub const PIPE_NOT_AVAILABLE: u32 = 0xC000_00AC;
    /// `STATUS_PIPE_DISCONNECTED`.
    pub const PIPE_DISCONNECTED: u32 = 0xC000_00B0;
    /// `STATUS_NOT_SUPPORTED`.
    pub const NOT_SUPPORTED: u32 = 0xC000_00BB;
    /// `STATUS_BAD_NETWORK_NAME`.
    pub const BAD_NETWORK_NAME: u32 = 0xC000_00CC;
    /// `STATUS_FILE_CLOSED`.
    pub const FILE_CLOSED: u32 = 0xC000_0128;
    /// `STATUS_PIPE_BROKEN`.
    pub const PIPE_BROKEN: u32 = 0xC000_014B;
    /// `STATUS_USER_SESSION_DELETED`.
    pub const SESSION_DELETED: u32 = 0xC000_0203;
    /// `STATUS_ACCOUNT_LOCKED_OUT`.
    pub const ACCOUNT_LOCKED_OUT: u32 = 0xC000_0234;

    /// A status in words.
    pub const fn text(status: u32) -> &'static str {
        match status {
            INVALID_PARAMETER => "a parameter that it doesn't accept",
            ACCESS_DENIED => "access denied: a user who may not do this",
            NAME_NOT_FOUND => "no such pipe: is its service, Remote Registry, running?",
            LOGON_FAILURE => "wrong user or password",
            ACCOUNT_RESTRICTION => "the account may not log on like this",
            PASSWORD_EXPIRED => "the password has expired",
            ACCOUNT_DISABLED => "the account is disabled",
            PIPE_NOT_AVAILABLE => "the pipe is not available: is its service, Remote Registry, running?",
            NOT_SUPPORTED => "not supported; perhaps it shares no dialect with us",
            BAD_NETWORK_NAME => "no such share",
            SESSION_DELETED => "the session has ended",
            ACCOUNT_LOCKED_OUT => "the account is locked",
            _ => "a code without a name here",
        }
    }
}
