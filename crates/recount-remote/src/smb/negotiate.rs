//! `NEGOTIATE` (MS-SMB2 2.2.3, 2.2.4): dialect, limits, cipher.

use super::SmbError;
use super::cipher::Cipher;
use super::fields::Fields;
use super::header::{Command, Header};

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub(super) enum Dialect {
    V202 = 0x0202,
    V210 = 0x0210,
    V300 = 0x0300,
    V302 = 0x0302,
    V311 = 0x0311,
}

impl Dialect {
    /// Windows Vista, 7, 8, 8.1, 10, and the servers of their time.
    pub(super) const ALL: [Dialect; 5] =
        [Dialect::V202, Dialect::V210, Dialect::V300, Dialect::V302, Dialect::V311];

    pub(super) fn encrypts(self) -> bool {
        self >= Dialect::V300
    }
}

/// What we support.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub(super) client: [u8; 16],
    pub(super) salt: [u8; 32],
}

/// `SMB2_NEGOTIATE_SIGNING_ENABLED`.
pub(super) const SIGNING_ENABLED: u16 = 1;
/// `SMB2_GLOBAL_CAP_ENCRYPTION`.
pub(super) const CAN_ENCRYPT: u32 = 0x40;

const CONTEXT_PREAUTH: u16 = 1;
const CONTEXT_ENCRYPTION: u16 = 2;
const SHA_512: u16 = 1;

impl Offer {
    /// Capabilities, client, security mode and dialects: what a server repeats when it is asked to (3.3.5.15.12).
    pub(super) fn validation(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(CAN_ENCRYPT.to_le_bytes());
        bytes.extend(self.client);
        bytes.extend(SIGNING_ENABLED.to_le_bytes());
        bytes.extend((Dialect::ALL.len() as u16).to_le_bytes());
        bytes.extend(Dialect::ALL.into_iter().flat_map(|dialect| (dialect as u16).to_le_bytes()));
        bytes
    }

    /// The body of the request.
    pub(super) fn write(&self) -> Vec<u8> {
        const OFS_DIALECTS: usize = Header::LEN + 36;
        let ofs_contexts = (OFS_DIALECTS + 2 * Dialect::ALL.len()).next_multiple_of(8);
        let mut bytes = Vec::new();
        bytes.extend(36_u16.to_le_bytes());
        bytes.extend((Dialect::ALL.len() as u16).to_le_bytes());
        bytes.extend(SIGNING_ENABLED.to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(CAN_ENCRYPT.to_le_bytes());
        bytes.extend(self.client);
        bytes.extend((ofs_contexts as u32).to_le_bytes());
        bytes.extend(2_u16.to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(Dialect::ALL.into_iter().flat_map(|dialect| (dialect as u16).to_le_bytes()));
        let mut preauth = vec![1, 0, self.salt.len() as u8, 0, SHA_512 as u8, 0];
        preauth.extend(self.salt);
        let mut encryption = (Cipher::ALL.len() as u16).to_le_bytes().to_vec();
        encryption.extend(Cipher::ALL.into_iter().flat_map(|cipher| (cipher as u16).to_le_bytes()));
        for (kind, data) in [(CONTEXT_PREAUTH, preauth), (CONTEXT_ENCRYPTION, encryption)] {
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            bytes.extend(kind.to_le_bytes());
            bytes.extend((data.len() as u16).to_le_bytes());
            bytes.extend([0; 4]);
            bytes.extend(data);
        }
        bytes
    }
}

/// The server's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NegotiateResponse {
    pub(super) dialect: Dialect,
    pub(super) cipher: Option<Cipher>,
    /// `Capabilities`.
    pub capabilities: u32,
    /// `SecurityMode`.
    pub security_mode: u16,
    /// `ServerGuid`.
    pub server: [u8; 16],
    /// The longest input of a control code, in bytes.
    pub max_transact: u32,
}

impl NegotiateResponse {
    const NAME: &'static str = Command::Negotiate.name();

    /// Reads it from a whole message.
    ///
    /// Fails for a dialect, hash or cipher that wasn't offered.
    pub fn parse(message: &[u8]) -> Result<NegotiateResponse, SmbError> {
        let fields = Fields::new(Self::NAME, message);
        fields.has_size(64, 65)?;
        let number = fields.u16(68)?;
        let dialect = Dialect::ALL.into_iter().find(|dialect| *dialect as u16 == number);
        let Some(dialect) = dialect else {
            return Err(fields.fail(68, "a dialect that was offered", format!("{number:#06x}")));
        };
        let capabilities = fields.u32(88)?;
        let cipher = match dialect {
            Dialect::V311 => chosen_cipher(fields)?,
            Dialect::V300 | Dialect::V302 if capabilities & CAN_ENCRYPT != 0 => Some(Cipher::Ccm128),
            _ => None,
        };
        fields.slice(fields.u16(120)?.into(), fields.u16(122)?.into())?;
        Ok(NegotiateResponse {
            dialect,
            cipher,
            capabilities,
            security_mode: fields.u16(66)?,
            server: fields.uuid(72)?,
            max_transact: fields.u32(92)?,
        })
    }

    /// Whether the server confirms this when asked in a signed message (3.2.5.14.12).
    pub(super) fn is_confirmed_by(&self, answer: &[u8]) -> bool {
        let mut expected = self.capabilities.to_le_bytes().to_vec();
        expected.extend(self.server);
        expected.extend(self.security_mode.to_le_bytes());
        expected.extend((self.dialect as u16).to_le_bytes());
        answer == expected
    }
}

/// The contexts of 3.1.1: the hash has to be ours, and the cipher if there is one.
fn chosen_cipher(fields: Fields<'_>) -> Result<Option<Cipher>, SmbError> {
    let (num_contexts, mut ofs) = (fields.u16(70)?, fields.u32(124)? as usize);
    let (mut has_hash, mut cipher) = (false, None);
    for _ in 0..num_contexts {
        let (kind, len) = (fields.u16(ofs)?, usize::from(fields.u16(ofs + 2)?));
        let ofs_data = ofs + 8;
        fields.slice(ofs_data, len)?;
        match kind {
            CONTEXT_PREAUTH => match (fields.u16(ofs_data)?, fields.u16(ofs_data + 4)?) {
                (1, SHA_512) => has_hash = true,
                (_, hash) => return Err(fields.fail(ofs_data, "the hash SHA-512", hash)),
            },
            CONTEXT_ENCRYPTION => match (fields.u16(ofs_data)?, fields.u16(ofs_data + 2)?) {
                (1, 0) => {}
                (1, number) if Cipher::of(number).is_some() => cipher = Cipher::of(number),
                (_, number) => return Err(fields.fail(ofs_data, "a cipher that was offered", number)),
            },
            _ => {}
        }
        ofs = (ofs_data + len).next_multiple_of(8);
    }
    if has_hash { Ok(cipher) } else { Err(fields.fail(70, "a context with a hash", num_contexts)) }
}
