//! The bodies of PDUs (C706 12.6.4).

use super::{NDR, NdrWriter, Pdu, RpcError, Syntax};

/// `bind` and `alter_context`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// The longest PDU that the sender will send.
    pub max_sent: u16,
    /// The longest one that it can receive.
    pub max_received: u16,
    /// Association group; 0 for a new one.
    pub group: u32,
    /// The interfaces.
    pub contexts: Vec<BindContext>,
}

/// An interface that a client wants to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindContext {
    /// The number that calls will use.
    pub id: u16,
    /// The interface.
    pub interface: Syntax,
    /// Transfer syntaxes to choose from.
    pub transfers: Vec<Syntax>,
}

impl Bind {
    const NAME: &'static str = "bind";

    /// Reads it.
    pub fn parse(pdu: &Pdu) -> Result<Bind, RpcError> {
        let mut reader = pdu.reader(Self::NAME);
        let (max_sent, max_received, group) = (reader.u16()?, reader.u16()?, reader.u32()?);
        let num_contexts = reader.u8()?;
        reader.take(3)?;
        let mut contexts = Vec::new();
        for _ in 0..num_contexts {
            reader.align(4)?;
            let id = reader.u16()?;
            let num_transfers = reader.u8()?;
            reader.u8()?;
            let interface = Syntax::read(&mut reader)?;
            let transfers =
                (0..num_transfers).map(|_| Syntax::read(&mut reader)).collect::<Result<_, _>>()?;
            contexts.push(BindContext { id, interface, transfers });
        }
        Ok(Bind { max_sent, max_received, group, contexts })
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut writer = NdrWriter::default();
        writer.u16(self.max_sent);
        writer.u16(self.max_received);
        writer.u32(self.group);
        writer.u32(u32::from(self.contexts.len() as u8));
        for context in &self.contexts {
            writer.u16(context.id);
            writer.u8(context.transfers.len() as u8);
            writer.u8(0);
            context.interface.write(&mut writer);
            context.transfers.iter().for_each(|transfer| transfer.write(&mut writer));
        }
        writer.into_bytes()
    }
}

/// `bind_ack` and `alter_context_resp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindAck {
    /// The longest PDU that the sender will send.
    pub max_sent: u16,
    /// The longest one that it can receive.
    pub max_received: u16,
    /// Association group.
    pub group: u32,
    /// The sender's port or pipe.
    pub address: String,
    /// One result per interface of the request.
    pub results: Vec<ContextResult>,
}

/// Whether an interface may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextResult {
    /// 0 for acceptance.
    pub result: u16,
    /// Why not: 1 for an unknown interface, 2 for unknown transfer syntaxes.
    pub reason: u16,
    /// The chosen transfer syntax.
    pub transfer: Syntax,
}

impl ContextResult {
    /// It may be called, in NDR.
    pub const ACCEPTED: ContextResult = ContextResult { result: 0, reason: 0, transfer: NDR };

    /// It may not.
    pub fn rejected(reason: u16) -> ContextResult {
        ContextResult { result: 2, reason, transfer: Syntax::default() }
    }

    /// The reason in words.
    pub(crate) fn text(self) -> String {
        match self.reason {
            1 => "it doesn't offer the interface".to_owned(),
            2 => "it doesn't know NDR".to_owned(),
            other => format!("result {}, reason {other}", self.result),
        }
    }
}

impl BindAck {
    const NAME: &'static str = "bind_ack";

    /// Reads it.
    pub fn parse(pdu: &Pdu) -> Result<BindAck, RpcError> {
        let mut reader = pdu.reader(Self::NAME);
        let (max_sent, max_received, group) = (reader.u16()?, reader.u16()?, reader.u32()?);
        let len_address = reader.u16()?;
        let address = String::from_utf8_lossy(reader.take(len_address.into())?);
        let address = address.trim_end_matches('\0').to_owned();
        reader.align(4)?;
        let num_results = reader.u8()?;
        reader.take(3)?;
        let mut results = Vec::new();
        for _ in 0..num_results {
            let (result, reason) = (reader.u16()?, reader.u16()?);
            results.push(ContextResult { result, reason, transfer: Syntax::read(&mut reader)? });
        }
        Ok(BindAck { max_sent, max_received, group, address, results })
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut writer = NdrWriter::default();
        writer.u16(self.max_sent);
        writer.u16(self.max_received);
        writer.u32(self.group);
        writer.u16(self.address.len() as u16 + 1);
        writer.bytes(self.address.as_bytes());
        writer.u8(0);
        writer.u32(u32::from(self.results.len() as u8));
        for result in &self.results {
            writer.u16(result.result);
            writer.u16(result.reason);
            result.transfer.write(&mut writer);
        }
        writer.into_bytes()
    }
}

