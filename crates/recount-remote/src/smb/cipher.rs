//! Encrypted messages (MS-SMB2 2.2.41).

use aes_gcm::aead::AeadInOut;
use aes_gcm::aead::consts::{U11, U16};
use aes_gcm::{Aes128Gcm, Aes256Gcm, KeyInit};
use ccm::Ccm;

use super::SmbError;
use super::fields::Fields;

/// A way to encrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Cipher {
    Ccm128 = 1,
    Gcm128 = 2,
    Ccm256 = 3,
    Gcm256 = 4,
}

impl Cipher {
    /// All of them, the fastest first.
    pub(super) const ALL: [Cipher; 4] = [Cipher::Gcm128, Cipher::Gcm256, Cipher::Ccm128, Cipher::Ccm256];

    pub(super) fn of(number: u16) -> Option<Cipher> {
        Self::ALL.into_iter().find(|cipher| *cipher as u16 == number)
    }

    pub(super) fn len_key(self) -> usize {
        match self {
            Cipher::Ccm128 | Cipher::Gcm128 => 16,
            Cipher::Ccm256 | Cipher::Gcm256 => 32,
        }
    }
}

/// A cipher with its key.
enum Keyed {
    Ccm128(Box<Ccm<aes::Aes128, U16, U11>>),
    Gcm128(Box<Aes128Gcm>),
    Ccm256(Box<Ccm<aes::Aes256, U16, U11>>),
    Gcm256(Box<Aes256Gcm>),
}

impl Keyed {
    /// `None` if the key isn't of the cipher's length.
    fn new(cipher: Cipher, key: &[u8]) -> Option<Keyed> {
        Some(match cipher {
            Cipher::Ccm128 => Keyed::Ccm128(Box::new(Ccm::new_from_slice(key).ok()?)),
            Cipher::Gcm128 => Keyed::Gcm128(Box::new(Aes128Gcm::new_from_slice(key).ok()?)),
            Cipher::Ccm256 => Keyed::Ccm256(Box::new(Ccm::new_from_slice(key).ok()?)),
            Cipher::Gcm256 => Keyed::Gcm256(Box::new(Aes256Gcm::new_from_slice(key).ok()?)),
        })
    }

    /// Encrypts; returns the signature.
    fn seal(&self, nonce: &[u8; 16], covered: &[u8], message: &mut [u8]) -> Option<[u8; 16]> {
        let (nonce_11, nonce_12) = (nonce.first_chunk::<11>()?, nonce.first_chunk::<12>()?);
        let sealed = match self {
            Keyed::Ccm128(it) => it.encrypt_inout_detached(nonce_11.into(), covered, message.into()),
            Keyed::Gcm128(it) => it.encrypt_inout_detached(nonce_12.into(), covered, message.into()),
            Keyed::Ccm256(it) => it.encrypt_inout_detached(nonce_11.into(), covered, message.into()),
            Keyed::Gcm256(it) => it.encrypt_inout_detached(nonce_12.into(), covered, message.into()),
        };
        sealed.ok().map(Into::into)
    }

    /// Decrypts, if the signature is right.
    fn open(&self, nonce: &[u8; 16], covered: &[u8], message: &mut [u8], signature: [u8; 16]) -> Option<()> {
        let (nonce_11, nonce_12) = (nonce.first_chunk::<11>()?, nonce.first_chunk::<12>()?);
        let tag = &signature.into();
        let opened = match self {
            Keyed::Ccm128(it) => it.decrypt_inout_detached(nonce_11.into(), covered, message.into(), tag),
            Keyed::Gcm128(it) => it.decrypt_inout_detached(nonce_12.into(), covered, message.into(), tag),
            Keyed::Ccm256(it) => it.decrypt_inout_detached(nonce_11.into(), covered, message.into(), tag),
            Keyed::Gcm256(it) => it.decrypt_inout_detached(nonce_12.into(), covered, message.into(), tag),
        };
        opened.ok()
    }
}

/// Encrypts requests and decrypts answers.
pub(super) struct Sealer {
    out: Option<Keyed>,
    back: Option<Keyed>,
    /// Messages so far: no two may have the same nonce.
    num_sent: u64,
}

const NAME: &str = "SMB TRANSFORM_HEADER";
/// `ProtocolId`.
pub(super) const MAGIC: [u8; 4] = *b"\xFDSMB";
const LEN_HEADER: usize = 52;
const OFS_SIGNATURE: usize = 4;
/// The signature covers the header from here on.
const OFS_NONCE: usize = 20;

impl Sealer {
    pub(super) fn new(cipher: Cipher, out: &[u8], back: &[u8]) -> Sealer {
        Sealer { out: Keyed::new(cipher, out), back: Keyed::new(cipher, back), num_sent: 0 }
    }

    /// A message, encrypted, with its header.
    pub(super) fn seal(&mut self, session_id: u64, message: &[u8]) -> Result<Vec<u8>, SmbError> {
        self.num_sent += 1;
        let mut nonce = [0; 16];
        nonce[..8].copy_from_slice(&self.num_sent.to_le_bytes());
        let mut sealed = Vec::with_capacity(LEN_HEADER + message.len());
        sealed.extend(MAGIC);
        sealed.extend([0; 16]);
        sealed.extend(nonce);
        sealed.extend((message.len() as u32).to_le_bytes());
        // Reserved, and the flag for an encrypted message (in 3.0: AES-128-CCM).
        sealed.extend([0, 0, 1, 0]);
        sealed.extend(session_id.to_le_bytes());
        sealed.extend_from_slice(message);
        let (head, body) = sealed.split_at_mut(LEN_HEADER);
        let covered = head.get(OFS_NONCE..).unwrap_or_default();
        let signature = self.out.as_ref().and_then(|out| out.seal(&nonce, covered, body));
        let signature = signature.ok_or_else(|| SmbError::security("encrypting a request failed"))?;
        head[OFS_SIGNATURE..OFS_NONCE].copy_from_slice(&signature);
        Ok(sealed)
    }

    /// The message in an encrypted one.
    pub(super) fn open(&self, session_id: u64, sealed: &mut [u8]) -> Result<Vec<u8>, SmbError> {
        let fields = Fields::new(NAME, sealed);
        fields.slice(0, LEN_HEADER)?;
        let (signature, nonce) = (fields.uuid(OFS_SIGNATURE)?, fields.uuid(OFS_NONCE)?);
        let (len, flags, session) = (fields.u32(36)?, fields.u16(42)?, fields.u64(44)?);
        if flags != 1 {
            return Err(fields.fail(42, "an encrypted message", format!("flags {flags:#06x}")));
        }
        if session != session_id {
            return Err(fields.fail(44, "our session", format!("{session:#x}")));
        }
        if len as usize != sealed.len() - LEN_HEADER {
            return Err(fields.fail(36, format!("a length of {}", sealed.len() - LEN_HEADER), len));
        }
        let (head, body) = sealed.split_at_mut(LEN_HEADER);
        let covered = head.get(OFS_NONCE..).unwrap_or_default();
        let opened = self.back.as_ref().and_then(|back| back.open(&nonce, covered, body, signature));
        opened.ok_or_else(|| SmbError::security("an answer's encryption is not that of the session"))?;
        Ok(body.to_vec())
    }
}
