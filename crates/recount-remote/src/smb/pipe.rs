//! A pipe of a server, as a transport.

use std::io;
use std::thread::sleep;
use std::time::Duration;

use super::SmbError;
use super::connection::Connection;
use super::create::{CreateResponse, create_request};
use super::error::status;
use super::header::Command;
use super::keys::Keys;
use super::negotiate::{Dialect, NegotiateResponse, Offer};
use super::read_write::{
    IoctlResponse, ReadResponse, TRANSCEIVE, VALIDATE, ioctl_request, read_request, write_request, written,
};
use super::session::{SessionResponse, TreeResponse, session_request, tree_request};
use crate::ntlm::{Initiator, session_key, signature};
use crate::transport::Transport;
use crate::{Account, spnego};

/// The server of the pipe, and the account that opens it.
#[derive(Clone, Copy, Debug)]
pub struct SmbServer<'a> {
    /// The server's name, as shares are addressed.
    pub name: &'a str,
    /// The pipe, without `\PIPE\`.
    pub pipe: &'a str,
    /// Who opens it.
    pub account: &'a Account,
}

/// An open pipe.
///
/// A write is sent together with the next read, in one request; if another write follows first, it is sent
/// separately.
pub struct SmbPipe<T> {
    connection: Connection<T>,
    file: [u8; 16],
    unsent: Vec<u8>,
    received: Vec<u8>,
    /// How much of it was read.
    num_read: usize,
}

/// How much is read at a time: more than a PDU.
const LEN_READ: u32 = 16 << 10;
/// Windows starts the service of a pipe on the first request, which fails.
const WAITS: [Duration; 3] =
    [Duration::from_millis(300), Duration::from_millis(600), Duration::from_millis(1_200)];

impl<T: Transport> SmbPipe<T> {
    /// Opens a pipe over a connection to port 445, whose deadline is set.
    pub fn open(transport: T, server: &SmbServer<'_>) -> Result<SmbPipe<T>, SmbError> {
        let mut connection = Connection::new(transport);
        let offer = Offer { client: random()?, salt: random()? };
        let chosen = negotiate(&mut connection, &offer)?;
        authenticate(&mut connection, server.account, &chosen)?;
        let path = format!(r"\\{}\IPC$", server.name);
        let answer = connection.call(Command::TreeConnect, &tree_request(&path), &[status::SUCCESS])?;
        connection.tree_id = answer.header.tree_id;
        if TreeResponse::parse(&answer.bytes)?.must_encrypt() && chosen.cipher.is_none() {
            return Err(cannot_encrypt());
        }
        validate(&mut connection, &offer, &chosen)?;
        let file = open_file(&mut connection, server.pipe)?;
        Ok(SmbPipe { connection, file, unsent: Vec::new(), received: Vec::new(), num_read: 0 })
    }

    fn flush(&mut self) -> Result<(), SmbError> {
        if self.unsent.is_empty() {
            return Ok(());
        }
        let body = write_request(&self.file, &self.unsent);
        let answer = self.connection.call(Command::Write, &body, &[status::SUCCESS])?;
        match written(&answer.bytes)? as usize {
            len if len == self.unsent.len() => self.unsent.clear(),
            len => {
                let expected = format!("{} bytes written", self.unsent.len());
                return Err(SmbError::malformed(Command::Write.name(), 68, expected, len));
            }
        }
        Ok(())
    }

    /// Reads the next data from the pipe; none once it is closed.
    fn receive(&mut self) -> Result<(), SmbError> {
        const ANSWERS: [u32; 6] = [
            status::SUCCESS,
            status::BUFFER_OVERFLOW,
            status::END_OF_FILE,
            status::PIPE_BROKEN,
            status::PIPE_DISCONNECTED,
            status::FILE_CLOSED,
        ];
        self.received.clear();
        self.num_read = 0;
        let (command, body) = if self.unsent.is_empty() {
            (Command::Read, read_request(&self.file, LEN_READ))
        } else {
            (Command::Ioctl, ioctl_request(&self.file, TRANSCEIVE, &self.unsent, LEN_READ))
        };
        self.unsent.clear();
        let answer = self.connection.call(command, &body, &ANSWERS)?;
        if !matches!(answer.header.status, status::SUCCESS | status::BUFFER_OVERFLOW) {
            return Ok(());
        }
        let data = if command == Command::Read {
            ReadResponse::parse(&answer.bytes)?.data
        } else {
            IoctlResponse::parse(&answer.bytes)?.output
        };
        self.received.extend_from_slice(data);
        Ok(())
    }
}

