//! PDUs written by hand, and a connection that delivers them.

use std::io;
use std::time::Duration;

use recount_remote::transport::Transport;

pub(crate) const FIRST: u8 = 1;
pub(crate) const LAST: u8 = 2;

/// NDR, version 2.
pub(crate) const NDR: [u8; 20] = [
    0x04, 0x5D, 0x88, 0x8A, 0xEB, 0x1C, 0xC9, 0x11, 0x9F, 0xE8, 0x08, 0x00, 0x2B, 0x10, 0x48, 0x60, 2, 0, 0,
    0,
];
/// `PerflibV2`, version 1.
pub(crate) const PERFLIB: [u8; 20] = [
    0xC5, 0x86, 0x5A, 0xDA, 0xC2, 0x12, 0x43, 0x49, 0xAB, 0x30, 0x7F, 0x74, 0xA8, 0x13, 0xD8, 0x53, 1, 0, 0,
    0,
];

/// A PDU without authentication.
pub(crate) fn pdu(kind: u8, flags: u8, call_id: u32, body: &[u8]) -> Vec<u8> {
    let mut pdu = vec![5, 0, kind, flags, 0x10, 0, 0, 0];
    pdu.extend(u16::try_from(16 + body.len()).expect("a short PDU").to_le_bytes());
    pdu.extend([0, 0]);
    pdu.extend(call_id.to_le_bytes());
    pdu.extend(body);
    pdu
}

/// A `bind_ack` that accepts one interface.
pub(crate) fn bind_ack() -> Vec<u8> {
    let mut body = vec![0xD0, 0x16, 0xD0, 0x16, 1, 0, 0, 0, 2, 0, b'1', 0, 1, 0, 0, 0, 0, 0, 0, 0];
    body.extend(NDR);
    pdu(12, FIRST | LAST, 1, &body)
}

/// A `bind` of the interface.
pub(crate) fn bind() -> Vec<u8> {
    let mut body = vec![0xD0, 0x16, 0xD0, 0x16, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0];
    body.extend(PERFLIB);
    body.extend(NDR);
    pdu(11, FIRST | LAST, 1, &body)
}

pub(crate) fn response(flags: u8, call_id: u32, stub: &[u8]) -> Vec<u8> {
    let mut body = vec![0; 8];
    body.extend(stub);
    pdu(2, flags, call_id, &body)
}

pub(crate) fn request(flags: u8, call_id: u32, opnum: u16, stub: &[u8]) -> Vec<u8> {
    let mut body = vec![0; 6];
    body.extend(opnum.to_le_bytes());
    body.extend(stub);
    pdu(0, flags, call_id, &body)
}

/// The bytes of a peer: some once, then others repeatedly, then the end of the connection.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) bytes: Vec<u8>,
    pub(crate) repeated: Vec<u8>,
    pub(crate) pos: usize,
    /// What we sent.
    pub(crate) sent: Vec<u8>,
}

impl Script {
    pub(crate) fn new(parts: &[Vec<u8>]) -> Script {
        Script { bytes: parts.concat(), ..Script::default() }
    }
}

impl Transport for &mut Script {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = match self.bytes.get(self.pos..).unwrap_or_default() {
            [] if self.repeated.is_empty() => return Ok(0),
            [] => &self.repeated[(self.pos - self.bytes.len()) % self.repeated.len()..],
            rest => rest,
        };
        // In pieces, as networks do.
        let len = rest.len().min(buffer.len()).min(1_000);
        buffer[..len].copy_from_slice(&rest[..len]);
        self.pos += len;
        Ok(len)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sent.extend_from_slice(bytes);
        Ok(())
    }

    fn set_deadline(&mut self, _within: Duration) {}
}
