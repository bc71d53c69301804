//! A PDU and its parts: header, body, padding, trailer, token.

use std::ops::Range;

use recount_pcq::conversation::AuthenticationLevel;

use super::{Header, NdrReader, NdrWriter, PacketType, RpcError, flag};

/// `auth_verifier_co_t` (C706 13.2.6.1, MS-RPCE 2.2.2.11) without its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// The security provider.
    pub provider: u8,
    /// How calls are protected.
    pub level: AuthenticationLevel,
    /// Bytes of padding before it.
    pub len_padding: u8,
    /// Number of the security context.
    pub context_id: u32,
}

impl Trailer {
    /// Length in bytes.
    pub const LEN: usize = 8;
    /// `RPC_C_AUTHN_WINNT`: NTLM.
    pub const NTLM: u8 = 10;
    /// `RPC_C_AUTHN_GSS_NEGOTIATE`: SPNEGO.
    pub const SPNEGO: u8 = 9;
    /// In calls, stub and padding together are a multiple of this (MS-RPCE 2.2.2.11).
    pub(crate) const ALIGNMENT: usize = 16;

    fn read(bytes: &[u8], header: &Header) -> Result<Trailer, RpcError> {
        let mut reader = NdrReader::new("security trailer", bytes, header.order);
        let (provider, level, len_padding) = (reader.u8()?, reader.u8()?, reader.u8()?);
        reader.u8()?;
        let level = AuthenticationLevel(level.into());
        Ok(Trailer { provider, level, len_padding, context_id: reader.u32()? })
    }
}

/// A PDU.
#[derive(Clone, Debug)]
pub struct Pdu {
    header: Header,
    bytes: Vec<u8>,
    trailer: Option<Trailer>,
}

impl Pdu {
    /// Takes a PDU apart.
    ///
    /// Fails unless the length in its header is its length, and its parts fit into it.
    pub fn parse(bytes: Vec<u8>) -> Result<Pdu, RpcError> {
        let Some(head) = bytes.get(..Header::LEN) else {
            return Err(RpcError::malformed("PDU header", 0, "16 bytes", bytes.len()));
        };
        let header = Header::parse(head)?;
        if usize::from(header.len) != bytes.len() {
            let expected = format!("a length of {}", bytes.len());
            return Err(RpcError::malformed("PDU header", 8, expected, header.len));
        }
        let mut pdu = Pdu { header, bytes, trailer: None };
        if header.len_auth > 0 {
            let ofs = pdu.ofs_trailer();
            let len_padded = ofs.and_then(|ofs| ofs.checked_sub(pdu.ofs_stub()));
            let (Some(ofs), Some(len_padded)) = (ofs, len_padded) else {
                return Err(RpcError::malformed("PDU header", 10, "a token that fits", header.len_auth));
            };
            let bytes = pdu.bytes.get(ofs..ofs + Trailer::LEN).unwrap_or_default();
            let trailer = Trailer::read(bytes, &header)?;
            if usize::from(trailer.len_padding) > len_padded {
                let expected = format!("at most {len_padded} bytes of padding");
                return Err(RpcError::malformed("security trailer", 2, expected, trailer.len_padding));
            }
            pdu.trailer = Some(trailer);
        }
        Ok(pdu)
    }

    fn ofs_trailer(&self) -> Option<usize> {
        self.bytes.len().checked_sub(usize::from(self.header.len_auth) + Trailer::LEN)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The security trailer, if it has one.
    pub fn trailer(&self) -> Option<&Trailer> {
        self.trailer.as_ref()
    }

    /// The token of authentication, or the signature.
    pub fn token(&self) -> &[u8] {
        let len = usize::from(self.header.len_auth);
        self.bytes.len().checked_sub(len).and_then(|ofs| self.bytes.get(ofs..)).unwrap_or_default()
    }

    /// What is between header and padding.
    pub fn body(&self) -> &[u8] {
        let end = match self.trailer {
            Some(trailer) => self.ofs_trailer().map(|ofs| ofs - usize::from(trailer.len_padding)),
            None => Some(self.bytes.len()),
        };
        end.and_then(|end| self.bytes.get(Header::LEN..end)).unwrap_or_default()
    }

    /// A reader of the body.
    pub(crate) fn reader(&self, structure: &'static str) -> NdrReader<'_> {
        NdrReader::new(structure, self.body(), self.header.order)
    }

    /// What is sealed: stub and padding.
    pub(crate) fn sealed(&self) -> Range<usize> {
        self.ofs_stub()..self.ofs_trailer().unwrap_or(self.bytes.len())
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Where the stub of this kind of PDU begins; elsewhere, the body.
    fn ofs_stub(&self) -> usize {
        match self.header.kind {
            PacketType::Request if self.header.flags & flag::OBJECT != 0 => 40,
            PacketType::Request | PacketType::Response => 24,
            PacketType::Fault => 32,
            _ => Header::LEN,
        }
    }
}

/// Parts of a PDU to be sent.
pub(crate) struct Parts<'a> {
    pub(crate) kind: PacketType,
    pub(crate) flags: u8,
    pub(crate) call_id: u32,
    pub(crate) body: &'a [u8],
    /// The trailer, and the token or, for a signature, as many zeros.
    pub(crate) auth: Option<(Trailer, &'a [u8])>,
}

impl Parts<'_> {
    /// The bytes, and where the trailer begins.
    pub(crate) fn assemble(&self) -> Result<(Vec<u8>, usize), RpcError> {
        let len_plain = Header::LEN + self.body.len();
        let ofs_trailer = match (self.auth, self.kind) {
            (None, _) => len_plain,
            // Padding is counted from the stub, which 8 bytes of the body precede.
            (Some(_), PacketType::Request | PacketType::Response) => {
                (self.body.len() + 8).next_multiple_of(Trailer::ALIGNMENT) - 8 + Header::LEN
            }
            // Some clients don't expect any padding here; in most cases there is none.
            (Some(_), _) => len_plain.next_multiple_of(4),
        };
        let len_token = self.auth.map_or(0, |(_, token)| token.len());
        let len = ofs_trailer + if self.auth.is_some() { Trailer::LEN + len_token } else { 0 };
        let too_long = |_| RpcError::TooLong { max: u16::MAX.into() };
        let header = Header {
            kind: self.kind,
            flags: self.flags,
            order: recount_bytes::ByteOrder::Little,
            len: u16::try_from(len).map_err(too_long)?,
            len_auth: u16::try_from(len_token).map_err(too_long)?,
            call_id: self.call_id,
        };
        let mut writer = NdrWriter::default();
        header.write(&mut writer);
        writer.bytes(self.body);
        if let Some((trailer, token)) = self.auth {
            let len_padding = ofs_trailer - len_plain;
            writer.bytes(&[0; Trailer::ALIGNMENT][..len_padding]);
            writer.bytes(&[trailer.provider, trailer.level.0 as u8, len_padding as u8, 0]);
            writer.bytes(&trailer.context_id.to_le_bytes());
            writer.bytes(token);
        }
        Ok((writer.into_bytes(), ofs_trailer))
    }
}
