//! The client side of an association.

use std::time::Duration;

use recount_bytes::ByteOrder;
use recount_pcq::conversation::AuthenticationLevel;

use super::channel::{Call, Channel, MAX_PDU, unprotect};
use super::pdu::Parts;
use super::security::Security;
use super::{
    Bind, BindAck, BindContext, BindNak, Fault, NDR, PacketType, Pdu, Response, RpcError, Syntax, Trailer,
    flag,
};
use crate::ntlm::{Initiator, signature, verify};
use crate::transport::Transport;
use crate::{Account, spnego};

/// The number of the only interface of our associations.
const CONTEXT: u16 = 0;
/// The number of their only security context.
const SECURITY_CONTEXT: u32 = 1;

/// How a client binds.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The interface to call.
    pub interface: Syntax,
    /// How calls are protected.
    pub level: AuthenticationLevel,
    /// Whether NTLM comes within SPNEGO, which takes another round trip. Servers accept it without.
    pub spnego: bool,
    /// Who calls; `None` only for [`AuthenticationLevel::NONE`].
    pub account: Option<Account>,
    /// How long binding or a call may take.
    pub timeout: Duration,
}

/// An association with a server, for one call at a time.
///
/// After an error that isn't a [`RpcError::Fault`] it can't be used any more: answers might be those of other calls.
pub struct RpcClient<T> {
    channel: Channel<T>,
    security: Option<Security>,
    timeout: Duration,
    last_call: u32,
    is_broken: bool,
}

impl<T: Transport> RpcClient<T> {
    /// Binds an interface over a connection, and authenticates.
    pub fn bind(transport: T, options: &ClientOptions) -> Result<RpcClient<T>, RpcError> {
        let mut client = RpcClient {
            channel: Channel::new(transport),
            security: None,
            timeout: options.timeout,
            last_call: 1,
            is_broken: false,
        };
        client.channel.set_deadline(options.timeout);
        let mut begun = match &options.account {
            Some(account) if options.level > AuthenticationLevel::NONE => Some(Initiator::new(account)?),
            _ => None,
        };
        let provider = if options.spnego { Trailer::SPNEGO } else { Trailer::NTLM };
        let trailer =
            Trailer { provider, level: options.level, len_padding: 0, context_id: SECURITY_CONTEXT };
        if let (true, Some((_, token))) = (options.spnego, &mut begun) {
            *token = spnego::init(token);
        }
        let bind = Bind {
            max_sent: MAX_PDU,
            max_received: MAX_PDU,
            group: 0,
            contexts: vec![BindContext { id: CONTEXT, interface: options.interface, transfers: vec![NDR] }],
        };
        client.send(
            PacketType::Bind,
            &bind.write(),
            begun.as_ref().map(|(_, token)| (trailer, &token[..])),
        )?;
        let answer = client.receive("binding")?;
        let ack = accepted(&answer, PacketType::BindAck)?;
        client.channel.set_max_sent(ack.max_received)?;
        if let Some((initiator, _)) = begun {
            if answer.trailer().is_none() {
                return Err(RpcError::Refused { what: "it doesn't authenticate".to_owned() });
            }
            // Who signed SPNEGO's list of mechanisms.
            let mut signed = (false, false);
            let ntlm = if options.spnego {
                let challenge = spnego::Response::parse(answer.token())?.challenge()?;
                let (ntlm, token) = initiator.finish(challenge)?;
                let token = spnego::response(&token, &signature(&ntlm, &spnego::mechanisms())?);
                client.send(PacketType::AlterContext, &bind.write(), Some((trailer, &token)))?;
                let answer = client.receive("binding")?;
                accepted(&answer, PacketType::AlterContextResponse)?;
                let last = spnego::Response::parse(answer.token())?;
                last.is_complete()?;
                if let Some(signature) = last.signature() {
                    verify(&ntlm, &spnego::mechanisms(), signature)?;
                }
                signed = (true, last.signature().is_some());
                ntlm
            } else {
                let (ntlm, token) = initiator.finish(answer.token())?;
                // Padding where other PDUs have lengths (MS-RPCE 2.2.2.10).
                client.send(PacketType::Auth3, &[0; 4], Some((trailer, &token)))?;
                ntlm
            };
            let mut security = Security::new(ntlm, trailer);
            security.count_signatures_of_mechanisms(signed.0, signed.1);
            client.security = Some(security);
        }
        Ok(client)
    }

