//! The server side of an association.

use std::collections::BTreeMap;
use std::time::Duration;

use recount_bytes::ByteOrder;
use recount_pcq::conversation::AuthenticationLevel;

use super::authentication::Authentication;
use super::body::Fault;
use super::channel::{Call, Channel, MAX_PDU};
use super::pdu::Parts;
use super::verification::{self, CallHeads};
use super::{
    Bind, BindAck, BindNak, ContextResult, NDR, PacketType, Pdu, Request, RpcError, Syntax, fault, flag,
};
use crate::Account;
use crate::transport::Transport;

/// What is called.
pub trait Interface {
    /// Its UUID and version.
    fn syntax(&self) -> Syntax;

    /// Calls a method: results as NDR, or the status of a [`fault`].
    fn call(&mut self, call: &Called<'_>) -> Result<Vec<u8>, u32>;
}

/// A received call.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// Number of the method.
    pub opnum: u16,
    /// The parameters as NDR.
    pub stub: &'a [u8],
    /// Their byte order.
    pub order: ByteOrder,
    /// How the call was protected.
    pub level: AuthenticationLevel,
    /// Whether the transport knows the client to be that of the account ([`ServerOptions::is_known`]).
    pub is_known: bool,
}

/// Limits of a connection.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Who may call.
    pub account: Account,
    /// Whether the transport has authenticated the client as that user, and protects what it carries as it is meant to be.
    pub is_known: bool,
    /// The longest parameters, in bytes. Clients without packet privacy that aren't known may send at most 64 KiB.
    pub max_request: usize,
    /// How long a message may take, and authentication from one to the next.
    pub timeout: Duration,
    /// How long an authenticated client may say nothing.
    pub idle: Duration,
    /// The address given in bindings: the port.
    pub address: String,
}

/// The longest parameters of a client that no method will serve.
const MAX_UNPROTECTED: usize = 64 << 10;

/// Serves one connection until the client closes it: calls of the given interfaces.
///
/// Fails if the connection does, or if the client violates the protocol, which a fault reports to it.
pub fn serve_connection<T: Transport>(
    transport: T,
    interfaces: &mut [&mut dyn Interface],
    options: &ServerOptions,
) -> Result<(), RpcError> {
    let mut connection = Connection {
        channel: Channel::new(transport),
        options,
        syntaxes: interfaces.iter().map(|interface| interface.syntax()).collect(),
        contexts: BTreeMap::new(),
        auth: Authentication::default(),
        is_bound: false,
        last_call: 0,
        request: None,
    };
    let result = connection.run(interfaces);
    if let Err(error) = &result {
        connection.send_fault_of(error);
    }
    result
}

/// Refuses a connection because there are too many: the answer to its bind says so.
pub fn refuse_connection<T: Transport>(transport: T, within: Duration) -> Result<(), RpcError> {
    let mut channel = Channel::new(transport);
    channel.set_deadline(within);
    let Some(pdu) = channel.read("waiting for a bind", within)? else { return Ok(()) };
    let flags = flag::FIRST | flag::LAST;
    let body = BindNak::LOCAL_LIMIT.write();
    let call_id = pdu.header().call_id;
    channel.write(&Parts { kind: PacketType::BindNak, flags, call_id, body: &body, auth: None }, "refusing")
}

/// A call whose fragments are arriving.
struct Arriving {
    call_id: u32,
    context_id: u16,
    opnum: u16,
    order: ByteOrder,
    /// The security context that protects it.
    security: Option<u32>,
    stub: Vec<u8>,
}

struct Connection<'a, T> {
    channel: Channel<T>,
    options: &'a ServerOptions,
    syntaxes: Vec<Syntax>,
    /// Interfaces by the client's number: which of ours, if any.
    contexts: BTreeMap<u16, Option<usize>>,
    auth: Authentication,
    is_bound: bool,
    /// Number of the call that the last PDU belongs to.
    last_call: u32,
    request: Option<Arriving>,
}

