//! Keys of a session, signatures, and the hash of everything that was said before there were keys (MS-SMB2 3.1.4).

use aes::Aes128;
use cmac::Cmac;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};
use zeroize::Zeroizing;

use super::cipher::{Cipher, Sealer};
use super::header::Header;
use super::negotiate::Dialect;

/// Length of a signature.
const LEN_SIGNATURE: usize = 16;

/// The hash of the messages before the first protected one (3.1.1): SHA-512, chained.
#[derive(Clone)]
pub(super) struct Preauth([u8; 64]);

impl Preauth {
    pub(super) fn new() -> Preauth {
        Preauth([0; 64])
    }

    pub(super) fn add(&mut self, message: &[u8]) {
        self.0 = Sha512::new().chain_update(self.0).chain_update(message).finalize().into();
    }
}

/// How messages are signed.
pub(super) enum Signer {
    /// HMAC-SHA256: 2.0.2 and 2.1.
    Hmac(Zeroizing<[u8; 16]>),
    /// AES-CMAC: 3.0 and later.
    Cmac(Zeroizing<[u8; 16]>),
}

impl Signer {
    /// The signature of a message, whose own place counts as zeros.
    fn signature(&self, message: &[u8]) -> [u8; LEN_SIGNATURE] {
        let (head, rest) = message.split_at(message.len().min(Header::OFS_SIGNATURE));
        let rest = rest.get(LEN_SIGNATURE..).unwrap_or_default();
        let parts = [head, &[0; LEN_SIGNATURE], rest];
        let mut signature = [0; LEN_SIGNATURE];
        match self {
            Signer::Hmac(key) => {
                let mac = hmac(key.as_slice(), &parts);
                signature.copy_from_slice(&mac[..LEN_SIGNATURE]);
            }
            Signer::Cmac(key) => {
                let mut mac = Cmac::<Aes128>::new((&**key).into());
                for part in parts {
                    mac.update(part);
                }
                signature.copy_from_slice(&mac.finalize().into_bytes());
            }
        }
        signature
    }

    /// Signs a request.
    pub(super) fn sign(&self, message: &mut [u8]) {
        if let Some(flags) = message.get_mut(Header::OFS_FLAGS) {
            *flags |= Header::SIGNED as u8;
        }
        let signature = self.signature(message);
        if let Some(place) = message.get_mut(Header::OFS_SIGNATURE..Header::LEN) {
            place.copy_from_slice(&signature);
        }
    }

    /// Whether a received message has the right signature.
    pub(super) fn is_right(&self, message: &[u8]) -> bool {
        let given = message.get(Header::OFS_SIGNATURE..Header::LEN).unwrap_or_default();
        let right = self.signature(message);
        // Without an early exit, whose timing would reveal how much of it is right.
        given.len() == right.len() && given.iter().zip(right).fold(0, |diff, (a, b)| diff | (a ^ b)) == 0
    }
}

/// The keys that protect a session.
pub(super) struct Keys {
    pub(super) signer: Signer,
    /// Only of dialects that encrypt, if the server does.
    pub(super) sealer: Option<Sealer>,
}

impl Keys {
    /// From the key that authentication made.
    pub(super) fn derive(
        session: &[u8],
        dialect: Dialect,
        cipher: Option<Cipher>,
        preauth: &Preauth,
    ) -> Keys {
        let mut key = Zeroizing::new([0; 16]);
        let len = session.len().min(key.len());
        key[..len].copy_from_slice(&session[..len]);
        if !dialect.encrypts() {
            return Keys { signer: Signer::Hmac(key), sealer: None };
        }
        let is_newest = dialect == Dialect::V311;
        let derived = |newest: &str, label: &str, context: &str, len: usize| {
            if is_newest {
                derive(key.as_slice(), newest, &preauth.0, len)
            } else {
                derive(key.as_slice(), label, context.as_bytes(), len)
            }
        };
        let mut signing = Zeroizing::new([0; 16]);
        signing.copy_from_slice(&derived("SMBSigningKey\0", "SMB2AESCMAC\0", "SmbSign\0", 16)[..16]);
        let sealer = cipher.map(|cipher| {
            let len = cipher.len_key();
            let out = derived("SMBC2SCipherKey\0", "SMB2AESCCM\0", "ServerIn \0", len);
            let back = derived("SMBS2CCipherKey\0", "SMB2AESCCM\0", "ServerOut\0", len);
            Sealer::new(cipher, &out[..len], &back[..len])
        });
        Keys { signer: Signer::Cmac(signing), sealer }
    }
}

/// SP 800-108 in counter mode over HMAC-SHA256, of which one round is enough: `len` is at most 32 bytes.
fn derive(key: &[u8], label: &str, context: &[u8], len: usize) -> Zeroizing<[u8; 32]> {
    let len_bits = (len as u32 * 8).to_be_bytes();
    Zeroizing::new(hmac(key, &[&1_u32.to_be_bytes(), label.as_bytes(), &[0], context, &len_bits]))
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    // Keys may have any length here.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return [0; 32] };
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}
