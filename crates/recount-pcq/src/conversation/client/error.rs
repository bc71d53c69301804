//! Errors on the client's side.

use recount_bytes::FormatError;

use crate::ReturnCode;
use crate::conversation::{HANDLE_EOF, Method, READ_FAULT, RpcFault};

/// Why there is no usable answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The call didn't reach its method, or its answer was lost.
    #[error(transparent)]
    Rpc(#[from] RpcFault),
    /// The server's method failed.
    #[error("{method} returned {}", words(*code))]
    Returned {
        /// The method.
        method: Method,
        /// Its return code.
        code: ReturnCode,
    },
    /// The answer's buffer violates the document. Offsets count from the start of the buffer.
    #[error("answer of {method}: {source}")]
    Answer {
        /// The method.
        method: Method,
        /// The fault and its place.
        source: FormatError,
    },
    /// The answer contradicts the request, or itself.
    #[error("answer of {method}: {field}: expected {expected}, found {found}")]
    Contradiction {
        /// The method.
        method: Method,
        /// The field or parameter.
        field: &'static str,
        /// What follows from the request.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The server requires a larger buffer than allowed.
    #[error("{method} needs a buffer of {needed}; it may be {max} at most")]
    TooLarge {
        /// The method.
        method: Method,
        /// `*pdwRtnSize`, in bytes, or in GUIDs for `PerflibV2EnumerateCounterSet`.
        needed: u32,
        /// The largest that the declaration and this client allow.
        max: u32,
    },
    /// The server found every buffer too small, although it was enlarged repeatedly.
    #[error("{method} found {num_attempts} buffers too small, the last of {last}")]
    NeverEnough {
        /// The method.
        method: Method,
        /// Number of attempts.
        num_attempts: u32,
        /// Size of the last buffer.
        last: u32,
    },
    /// The client has no open query with this number.
    #[error("there is no open query {query}")]
    NoQuery {
        /// The number.
        query: u32,
    },
    /// The server accepted none of the counters to be sampled.
    #[error("{what}")]
    NothingAdded {
        /// The first refused counterset, and why.
        what: String,
    },
}

impl ClientError {
    /// Whether the server has no more samples because it plays back a recording.
    pub fn is_end(&self) -> bool {
        matches!(self, ClientError::Returned { code: HANDLE_EOF, .. })
    }

    /// The method that was called; `None` if none was.
    pub fn method(&self) -> Option<Method> {
        match self {
            ClientError::Rpc(
                RpcFault::OutOfRange { method, .. }
                | RpcFault::BadHandle { method }
                | RpcFault::Transport { method, .. },
            )
            | ClientError::Returned { method, .. }
            | ClientError::Answer { method, .. }
            | ClientError::Contradiction { method, .. }
            | ClientError::TooLarge { method, .. }
            | ClientError::NeverEnough { method, .. } => Some(*method),
            ClientError::NothingAdded { .. } => Some(Method::ValidateCounters),
            ClientError::NoQuery { .. } => None,
        }
    }
}

/// A return code, with what it means if its name isn't in the document.
pub(in crate::conversation) fn words(code: ReturnCode) -> String {
    match code {
        READ_FAULT => "ERROR_READ_FAULT: the values can't be read now".to_owned(),
        HANDLE_EOF => "ERROR_HANDLE_EOF: there are no more samples".to_owned(),
        other => other.to_string(),
    }
}
