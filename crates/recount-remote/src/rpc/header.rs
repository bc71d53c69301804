//! The header of every PDU (C706 12.6.3.1).

use recount_bytes::ByteOrder;

use super::{NdrReader, NdrWriter, RpcError};

/// The kinds of PDUs that take part in conversations here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketType {
    /// A call.
    Request = 0,
    /// Its answer.
    Response = 2,
    /// The answer to a call that failed before or outside its method.
    Fault = 3,
    /// Begins an association: interfaces, lengths, authentication.
    Bind = 11,
    /// Accepts it.
    BindAck = 12,
    /// Refuses it.
    BindNak = 13,
    /// Adds interfaces, or continues authentication.
    AlterContext = 14,
    /// The answer to it.
    AlterContextResponse = 15,
    /// The last message of authentication, which has no answer (MS-RPCE 2.2.2.10).
    Auth3 = 16,
    /// The server asks to end the association.
    Shutdown = 17,
    /// The client cancels a call.
    Cancel = 18,
    /// The client no longer waits for an answer.
    Orphaned = 19,
}

impl PacketType {
    const ALL: [PacketType; 12] = [
        PacketType::Request,
        PacketType::Response,
        PacketType::Fault,
        PacketType::Bind,
        PacketType::BindAck,
        PacketType::BindNak,
        PacketType::AlterContext,
        PacketType::AlterContextResponse,
        PacketType::Auth3,
        PacketType::Shutdown,
        PacketType::Cancel,
        PacketType::Orphaned,
    ];
}

/// `pfc_flags`.
pub mod flag {
    /// The first fragment of a call.
    pub const FIRST: u8 = 0x01;
    /// The last one.
    pub const LAST: u8 = 0x02;
    /// In PDUs of binding: signatures cover headers (MS-RPCE 2.2.2.3).
    pub const HEADER_SIGNING: u8 = 0x04;
    /// The method was not executed.
    pub const NOT_EXECUTED: u8 = 0x20;
    /// A request has the UUID of an object.
    pub const OBJECT: u8 = 0x80;
}

/// The header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The kind.
    pub kind: PacketType,
    /// [`flag`]s.
    pub flags: u8,
    /// Byte order of all numbers of this PDU.
    pub order: ByteOrder,
    /// Length of the whole PDU.
    pub len: u16,
    /// Length of the authentication token at its end; 0 if there is none.
    pub len_auth: u16,
    /// Number of the call.
    pub call_id: u32,
}

impl Header {
    /// Length in bytes.
    pub const LEN: usize = 16;
    const NAME: &'static str = "PDU header";

    /// Reads 16 bytes.
    ///
    /// Fails if the version isn't 5.0 or 5.1, the kind isn't known, characters aren't ASCII, or the length is less than the
    /// header's.
    pub fn parse(bytes: &[u8]) -> Result<Header, RpcError> {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let bad = |at, expected: &str| {
            Err(RpcError::malformed(Self::NAME, at, expected, format!("{:#04x}", byte(at))))
        };
        let (version, minor, representation) = (byte(0), byte(1), byte(4));
        if version != 5 || minor > 1 {
            return bad(usize::from(version == 5), "version 5.0 or 5.1 of connection-oriented RPC");
        }
        let Some(kind) = PacketType::ALL.into_iter().find(|kind| *kind as u8 == byte(2)) else {
            return bad(2, "a kind of PDU of a connection");
        };
        let order = match representation {
            0x00 => ByteOrder::Big,
            0x10 => ByteOrder::Little,
            _ => return bad(4, "ASCII and big- or little-endian numbers"),
        };
        let mut reader = NdrReader::new(Self::NAME, bytes, order);
        reader.take(8)?;
        let header = Header {
            kind,
            flags: byte(3),
            order,
            len: reader.u16()?,
            len_auth: reader.u16()?,
            call_id: reader.u32()?,
        };
        if usize::from(header.len) < Header::LEN {
            return Err(RpcError::malformed(Self::NAME, 8, "a length of at least 16", header.len));
        }
        Ok(header)
    }

    pub(crate) fn write(self, writer: &mut NdrWriter) {
        writer.bytes(&[5, 0, self.kind as u8, self.flags, 0x10, 0, 0, 0]);
        writer.u16(self.len);
        writer.u16(self.len_auth);
        writer.u32(self.call_id);
    }
}