impl<T: Transport> Transport for SmbPipe<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.num_read >= self.received.len() {
            self.receive()?;
        }
        let ready = self.received.get(self.num_read..).unwrap_or_default();
        let len = ready.len().min(buffer.len());
        buffer[..len].copy_from_slice(&ready[..len]);
        self.num_read += len;
        Ok(len)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.unsent.extend_from_slice(bytes);
        Ok(())
    }

    fn set_deadline(&mut self, within: Duration) {
        self.connection.set_deadline(within);
    }
}

fn random<const N: usize>() -> Result<[u8; N], SmbError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| SmbError::security(format!("random numbers: {error}")))?;
    Ok(bytes)
}

fn cannot_encrypt() -> SmbError {
    SmbError::security("the server demands encryption, and has no cipher that we know")
}

fn negotiate<T: Transport>(
    connection: &mut Connection<T>,
    offer: &Offer,
) -> Result<NegotiateResponse, SmbError> {
    let answer = connection.call(Command::Negotiate, &offer.write(), &[status::SUCCESS])?;
    let chosen = NegotiateResponse::parse(&answer.bytes)?;
    connection.set_dialect(chosen.dialect);
    Ok(chosen)
}

fn authenticate<T: Transport>(
    connection: &mut Connection<T>,
    account: &Account,
    chosen: &NegotiateResponse,
) -> Result<(), SmbError> {
    let (initiator, first) = Initiator::new(account)?;
    let body = session_request(&spnego::init(&first));
    let answer = connection.call(Command::SessionSetup, &body, &[status::MORE_PROCESSING])?;
    connection.session_id = answer.header.session_id;
    let challenge = spnego::Response::parse(SessionResponse::parse(&answer.bytes)?.token)?.challenge()?;
    let (ntlm, last) = initiator.finish(challenge)?;
    let body = session_request(&spnego::response(&last, &signature(&ntlm, &spnego::mechanisms())?));
    let answer = connection.call(Command::SessionSetup, &body, &[status::SUCCESS])?;
    let session = SessionResponse::parse(&answer.bytes)?;
    if session.is_guest() {
        return Err(SmbError::security("the server took the user for a guest: wrong user or password"));
    }
    if session.must_encrypt() && chosen.cipher.is_none() {
        return Err(cannot_encrypt());
    }
    let keys = Keys::derive(&session_key(&ntlm)?, chosen.dialect, chosen.cipher, &connection.preauth);
    connection.protect(keys, &answer)
}

/// Asks a server of an older dialect, in a protected message, to confirm its choice: a man in the middle could have
/// weakened it (3.2.5.5). 3.1.1 uses its hash for this.
fn validate<T: Transport>(
    connection: &mut Connection<T>,
    offer: &Offer,
    chosen: &NegotiateResponse,
) -> Result<(), SmbError> {
    /// Answers of servers that don't know this request.
    const UNKNOWN: [u32; 4] = [
        status::INVALID_DEVICE_REQUEST,
        status::NOT_SUPPORTED,
        status::FILE_CLOSED,
        status::INVALID_PARAMETER,
    ];
    if chosen.dialect == Dialect::V311 {
        return Ok(());
    }
    let body = ioctl_request(&[0xFF; 16], VALIDATE, &offer.validation(), 24);
    let allowed = [&[status::SUCCESS][..], &UNKNOWN].concat();
    let answer = connection.call(Command::Ioctl, &body, &allowed)?;
    let is_known = answer.header.status == status::SUCCESS;
    if is_known && !chosen.is_confirmed_by(IoctlResponse::parse(&answer.bytes)?.output) {
        return Err(SmbError::security("the server has chosen something else than what reached us"));
    }
    Ok(())
}

fn open_file<T: Transport>(connection: &mut Connection<T>, pipe: &str) -> Result<[u8; 16], SmbError> {
    let body = create_request(pipe);
    let mut waits = WAITS.into_iter();
    loop {
        match connection.call(Command::Create, &body, &[status::SUCCESS]) {
            Ok(answer) => return Ok(CreateResponse::parse(&answer.bytes)?.file),
            Err(
                error @ SmbError::Status {
                    status: status::PIPE_NOT_AVAILABLE | status::NAME_NOT_FOUND, ..
                },
            ) => sleep(waits.next().ok_or(error)?),
            Err(error) => return Err(error),
        }
    }
}
