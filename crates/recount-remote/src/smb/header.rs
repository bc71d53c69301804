//! The header of every message (MS-SMB2 2.2.1).

use super::SmbError;
use super::fields::Fields;

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Command {
    Negotiate = 0,
    SessionSetup = 1,
    TreeConnect = 3,
    Create = 5,
    Read = 8,
    Write = 9,
    Ioctl = 11,
}

impl Command {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Command::Negotiate => "SMB NEGOTIATE",
            Command::SessionSetup => "SMB SESSION_SETUP",
            Command::TreeConnect => "SMB TREE_CONNECT",
            Command::Create => "SMB CREATE",
            Command::Read => "SMB READ",
            Command::Write => "SMB WRITE",
            Command::Ioctl => "SMB IOCTL",
        }
    }
}

/// A received header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The result of the request.
    pub status: u32,
    /// What was requested.
    pub command: u16,
    /// How many more requests the server allows.
    pub credits: u16,
    /// `Flags`.
    pub flags: u32,
    /// Number of the request.
    pub message_id: u64,
    /// The share; part of another number in answers that come later.
    pub tree_id: u32,
    /// The session.
    pub session_id: u64,
}

impl Header {
    /// Length in bytes.
    pub const LEN: usize = 64;
    const NAME: &'static str = "SMB header";
    /// `ProtocolId`.
    pub(super) const MAGIC: [u8; 4] = *b"\xFESMB";
    pub(super) const OFS_FLAGS: usize = 16;
    pub(super) const OFS_SIGNATURE: usize = 48;
    const TO_CLIENT: u32 = 0x1;
    const ASYNC: u32 = 0x2;
    pub(super) const SIGNED: u32 = 0x8;

    /// Reads the header of an answer.
    ///
    /// Fails for anything but a single answer of SMB 2 or 3.
    pub fn parse(bytes: &[u8]) -> Result<Header, SmbError> {
        let fields = Fields::new(Self::NAME, bytes);
        if fields.slice(0, 4)? != Self::MAGIC {
            return Err(fields.fail(0, "a message of SMB 2 or 3", "another protocol, such as SMB 1"));
        }
        fields.slice(0, Self::LEN)?;
        fields.has_size(4, Self::LEN as u16)?;
        let header = Header {
            status: fields.u32(8)?,
            command: fields.u16(12)?,
            credits: fields.u16(14)?,
            flags: fields.u32(Self::OFS_FLAGS)?,
            message_id: fields.u64(24)?,
            tree_id: fields.u32(36)?,
            session_id: fields.u64(40)?,
        };
        if header.flags & Self::TO_CLIENT == 0 {
            return Err(fields.fail(Self::OFS_FLAGS, "an answer", format!("{:#010x}", header.flags)));
        }
        match fields.u32(20)? {
            0 => Ok(header),
            next => Err(fields.fail(20, "a single answer", format!("another at byte {next}"))),
        }
    }

    pub(super) fn is_async(&self) -> bool {
        self.flags & Self::ASYNC != 0
    }

    pub(super) fn is_signed(&self) -> bool {
        self.flags & Self::SIGNED != 0
    }
}

/// The variable fields of a request's header.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestHeader {
    pub(super) command: Command,
    /// 0 before a dialect is chosen, and for 2.0.2, which has no such field.
    pub(super) credit_charge: u16,
    pub(super) message_id: u64,
    pub(super) tree_id: u32,
    pub(super) session_id: u64,
}

impl RequestHeader {
    /// Credits requested with every request: one would be enough, since there is one request at a time.
    const CREDITS: u16 = 8;

    /// Header and body of a request, not yet signed.
    pub(super) fn message(self, body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Header::LEN + body.len());
        bytes.extend(Header::MAGIC);
        bytes.extend((Header::LEN as u16).to_le_bytes());
        bytes.extend(self.credit_charge.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend((self.command as u16).to_le_bytes());
        bytes.extend(Self::CREDITS.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(self.message_id.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.tree_id.to_le_bytes());
        bytes.extend(self.session_id.to_le_bytes());
        bytes.extend([0; 16]);
        bytes.extend_from_slice(body);
        bytes
    }
}