    fn send(
        &mut self,
        kind: PacketType,
        body: &[u8],
        auth: Option<(Trailer, &[u8])>,
    ) -> Result<(), RpcError> {
        let flags = flag::FIRST | flag::LAST | flag::HEADER_SIGNING;
        self.channel.write(&Parts { kind, flags, call_id: self.last_call, body, auth }, "binding")
    }

    fn receive(&mut self, doing: &'static str) -> Result<Pdu, RpcError> {
        self.channel.read(doing, self.timeout)?.ok_or(RpcError::Closed { doing })
    }

    /// Calls a method with its parameters as NDR; returns its results, at most `max` bytes, and their byte
    /// order.
    pub fn call(&mut self, opnum: u16, stub: &[u8], max: usize) -> Result<(Vec<u8>, ByteOrder), RpcError> {
        if self.is_broken {
            return Err(RpcError::Closed { doing: "a call after a failed one" });
        }
        let answered = self.exchange(opnum, stub, max);
        self.is_broken = matches!(&answered, Err(error) if !matches!(error, RpcError::Fault { .. }));
        answered
    }

    fn exchange(&mut self, opnum: u16, stub: &[u8], max: usize) -> Result<(Vec<u8>, ByteOrder), RpcError> {
        self.last_call = self.last_call.wrapping_add(1);
        self.channel.set_deadline(self.timeout);
        let call = Call { kind: PacketType::Request, id: self.last_call, context_id: CONTEXT, opnum, stub };
        self.channel.write_call(&call, self.security.as_mut(), "sending a call")?;
        let mut answer = Vec::new();
        let mut is_first = true;
        loop {
            let mut pdu = self.receive("waiting for the answer")?;
            self.check_fragment(&pdu, is_first)?;
            unprotect(&mut pdu, self.security.as_mut())?;
            let response = Response::parse(&pdu)?;
            if response.context_id != CONTEXT {
                return Err(RpcError::malformed("response", 4, "interface 0", response.context_id));
            }
            if answer.len() + response.stub.len() > max {
                return Err(RpcError::TooLong { max });
            }
            answer.extend_from_slice(response.stub);
            if pdu.header().flags & flag::LAST != 0 {
                return Ok((answer, pdu.header().order));
            }
            is_first = false;
        }
    }

    /// Faults are unprotected: they only say that there is no answer, as a lost connection would, too.
    fn check_fragment(&self, pdu: &Pdu, is_first: bool) -> Result<(), RpcError> {
        let header = pdu.header();
        if header.call_id != self.last_call {
            let expected = format!("the answer to call {}", self.last_call);
            return Err(RpcError::malformed("PDU header", 12, expected, header.call_id));
        }
        match header.kind {
            PacketType::Fault => return Err(RpcError::Fault { status: Fault::parse(pdu)?.status }),
            PacketType::Response => {}
            other => return Err(RpcError::malformed("PDU header", 2, "a response", format!("{other:?}"))),
        }
        if is_first != (header.flags & flag::FIRST != 0) {
            let expected = if is_first { "the first fragment" } else { "a further fragment" };
            return Err(RpcError::malformed("PDU header", 3, expected, format!("{:#04x}", header.flags)));
        }
        Ok(())
    }
}

/// The answer to a bind, if the server accepts it.
fn accepted(answer: &Pdu, wanted: PacketType) -> Result<BindAck, RpcError> {
    match answer.header().kind {
        kind if kind == wanted => {}
        PacketType::BindNak => {
            return Err(RpcError::Refused { what: BindNak::parse(answer)?.text() });
        }
        PacketType::Fault => return Err(RpcError::Fault { status: Fault::parse(answer)?.status }),
        other => {
            return Err(RpcError::malformed("PDU header", 2, format!("a {wanted:?}"), format!("{other:?}")));
        }
    }
    let ack = BindAck::parse(answer)?;
    match ack.results.as_slice() {
        [result] if result.result == 0 && result.transfer == NDR => Ok(ack),
        [result] => Err(RpcError::Refused { what: result.text() }),
        other => Err(RpcError::malformed("bind_ack", 0, "one result", other.len())),
    }
}