/// `bind_nak`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindNak {
    /// Why.
    pub reason: u16,
}

impl BindNak {
    /// Without a reason.
    pub const UNSPECIFIED: BindNak = BindNak { reason: 0 };
    /// There are as many associations as there may be (C706 12.6.3.5).
    pub const LOCAL_LIMIT: BindNak = BindNak { reason: 2 };
    /// The security provider isn't known (MS-RPCE 2.2.2.5).
    pub const UNKNOWN_PROVIDER: BindNak = BindNak { reason: 8 };
    /// A token is invalid (MS-RPCE 2.2.2.5).
    pub const INVALID_TOKEN: BindNak = BindNak { reason: 9 };

    /// Reads it.
    pub fn parse(pdu: &Pdu) -> Result<BindNak, RpcError> {
        Ok(BindNak { reason: pdu.reader("bind_nak").u16()? })
    }

    /// Its reason and the versions that are spoken: 5.0.
    pub(crate) fn write(self) -> Vec<u8> {
        let mut writer = NdrWriter::default();
        writer.u16(self.reason);
        writer.bytes(&[1, 5, 0]);
        writer.align(4);
        writer.into_bytes()
    }

    /// The reason in words.
    pub(crate) fn text(self) -> String {
        match self.reason {
            1 => "it is too busy".to_owned(),
            2 => "it has as many connections as it allows".to_owned(),
            8 => "it doesn't know NTLM".to_owned(),
            9 => "it doesn't accept the authentication token".to_owned(),
            other => format!("reason {other}"),
        }
    }
}

/// `request`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Number of the interface in the association.
    pub context_id: u16,
    /// Number of the method.
    pub opnum: u16,
    /// A fragment of the parameters.
    pub stub: &'a [u8],
}

impl<'a> Request<'a> {
    /// Reads it.
    pub fn parse(pdu: &'a Pdu) -> Result<Request<'a>, RpcError> {
        let mut reader = pdu.reader("request");
        reader.u32()?;
        let (context_id, opnum) = (reader.u16()?, reader.u16()?);
        if pdu.header().flags & super::flag::OBJECT != 0 {
            reader.uuid()?;
        }
        Ok(Request { context_id, opnum, stub: reader.rest() })
    }
}

/// `response`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    /// Number of the interface in the association.
    pub context_id: u16,
    /// A fragment of the results.
    pub stub: &'a [u8],
}

impl<'a> Response<'a> {
    /// Reads it.
    pub fn parse(pdu: &'a Pdu) -> Result<Response<'a>, RpcError> {
        let mut reader = pdu.reader("response");
        reader.u32()?;
        let context_id = reader.u16()?;
        reader.u16()?;
        Ok(Response { context_id, stub: reader.rest() })
    }
}

/// `fault`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why ([`super::fault`]).
    pub status: u32,
}

impl Fault {
    /// Reads it.
    pub fn parse(pdu: &Pdu) -> Result<Fault, RpcError> {
        let mut reader = pdu.reader("fault");
        reader.take(8)?;
        Ok(Fault { status: reader.u32()? })
    }

    pub(crate) fn write(self, context_id: u16) -> Vec<u8> {
        let mut writer = NdrWriter::default();
        writer.u32(0);
        writer.u16(context_id);
        writer.u16(0);
        writer.u32(self.status);
        writer.u32(0);
        writer.into_bytes()
    }
}

/// The body of a request or response before its stub: length of all that follows, interface, and the method's number or
/// zeros.
pub(crate) fn call_body(len_left: usize, context_id: u16, opnum: u16, stub: &[u8]) -> Vec<u8> {
    let mut writer = NdrWriter::default();
    writer.u32(u32::try_from(len_left).unwrap_or(u32::MAX));
    writer.u16(context_id);
    writer.u16(opnum);
    writer.bytes(stub);
    writer.into_bytes()
}
