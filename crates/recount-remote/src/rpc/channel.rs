//! PDUs over a transport, and calls as fragments.

use std::time::Duration;

use super::body::call_body;
use super::pdu::Parts;
use super::security::{LEN_SIGNATURE, Security};
use super::{Header, PacketType, Pdu, RpcError, Trailer, flag};
use crate::transport::Transport;

/// The length of PDUs that both sides propose: that of Windows.
pub(crate) const MAX_PDU: u16 = 5840;
/// The shortest that a peer may insist on (C706 12.6.3.6).
const MIN_PDU: u16 = 1432;
/// What precedes the stub of a call.
const LEN_HEAD: usize = 24;

/// A connection on which PDUs are exchanged.
pub(crate) struct Channel<T> {
    transport: T,
    /// The longest PDU that the peer can receive.
    max_sent: u16,
}

/// A call to be sent, in one direction or the other.
pub(crate) struct Call<'a> {
    pub(crate) kind: PacketType,
    /// Its number on the connection.
    pub(crate) id: u32,
    pub(crate) context_id: u16,
    pub(crate) opnum: u16,
    pub(crate) stub: &'a [u8],
}

impl<T: Transport> Channel<T> {
    pub(crate) fn new(transport: T) -> Channel<T> {
        Channel { transport, max_sent: MIN_PDU }
    }

    /// Fails if the peer can't receive PDUs as long as every implementation must.
    pub(crate) fn set_max_sent(&mut self, max: u16) -> Result<(), RpcError> {
        if max < MIN_PDU {
            let expected = format!("at least {MIN_PDU}, for the longest PDU");
            return Err(RpcError::malformed("bind", 2, expected, max));
        }
        self.max_sent = max.min(MAX_PDU);
        Ok(())
    }

    pub(crate) fn set_deadline(&mut self, within: Duration) {
        self.transport.set_deadline(within);
    }

    /// Reads a PDU; `None` if the peer has closed the connection before it. From its first byte on, it has to be there
    /// `within` that time.
    pub(crate) fn read(&mut self, doing: &'static str, within: Duration) -> Result<Option<Pdu>, RpcError> {
        let mut head = [0; Header::LEN];
        let (first, rest) = head.split_at_mut(1);
        let len = self.transport.read(first).map_err(|source| RpcError::Io { doing, source })?;
        if len == 0 {
            return Ok(None);
        }
        self.set_deadline(within);
        self.fill(rest, doing)?;
        let header = Header::parse(&head)?;
        // A peer may not send longer ones than were agreed on: both sides propose this length.
        if header.len > MAX_PDU {
            let expected = format!("a length of at most {MAX_PDU}");
            return Err(RpcError::malformed("PDU header", 8, expected, header.len));
        }
        let mut bytes = vec![0; header.len.into()];
        let (copy, rest) = bytes.split_at_mut(Header::LEN);
        copy.copy_from_slice(&head);
        self.fill(rest, doing)?;
        Pdu::parse(bytes).map(Some)
    }

    fn fill(&mut self, mut rest: &mut [u8], doing: &'static str) -> Result<(), RpcError> {
        while !rest.is_empty() {
            match self.transport.read(rest) {
                Ok(0) => return Err(RpcError::Closed { doing }),
                Ok(len) => rest = rest.get_mut(len..).unwrap_or_default(),
                Err(source) => return Err(RpcError::Io { doing, source }),
            }
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, parts: &Parts<'_>, doing: &'static str) -> Result<(), RpcError> {
        let (bytes, _) = parts.assemble()?;
        self.transport.write_all(&bytes).map_err(|source| RpcError::Io { doing, source })
    }

    /// Sends a call in as many fragments as it needs, each of them protected.
    pub(crate) fn write_call(
        &mut self,
        call: &Call<'_>,
        mut security: Option<&mut Security>,
        doing: &'static str,
    ) -> Result<(), RpcError> {
        let len_auth = Trailer::LEN + LEN_SIGNATURE;
        let len_fragment = usize::from(self.max_sent) - LEN_HEAD - len_auth;
        let len_fragment = len_fragment - len_fragment % Trailer::ALIGNMENT;
        let mut rest = call.stub;
        let mut flags = flag::FIRST;
        loop {
            let (stub, behind) = rest.split_at(rest.len().min(len_fragment));
            if behind.is_empty() {
                flags |= flag::LAST;
            }
            let body = call_body(rest.len(), call.context_id, call.opnum, stub);
            let security = security.as_deref_mut().filter(|security| security.signs());
            let auth = security.as_ref().map(|security| (security.trailer(), &[0; LEN_SIGNATURE][..]));
            let parts = Parts { kind: call.kind, flags, call_id: call.id, body: &body, auth };
            let (mut bytes, ofs_trailer) = parts.assemble()?;
            if let Some(security) = security {
                security.protect(&mut bytes, LEN_HEAD..ofs_trailer)?;
            }
            self.transport.write_all(&bytes).map_err(|source| RpcError::Io { doing, source })?;
            if behind.is_empty() {
                return Ok(());
            }
            (rest, flags) = (behind, 0);
        }
    }
}

/// Checks and removes the protection of a fragment.
///
/// Fails if it lacks the protection that was negotiated.
pub(crate) fn unprotect(pdu: &mut Pdu, security: Option<&mut Security>) -> Result<(), RpcError> {
    let Some(security) = security.filter(|security| security.signs()) else { return Ok(()) };
    let wrong = |what: &str| Err(RpcError::Security { what: format!("unsealing a call: {what}") });
    let trailer = security.trailer();
    match pdu.trailer() {
        None => return wrong("it is not protected"),
        Some(found) if found.provider != trailer.provider || found.level != trailer.level => {
            return wrong("its protection is not what was negotiated");
        }
        Some(found) if found.context_id != trailer.context_id => {
            return wrong("its security context is another");
        }
        Some(_) => {}
    }
    let sealed = pdu.sealed();
    if pdu.token().len() != LEN_SIGNATURE {
        return wrong("its signature is not of 16 bytes");
    }
    security.unprotect(pdu.bytes_mut(), sealed)
}
