//! `CREATE` (MS-SMB2 2.2.13, 2.2.14).

use super::SmbError;
use super::fields::Fields;
use super::header::{Command, Header};

/// The body of a `CREATE` that opens a pipe.
pub(super) fn create_request(pipe: &str) -> Vec<u8> {
    const OFS_NAME: u16 = Header::LEN as u16 + 56;
    const IMPERSONATION: u32 = 2;
    /// Reading and writing, data and attributes.
    const ACCESS: u32 = 0x0012_019F;
    const SHARE_READ_WRITE: u32 = 3;
    const OPEN: u32 = 1;
    let name: Vec<u8> = pipe.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut bytes = Vec::new();
    bytes.extend(57_u16.to_le_bytes());
    bytes.extend([0; 2]);
    bytes.extend(IMPERSONATION.to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(ACCESS.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(SHARE_READ_WRITE.to_le_bytes());
    bytes.extend(OPEN.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(OFS_NAME.to_le_bytes());
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(name);
    bytes
}

/// The answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateResponse {
    /// The open pipe.
    pub file: [u8; 16],
}

impl CreateResponse {
    /// Reads it from a whole message.
    pub fn parse(message: &[u8]) -> Result<CreateResponse, SmbError> {
        let fields = Fields::new(Command::Create.name(), message);
        fields.has_size(64, 89)?;
        Ok(CreateResponse { file: fields.uuid(128)? })
    }
}
