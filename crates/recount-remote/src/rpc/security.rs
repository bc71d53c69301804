//! NTLM (MS-NLMP) by the crate `sspi`: protection of PDUs.
//!
//! A signature covers the whole PDU except itself, header included, whether or not signing of headers was
//! negotiated: NTLM signs all buffers that it is given. Sealed are stub and padding.
//!
//! Signatures of SPNEGO's list of mechanisms are numbered with those of the calls, but don't use up the key that seals them
//! ([MS-SPNG] 3.3.5.1). `sspi` does this only within its own SPNEGO, so the number of the first call is corrected here.

use std::ops::Range;

use recount_pcq::conversation::AuthenticationLevel;
use sspi::{EncryptionFlags, Ntlm, SecurityBufferFlags, SecurityBufferRef, Sspi};

use super::{RpcError, Trailer};
use crate::ntlm::{failed, skip_received, skipping_signature};

/// Length of a signature.
pub(crate) const LEN_SIGNATURE: usize = 16;

/// An authenticated connection.
pub(crate) struct Security {
    ntlm: Ntlm,
    pub(crate) level: AuthenticationLevel,
    trailer: Trailer,
    /// The number of the next signature, if that isn't the one that `ntlm` counts.
    next_number: Option<u32>,
}

impl Security {
    /// With what was negotiated with `trailer`.
    pub(crate) fn new(ntlm: Ntlm, trailer: Trailer) -> Security {
        let (level, trailer) = (trailer.level, Trailer { len_padding: 0, ..trailer });
        Security { ntlm, level, trailer, next_number: None }
    }

    /// After SPNEGO, in which the list of mechanisms was signed by us, and by the peer.
    pub(crate) fn count_signatures_of_mechanisms(&mut self, by_us: bool, by_peer: bool) {
        if by_us {
            self.next_number = Some(1);
        }
        if by_peer {
            skip_received(&mut self.ntlm);
        }
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
        let corrected = match self.next_number {
            Some(number) => {
                self.next_number = Some(number.wrapping_add(1));
                let covered = pdu.get(..pdu.len().saturating_sub(LEN_SIGNATURE)).unwrap_or_default();
                let len_sealed = if self.seals() { sealed.len() } else { 0 };
                Some(skipping_signature(&self.ntlm, covered, len_sealed, number)?)
            }
            None => None,
        };
        let mut parts = self.parts(pdu, sealed)?;
        self.ntlm.encrypt_message(EncryptionFlags::empty(), &mut parts).map_err(failed("sealing a call"))?;
        if let (Some(corrected), Some(signature)) = (corrected, pdu.last_chunk_mut()) {
            *signature = corrected;
        }
        Ok(())
    }

    fn seals(&self) -> bool {
        self.level >= AuthenticationLevel::PKT_PRIVACY
    }

    /// Checks the signature of a PDU, after unsealing what is sealed.
    pub(crate) fn unprotect(&mut self, pdu: &mut [u8], sealed: Range<usize>) -> Result<(), RpcError> {
        let mut parts = self.parts(pdu, sealed)?;
        self.ntlm.decrypt_message(&mut parts).map(drop).map_err(|_| RpcError::Security {
            what: "a message isn't signed with the password's key".to_owned(),
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
        let stub = if self.seals() { SecurityBufferRef::data_buf(stub) } else { signed(stub) };
        Ok([signed(head), stub, signed(trailer), SecurityBufferRef::token_buf(signature)])
    }
}
