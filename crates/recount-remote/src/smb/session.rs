//! `SESSION_SETUP` and `TREE_CONNECT` (MS-SMB2 2.2.5, 2.2.6, 2.2.9, 2.2.10).

use super::SmbError;
use super::fields::Fields;
use super::header::{Command, Header};
use super::negotiate::SIGNING_ENABLED;

/// The body of a `SESSION_SETUP` with a token of authentication.
pub(super) fn session_request(token: &[u8]) -> Vec<u8> {
    const OFS_TOKEN: u16 = Header::LEN as u16 + 24;
    let mut bytes = Vec::new();
    bytes.extend(25_u16.to_le_bytes());
    bytes.extend([0, SIGNING_ENABLED as u8]);
    bytes.extend([0; 8]);
    bytes.extend(OFS_TOKEN.to_le_bytes());
    bytes.extend((token.len() as u16).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend_from_slice(token);
    bytes
}

/// The answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionResponse<'a> {
    flags: u16,
    /// The server's token.
    pub token: &'a [u8],
}

impl<'a> SessionResponse<'a> {
    const GUEST: u16 = 0x1;
    const ANONYMOUS: u16 = 0x2;
    const ENCRYPT: u16 = 0x4;

    /// Reads it from a whole message.
    pub fn parse(message: &'a [u8]) -> Result<SessionResponse<'a>, SmbError> {
        let fields = Fields::new(Command::SessionSetup.name(), message);
        fields.has_size(64, 9)?;
        let token = fields.slice(fields.u16(68)?.into(), fields.u16(70)?.into())?;
        Ok(SessionResponse { flags: fields.u16(66)?, token })
    }

    /// Whether the server logged the user on as a guest.
    pub fn is_guest(&self) -> bool {
        self.flags & (Self::GUEST | Self::ANONYMOUS) != 0
    }

    /// Whether it demands encryption.
    pub fn must_encrypt(&self) -> bool {
        self.flags & Self::ENCRYPT != 0
    }
}

/// The body of a `TREE_CONNECT`.
pub(super) fn tree_request(path: &str) -> Vec<u8> {
    const OFS_PATH: u16 = Header::LEN as u16 + 8;
    let path: Vec<u8> = path.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut bytes = Vec::new();
    bytes.extend(9_u16.to_le_bytes());
    bytes.extend([0; 2]);
    bytes.extend(OFS_PATH.to_le_bytes());
    bytes.extend((path.len() as u16).to_le_bytes());
    bytes.extend(path);
    bytes
}

/// The answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeResponse {
    flags: u32,
}

impl TreeResponse {
    const PIPES: u8 = 2;
    const ENCRYPT: u32 = 0x8000;

    /// Reads it from a whole message.
    ///
    /// Fails for shares of anything but pipes.
    pub fn parse(message: &[u8]) -> Result<TreeResponse, SmbError> {
        let fields = Fields::new(Command::TreeConnect.name(), message);
        fields.has_size(64, 16)?;
        match fields.u8(66)? {
            Self::PIPES => Ok(TreeResponse { flags: fields.u32(68)? }),
            kind => Err(fields.fail(66, "a share of pipes", kind)),
        }
    }

    /// Whether it demands encryption.
    pub fn must_encrypt(&self) -> bool {
        self.flags & Self::ENCRYPT != 0
    }
}
