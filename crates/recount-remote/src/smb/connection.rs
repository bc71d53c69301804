//! Requests and answers over a connection (MS-SMB2 2.1, 3.2.4.1, 3.2.5.1).

use std::time::Duration;

use super::SmbError;
use super::cipher;
use super::error::{TRANSPORT_HEADER, status};
use super::header::{Command, Header, RequestHeader};
use super::keys::{Keys, Preauth};
use super::negotiate::Dialect;
use crate::transport::Transport;

/// The longest message taken: more than an answer of the longest read that we ask for.
const MAX_MESSAGE: usize = 128 << 10;

/// A connection, from its first message on.
pub(super) struct Connection<T> {
    transport: T,
    /// `None` until the server has chosen.
    dialect: Option<Dialect>,
    next_id: u64,
    /// How many requests the server still allows.
    credits: u32,
    pub(super) session_id: u64,
    pub(super) tree_id: u32,
    pub(super) preauth: Preauth,
    keys: Option<Keys>,
}

/// An answer, its protection checked and removed.
pub(super) struct Answer {
    pub(super) header: Header,
    /// The whole message.
    pub(super) bytes: Vec<u8>,
}

impl<T: Transport> Connection<T> {
    pub(super) fn new(transport: T) -> Connection<T> {
        Connection {
            transport,
            dialect: None,
            next_id: 0,
            credits: 1,
            session_id: 0,
            tree_id: 0,
            preauth: Preauth::new(),
            keys: None,
        }
    }

    pub(super) fn set_deadline(&mut self, within: Duration) {
        self.transport.set_deadline(within);
    }

    pub(super) fn set_dialect(&mut self, dialect: Dialect) {
        self.dialect = Some(dialect);
    }

    /// From now on everything is protected. `last` is the answer that ended authentication, whose signature is the first.
    pub(super) fn protect(&mut self, keys: Keys, last: &Answer) -> Result<(), SmbError> {
        // Before 3.0 a server only signs it if one side insisted on signing.
        let must_sign = self.dialect.is_some_and(Dialect::encrypts);
        if (must_sign || last.header.is_signed()) && !keys.signer.is_right(&last.bytes) {
            return Err(SmbError::security(
                "the server doesn't have the session's key: its signature is wrong",
            ));
        }
        self.keys = Some(keys);
        Ok(())
    }

    /// Sends a request and returns its answer, if its status is one of `allowed`.
    pub(super) fn call(
        &mut self,
        command: Command,
        body: &[u8],
        allowed: &[u32],
    ) -> Result<Answer, SmbError> {
        let message_id = self.send(command, body)?;
        loop {
            let answer = self.receive(command)?;
            let header = &answer.header;
            if header.message_id != message_id {
                let expected = format!("the answer to message {message_id}");
                return Err(SmbError::malformed("SMB header", 24, expected, header.message_id));
            }
            if header.command != command as u16 {
                let expected = format!("an answer to {}", command.name());
                return Err(SmbError::malformed("SMB header", 12, expected, header.command));
            }
            self.credits += u32::from(header.credits);
            match header.status {
                status::PENDING if header.is_async() => {}
                status if allowed.contains(&status) => return Ok(answer),
                status => return Err(SmbError::Status { doing: command.name(), status }),
            }
        }
    }

    fn send(&mut self, command: Command, body: &[u8]) -> Result<u64, SmbError> {
        if self.credits == 0 {
            let found = "an answer without credits";
            return Err(SmbError::malformed("SMB header", 14, "credits for another request", found));
        }
        self.credits -= 1;
        let header = RequestHeader {
            command,
            credit_charge: u16::from(self.dialect.is_some_and(|dialect| dialect > Dialect::V202)),
            message_id: self.next_id,
            tree_id: self.tree_id,
            session_id: self.session_id,
        };
        self.next_id += 1;
        let mut message = header.message(body);
        match &mut self.keys {
            Some(Keys { sealer: Some(sealer), .. }) => message = sealer.seal(self.session_id, &message)?,
            Some(keys) => keys.signer.sign(&mut message),
            None => self.preauth.add(&message),
        }
        // Direct TCP: a zero and the length in three bytes.
        let mut frame = (message.len() as u32).to_be_bytes().to_vec();
        frame.append(&mut message);
        self.transport.write_all(&frame).map_err(|source| SmbError::Io { doing: command.name(), source })?;
        Ok(header.message_id)
    }

    fn receive(&mut self, command: Command) -> Result<Answer, SmbError> {
        let mut head = [0; 4];
        self.fill(&mut head, command)?;
        let len = u32::from_be_bytes(head) as usize;
        if !(Header::LEN..=MAX_MESSAGE).contains(&len) {
            let expected = format!("a message of {} to {MAX_MESSAGE} bytes", Header::LEN);
            return Err(SmbError::malformed(TRANSPORT_HEADER, 0, expected, len));
        }
        let mut bytes = vec![0; len];
        self.fill(&mut bytes, command)?;
        let is_sealed = bytes.starts_with(&cipher::MAGIC);
        match &self.keys {
            Some(Keys { sealer: Some(sealer), .. }) => {
                if !is_sealed {
                    return Err(SmbError::security("an answer isn't encrypted, though the session is"));
                }
                bytes = sealer.open(self.session_id, &mut bytes)?;
            }
            _ if is_sealed => {
                return Err(SmbError::security("an answer is encrypted before there are keys"));
            }
            _ => {}
        }
        let header = Header::parse(&bytes)?;
        match &self.keys {
            Some(Keys { sealer: None, signer }) => {
                // An answer that says "later" has nothing to sign.
                let is_later = header.status == status::PENDING && header.is_async();
                let is_right = header.is_signed() && signer.is_right(&bytes);
                if !is_later && !is_right {
                    return Err(SmbError::security("an answer isn't signed with the session's key"));
                }
            }
            Some(_) => {}
            None if header.command == Command::SessionSetup as u16 && header.status == status::SUCCESS => {}
            None => self.preauth.add(&bytes),
        }
        Ok(Answer { header, bytes })
    }

    fn fill(&mut self, mut rest: &mut [u8], command: Command) -> Result<(), SmbError> {
        let doing = command.name();
        while !rest.is_empty() {
            match self.transport.read(rest) {
                Ok(0) => return Err(SmbError::Closed { doing }),
                Ok(len) => rest = rest.get_mut(len..).unwrap_or_default(),
                Err(source) => return Err(SmbError::Io { doing, source }),
            }
        }
        Ok(())
    }
}