impl<T: Transport> Connection<'_, T> {
    fn run(&mut self, interfaces: &mut [&mut dyn Interface]) -> Result<(), RpcError> {
        loop {
            let is_served = (self.auth.is_private() || self.options.is_known) && self.request.is_none();
            self.channel.set_deadline(if is_served { self.options.idle } else { self.options.timeout });
            let Some(mut pdu) = self.channel.read("waiting for a call", self.options.timeout)? else {
                return Ok(());
            };
            let kind = pdu.header().kind;
            self.last_call = pdu.header().call_id;
            match kind {
                PacketType::Bind if self.is_bound => {
                    return Err(RpcError::malformed("PDU header", 2, "a single bind", "another"));
                }
                PacketType::Bind => self.bind(&pdu, PacketType::BindAck)?,
                PacketType::AlterContext if self.is_bound => {
                    self.bind(&pdu, PacketType::AlterContextResponse)?;
                }
                PacketType::Auth3 if self.is_bound => self.auth.finish(&pdu),
                PacketType::Request if self.is_bound => {
                    if let Some(call) = self.fragment(&mut pdu)? {
                        self.execute(&call, interfaces)?;
                    }
                }
                // The answer is already on its way, or the call isn't complete.
                PacketType::Cancel => {}
                PacketType::Orphaned => self.request = None,
                other => {
                    let found = format!("{other:?}");
                    return Err(RpcError::malformed("PDU header", 2, "a PDU of a client, in order", found));
                }
            }
        }
    }

    /// The last thing that a client hears. The connection is lost, so this may fail.
    fn send_fault_of(&mut self, error: &RpcError) {
        let status = match error {
            RpcError::Malformed { .. } => fault::PROTOCOL,
            RpcError::TooLong { .. } => fault::NO_MEMORY,
            // Without an integrity code, this is where a wrong password shows first.
            RpcError::Security { .. } => fault::ACCESS_DENIED,
            RpcError::Fault { status } => *status,
            _ => return,
        };
        let _ = self.fault(self.last_call, 0, status);
    }

    fn fault(&mut self, call_id: u32, context_id: u16, status: u32) -> Result<(), RpcError> {
        let flags = flag::FIRST | flag::LAST | flag::NOT_EXECUTED;
        let body = Fault { status }.write(context_id);
        let parts = Parts { kind: PacketType::Fault, flags, call_id, body: &body, auth: None };
        self.channel.write(&parts, "answering")
    }

    /// `bind` and `alter_context`: interfaces, and authentication from its first message on.
    fn bind(&mut self, pdu: &Pdu, answer: PacketType) -> Result<(), RpcError> {
        let call_id = pdu.header().call_id;
        let bind = Bind::parse(pdu)?;
        let token = match self.auth.answer(pdu, &self.options.account) {
            Ok(token) => token,
            // What was bound stays so: only the added interface is refused.
            Err(_) if self.is_bound => return self.fault(call_id, 0, fault::ACCESS_DENIED),
            Err(nak) => {
                let flags = flag::FIRST | flag::LAST;
                let parts =
                    Parts { kind: PacketType::BindNak, flags, call_id, body: &nak.write(), auth: None };
                return self.channel.write(&parts, "binding");
            }
        };
        if !self.is_bound {
            self.channel.set_max_sent(bind.max_received)?;
            self.is_bound = true;
        }
        let mut results = Vec::new();
        for context in &bind.contexts {
            let ours = self.syntaxes.iter().position(|syntax| *syntax == context.interface);
            let result = if ours.is_none() {
                ContextResult::rejected(1)
            } else if !context.transfers.contains(&NDR) {
                ContextResult::rejected(2)
            } else {
                ContextResult::ACCEPTED
            };
            self.contexts.insert(context.id, ours.filter(|_| result == ContextResult::ACCEPTED));
            results.push(result);
        }
        let ack = BindAck {
            max_sent: MAX_PDU,
            max_received: MAX_PDU,
            // Handles belong to one connection, so a group has one connection.
            group: if bind.group == 0 { 1 } else { bind.group },
            address: self.options.address.clone(),
            results,
        };
        let flags = flag::FIRST | flag::LAST | (pdu.header().flags & flag::HEADER_SIGNING);
        let auth = token.as_ref().map(|(trailer, token)| (*trailer, token.as_slice()));
        self.channel.write(&Parts { kind: answer, flags, call_id, body: &ack.write(), auth }, "binding")
    }

    /// Adds a fragment of a call; returns the call when it is complete.
    fn fragment(&mut self, pdu: &mut Pdu) -> Result<Option<Arriving>, RpcError> {
        let header = *pdu.header();
        let security = self.auth.unprotect(pdu)?;
        let is_private = self.auth.level(security) >= AuthenticationLevel::PKT_PRIVACY;
        let is_served = is_private || self.options.is_known;
        let max = if is_served { self.options.max_request } else { MAX_UNPROTECTED };
        let request = Request::parse(pdu)?;
        let is_first = header.flags & flag::FIRST != 0;
        let arriving = match (&mut self.request, is_first) {
            (None, true) => self.request.insert(Arriving {
                call_id: header.call_id,
                context_id: request.context_id,
                opnum: request.opnum,
                order: header.order,
                security,
                stub: Vec::new(),
            }),
            (Some(arriving), false)
                if arriving.call_id == header.call_id
                    && arriving.context_id == request.context_id
                    && arriving.opnum == request.opnum
                    && arriving.order == header.order
                    && arriving.security == security =>
            {
                arriving
            }
            _ => {
                let expected = "the next fragment of the same call, one call after the other";
                return Err(RpcError::malformed("request", 0, expected, "another"));
            }
        };
        if arriving.stub.len() + request.stub.len() > max {
            return Err(RpcError::TooLong { max });
        }
        arriving.stub.extend_from_slice(request.stub);
        Ok(if header.flags & flag::LAST != 0 { self.request.take() } else { None })
    }

    fn execute(&mut self, call: &Arriving, interfaces: &mut [&mut dyn Interface]) -> Result<(), RpcError> {
        let Arriving { call_id, context_id, opnum, order, security, .. } = *call;
        self.channel.set_deadline(self.options.timeout);
        let ours = self.contexts.get(&context_id).copied().flatten();
        let Some((ours, interface)) = ours.and_then(|ours| Some((ours, interfaces.get_mut(ours)?))) else {
            return self.fault(call_id, context_id, fault::UNKNOWN_INTERFACE);
        };
        let bound = self.syntaxes.get(ours).copied();
        let heads = CallHeads { interface: bound, transfer: NDR, order, call_id, context_id, opnum };
        let len_stub = match verification::check(&call.stub, &heads) {
            Ok(len) => len,
            Err(status) => return self.fault(call_id, context_id, status),
        };
        let stub = call.stub.get(..len_stub).unwrap_or_default();
        let level = self.auth.level(security);
        let called = Called { opnum, stub, order, level, is_known: self.options.is_known };
        match interface.call(&called) {
            Ok(stub) => {
                // Collecting took time that the client can't help.
                self.channel.set_deadline(self.options.timeout);
                let answer =
                    Call { kind: PacketType::Response, id: call_id, context_id, opnum: 0, stub: &stub };
                self.channel.write_call(&answer, self.auth.security(security), "answering")
            }
            Err(status) => self.fault(call_id, context_id, status),
        }
    }
}
