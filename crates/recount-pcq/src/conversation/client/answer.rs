//! Received answers.

use std::fmt::Display;

use recount_bytes::FormatError;

use super::ClientError;
use crate::conversation::Method;
use crate::{Message, MessageHeader, ReturnCode};

/// An answer together with its request, as the bytes of a message (`formats/ms-pcq.md#messages`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    method: Method,
    header: MessageHeader,
    bytes: Vec<u8>,
}

impl Answer {
    pub(super) fn new(method: Method, header: MessageHeader, buffer: &[u8]) -> Answer {
        let header = MessageHeader { opnum: method.opnum(), ..header };
        let mut bytes = Vec::new();
        Message { header, buffer }.write(&mut bytes);
        Answer { method, header, bytes }
    }

    /// The message: for a log or a stream.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The message: for a log or a stream.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The parsed message.
    pub fn message(&self) -> Message<'_> {
        Message { header: self.header, buffer: self.buffer() }
    }

    /// `lpData`: empty if the method failed.
    pub fn buffer(&self) -> &[u8] {
        self.bytes.get(Message::LEN_HEADER..).unwrap_or_default()
    }

    /// The method's return code.
    pub fn return_code(&self) -> ReturnCode {
        self.header.return_code
    }

    /// The buffer, read by one of the parsers of this crate.
    ///
    /// Fails if the method did, or if the parser does.
    pub fn read<'a, V>(
        &'a self,
        parse: impl FnOnce(&'a [u8], u64) -> Result<V, FormatError>,
    ) -> Result<V, ClientError> {
        let method = self.method;
        match self.header.return_code {
            ReturnCode::SUCCESS => {
                parse(self.buffer(), 0).map_err(|source| ClientError::Answer { method, source })
            }
            code => Err(ClientError::Returned { method, code }),
        }
    }

    /// An error: the answer contradicts the request.
    pub(super) fn contradiction(
        &self,
        field: &'static str,
        expected: &dyn Display,
        found: &dyn Display,
    ) -> ClientError {
        ClientError::Contradiction {
            method: self.method,
            field,
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}
