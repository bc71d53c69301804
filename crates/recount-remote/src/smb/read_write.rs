//! `READ`, `WRITE` and `IOCTL` (MS-SMB2 2.2.19 to 2.2.22, 2.2.31, 2.2.32).

use super::SmbError;
use super::fields::Fields;
use super::header::{Command, Header};

/// The body of a `READ` of up to `len` bytes.
pub(super) fn read_request(file: &[u8; 16], len: u32) -> Vec<u8> {
    /// Where data is to begin in the answer.
    const PADDING: u8 = 80;
    let mut bytes = 49_u16.to_le_bytes().to_vec();
    bytes.extend([PADDING, 0]);
    bytes.extend(len.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(file);
    bytes.extend([0; 17]);
    bytes
}

/// The answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadResponse<'a> {
    /// What was read.
    pub data: &'a [u8],
}

impl<'a> ReadResponse<'a> {
    /// Reads it from a whole message.
    pub fn parse(message: &'a [u8]) -> Result<ReadResponse<'a>, SmbError> {
        let fields = Fields::new(Command::Read.name(), message);
        fields.has_size(64, 17)?;
        Ok(ReadResponse { data: fields.slice(fields.u8(66)?.into(), fields.u32(68)? as usize)? })
    }
}

/// The body of a `WRITE`.
pub(super) fn write_request(file: &[u8; 16], data: &[u8]) -> Vec<u8> {
    const OFS_DATA: u16 = Header::LEN as u16 + 48;
    let mut bytes = 49_u16.to_le_bytes().to_vec();
    bytes.extend(OFS_DATA.to_le_bytes());
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(file);
    bytes.extend([0; 16]);
    bytes.extend_from_slice(data);
    bytes
}

/// How many bytes a `WRITE` has written.
pub(super) fn written(message: &[u8]) -> Result<u32, SmbError> {
    let fields = Fields::new(Command::Write.name(), message);
    fields.has_size(64, 17)?;
    fields.u32(68)
}

/// `FSCTL_PIPE_TRANSCEIVE`: writes to a pipe, and reads from it.
pub(super) const TRANSCEIVE: u32 = 0x0011_C017;
/// `FSCTL_VALIDATE_NEGOTIATE_INFO`.
pub(super) const VALIDATE: u32 = 0x0014_0204;

/// The body of an `IOCTL`.
pub(super) fn ioctl_request(file: &[u8; 16], code: u32, input: &[u8], max_output: u32) -> Vec<u8> {
    const OFS_INPUT: u32 = Header::LEN as u32 + 56;
    const FILE_SYSTEM: u32 = 1;
    let mut bytes = 57_u16.to_le_bytes().to_vec();
    bytes.extend([0; 2]);
    bytes.extend(code.to_le_bytes());
    bytes.extend(file);
    bytes.extend(OFS_INPUT.to_le_bytes());
    bytes.extend((input.len() as u32).to_le_bytes());
    bytes.extend([0; 12]);
    bytes.extend(max_output.to_le_bytes());
    bytes.extend(FILE_SYSTEM.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend_from_slice(input);
    bytes
}

/// The answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoctlResponse<'a> {
    /// What the control code returned.
    pub output: &'a [u8],
}

impl<'a> IoctlResponse<'a> {
    /// Reads it from a whole message.
    pub fn parse(message: &'a [u8]) -> Result<IoctlResponse<'a>, SmbError> {
        let fields = Fields::new(Command::Ioctl.name(), message);
        fields.has_size(64, 49)?;
        Ok(IoctlResponse { output: fields.slice(fields.u32(96)? as usize, fields.u32(100)? as usize)? })
    }
}
