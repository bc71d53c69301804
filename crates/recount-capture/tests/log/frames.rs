//! Frames, taken apart and put together by the specification alone (`formats/rcap.md#frames`).

use std::ops::Range;

pub(crate) const HEADER: u16 = 1;
pub(crate) const RECORD: u16 = 4;
pub(crate) const CHUNK: u16 = 5;
pub(crate) const INDEX: u16 = 6;

const LEN_HEAD: usize = 20;
const LEN_TAIL: usize = 8;

/// The position of a frame, and its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: u16,
    pub(crate) place: Range<usize>,
}

impl Frame {
    pub(crate) fn payload(&self) -> Range<usize> {
        self.place.start + LEN_HEAD..self.place.end - LEN_TAIL
    }
}

fn u32_at(bytes: &[u8], ofs: usize) -> u32 {
    u32::from_le_bytes(bytes[ofs..ofs + 4].try_into().expect("4 bytes"))
}

/// The frames of a sound log, in order.
pub(crate) fn frames(log: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut ofs = 0;
    while ofs < log.len() {
        assert_eq!(log[ofs..ofs + 4], [0x8D, b'R', b'C', b'F'], "at {ofs}");
        let end = ofs + u32_at(log, ofs + 12) as usize + LEN_HEAD + LEN_TAIL;
        assert_eq!(u32_at(log, end - 4) as usize, end - ofs);
        let kind = u16::from_le_bytes([log[ofs + 8], log[ofs + 9]]);
        frames.push(Frame { kind, place: ofs..end });
        ofs = end;
    }
    frames
}

/// The frames of a sound log, from the last to the first, by the lengths after them.
pub(crate) fn frames_backwards(log: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut end = log.len();
    while end > 0 {
        let start = end - u32_at(log, end - 4) as usize;
        let kind = u16::from_le_bytes([log[start + 8], log[start + 9]]);
        frames.push(Frame { kind, place: start..end });
        end = start;
    }
    frames
}

/// A frame of the file whose first frame is `log`.
pub(crate) fn frame(log: &[u8], kind: u16, version: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = log[..8].to_vec();
    frame.extend_from_slice(&kind.to_le_bytes());
    frame.extend_from_slice(&version.to_le_bytes());
    frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    frame.extend_from_slice(&[0; 4]);
    frame.extend_from_slice(payload);
    frame.extend_from_slice(&[0; 4]);
    frame.extend_from_slice(&((payload.len() + LEN_HEAD + LEN_TAIL) as u32).to_le_bytes());
    fix(&mut frame);
    frame
}

/// Makes the checksums of a frame right.
pub(crate) fn fix(frame: &mut [u8]) {
    let crc_head = crc32c::crc32c(&frame[..16]);
    frame[16..20].copy_from_slice(&crc_head.to_le_bytes());
    let end = frame.len() - LEN_TAIL;
    let crc_payload = crc32c::crc32c(&frame[LEN_HEAD..end]);
    frame[end..end + 4].copy_from_slice(&crc_payload.to_le_bytes());
}
