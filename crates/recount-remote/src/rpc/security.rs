//! NTLM (MS-NLMP) by the crate `sspi`: protection of PDUs.
//!
//! A signature covers the whole PDU except itself, header included, whether or not signing of headers was
//! negotiated: NTLM signs all buffers that it is given. Sealed are stub and padding.

use std::ops::Range;

use recount_pcq::conversation::AuthenticationLevel;
use sspi::{EncryptionFlags, Ntlm, SecurityBufferFlags, SecurityBufferRef, Sspi};

use super::{RpcError, Trailer};
use crate::ntlm::failed;

/// Length of a signature.
pub(crate) const LEN_SIGNATURE: usize = 16;

/// An authenticated connection.
pub(crate) struct Security {
    ntlm: Ntlm,
    pub(crate) level: AuthenticationLevel,
    trailer: Trailer,
}

impl Security {
    /// With what was negotiated with `trailer`.
    pub(crate) fn new(ntlm: Ntlm, trailer: Trailer) -> Security {
        Security { ntlm, level: trailer.level, trailer: Trailer { len_padding: 0, ..trailer } }
    }

    /// Whether calls are signed.
    pub(crate) fn signs(&self) -> bool {
        self.level > AuthenticationLevel::CONNECT
    }

    pub(crate) fn trailer(&self) -> Trailer {
        self.trailer
    }

    /// Signs a PDU and, if the level says so, seals a range of it. Its last 16 bytes become the signature.
    pub(crate) fn protect(&mut self, pdu: &mut [u8], sealed: Range<usize>) -> Result<(), RpcError> {
        let mut parts = self.parts(pdu, sealed)?;
        self.ntlm
            .encrypt_message(EncryptionFlags::empty(), &mut parts)
            .map(drop)
            .map_err(|error| failed("sealing a call")(error).into())
    }

    /// Checks the signature of a PDU, after unsealing what is sealed.
    pub(crate) fn unprotect(&mut self, pdu: &mut [u8], sealed: Range<usize>) -> Result<(), RpcError> {
        let mut parts = self.parts(pdu, sealed)?;
        self.ntlm.decrypt_message(&mut parts).map(drop).map_err(|_| RpcError::Security {
            what: "a call isn't signed with the password's key".to_owned(),
        })
    }

    fn parts<'a>(
        &self,
        pdu: &'a mut [u8],
        sealed: Range<usize>,
    ) -> Result<[SecurityBufferRef<'a>; 4], RpcError> {
        let split = |bytes: &'a mut [u8], at: usize| bytes.split_at_mut_checked(at);
        let len = pdu.len();
        let parts = len.checked_sub(LEN_SIGNATURE).and_then(|ofs| split(pdu, ofs)).and_then(
            |(covered, signature)| {
                let (covered, trailer) = split(covered, sealed.end)?;
                let (head, stub) = split(covered, sealed.start)?;
                Some((head, stub, trailer, signature))
            },
        );
        let Some((head, stub, trailer, signature)) = parts else {
            return Err(RpcError::malformed("security trailer", 0, "a signature of 16 bytes", len));
        };
        let signed = |bytes| {
            SecurityBufferRef::data_buf(bytes)
                .with_flags(SecurityBufferFlags::SECBUFFER_READONLY_WITH_CHECKSUM)
        };
        let stub = if self.level >= AuthenticationLevel::PKT_PRIVACY {
            SecurityBufferRef::data_buf(stub)
        } else {
            signed(stub)
        };
        Ok([signed(head), stub, signed(trailer), SecurityBufferRef::token_buf(signature)])
    }
}
