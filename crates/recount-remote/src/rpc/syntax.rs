//! Interfaces and transfer syntaxes.

use recount_pcq::Guid;

use super::{NdrReader, NdrWriter, RpcError};

/// A UUID with its version (`p_syntax_id_t`, C706 12.6.3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Syntax {
    /// The UUID.
    pub uuid: Guid,
    /// Major version in the low half, minor version in the high one.
    pub version: u32,
}

/// NDR, the only transfer syntax here: 8a885d04-1ceb-11c9-9fe8-08002b104860, version 2.
pub const NDR: Syntax = Syntax {
    uuid: Guid([
        0x04, 0x5D, 0x88, 0x8A, 0xEB, 0x1C, 0xC9, 0x11, 0x9F, 0xE8, 0x08, 0x00, 0x2B, 0x10, 0x48, 0x60,
    ]),
    version: 2,
};

impl Syntax {
    pub(crate) fn read(reader: &mut NdrReader<'_>) -> Result<Syntax, RpcError> {
        let (uuid, version) = (reader.uuid()?, reader.u32()?);
        // Two numbers to some big-endian clients, where C706 has one: minor versions without a major one don't exist.
        let is_swapped = reader.is_big() && version.trailing_zeros() >= 16;
        Ok(Syntax { uuid, version: if is_swapped { version.rotate_left(16) } else { version } })
    }

    pub(crate) fn write(self, writer: &mut NdrWriter) {
        writer.bytes(&self.uuid.0);
        writer.u32(self.version);
    }
}
