//! Frames, which wrap every part of the file (`formats/rcap.md#frames`).

use std::fmt;

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Hex, Writer};

use crate::bytes::{Bytes, Short, length};

/// The first bytes of every frame.
pub(crate) const MAGIC: [u8; 4] = [0x8D, b'R', b'C', b'F'];
/// Bytes before the payload.
pub(crate) const LEN_FRAME_HEAD: usize = 20;
/// Bytes after the payload.
pub(crate) const LEN_FRAME_TAIL: usize = 8;
/// The largest payload.
pub(crate) const MAX_LEN_PAYLOAD: usize = 512 << 20;

/// The kind of a frame. Numbers from 0x8000 on are for private use; the format will never define them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FrameKind(pub(crate) u16);

impl FrameKind {
    /// The file as a whole. The first frame.
    pub(crate) const HEADER: FrameKind = FrameKind(1);
    /// Facts about machine and recording.
    pub(crate) const FACTS: FrameKind = FrameKind(2);
    /// Names and help texts.
    pub(crate) const TEXTS: FrameKind = FrameKind(3);
    /// One record, not sealed yet.
    pub(crate) const RECORD: FrameKind = FrameKind(4);
    /// Many records, sealed.
    pub(crate) const CHUNK: FrameKind = FrameKind(5);
    /// Where everything is.
    pub(crate) const INDEX: FrameKind = FrameKind(6);

    /// The newest version of a kind that this program reads; `None`: not known.
    pub(crate) fn version(self) -> Option<u16> {
        let newest = if self == FrameKind::CHUNK { 2 } else { 1 };
        (FrameKind::HEADER..=FrameKind::INDEX).contains(&self).then_some(newest)
    }

    /// The version with which a frame of this kind is written: the earliest that can represent the payload.
    fn version_written(self, payload: &[&[u8]]) -> u16 {
        match self {
            FrameKind::CHUNK => crate::chunk::version(payload.first().copied().unwrap_or_default()),
            _ => self.version().unwrap_or(0),
        }
    }
}

/// `header`, `chunk`; `kind 9` of one that isn't known.
impl fmt::Display for FrameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match *self {
            FrameKind::HEADER => "header",
            FrameKind::FACTS => "facts",
            FrameKind::TEXTS => "texts",
            FrameKind::RECORD => "record",
            FrameKind::CHUNK => "chunk",
            FrameKind::INDEX => "index",
            FrameKind(number) => return write!(f, "kind {number}"),
        };
        f.write_str(name)
    }
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameHead {
    /// The same in all frames of a file, so that frames of a file packed within it aren't mistaken for its
    /// own.
    pub(crate) tag: u32,
    pub(crate) kind: FrameKind,
    pub(crate) version: u16,
    pub(crate) len_payload: usize,
}

impl FrameHead {
    /// Bytes of the whole frame.
    pub(crate) fn len_frame(&self) -> usize {
        LEN_FRAME_HEAD + self.len_payload + LEN_FRAME_TAIL
    }

    /// Reads and checks a head.
    pub(crate) fn read(bytes: &[u8]) -> Result<FrameHead, Short> {
        let head = Bytes::new(bytes).take("frame head", LEN_FRAME_HEAD)?;
        if !head.starts_with(&MAGIC) {
            let what = format!("expected 8d 52 43 46, found {:02x?}", &head[..4]);
            return Err(Short { field: "magic", ofs: 0, what });
        }
        let (mut fields, mut read) = (Bytes::new(head), FrameHead::default());
        read.fields(&mut fields)?;
        let (crc, computed) = (fields.u32("crc_head")?, crc32c::crc32c(&head[..16]));
        if crc != computed {
            let what = format!("expected {computed:#010x}, found {crc:#010x}");
            return Err(Short { field: "crc_head", ofs: 16, what });
        }
        Ok(read)
    }

    /// The kind that a head states, whether it is sound or not.
    pub(crate) fn stated_kind(bytes: &[u8]) -> Option<FrameKind> {
        const KIND: std::ops::Range<usize> = 8..10;
        Some(FrameKind(u16::from_le_bytes(bytes.get(KIND)?.try_into().ok()?)))
    }

    /// The fields before `crc_head`, in the order of the structure.
    pub(crate) fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.shown("magic", &mut { MAGIC }, |magic| Hex(&magic).to_string())?;
        f.shown("tag", &mut self.tag, |tag| format!("{tag:#010x}"))?;
        f.shown("kind", &mut self.kind.0, |kind| match FrameKind(kind).version() {
            Some(_) => format!("{kind} ({})", FrameKind(kind)),
            None => kind.to_string(),
        })?;
        f.field("version", &mut self.version)?;
        length(f, "len_payload", &mut self.len_payload, MAX_LEN_PAYLOAD)
    }
}

/// Appends a frame.
pub(crate) fn write(tag: u32, kind: FrameKind, payload: &[&[u8]], out: &mut Vec<u8>) {
    let start = out.len();
    let len_payload: usize = payload.iter().map(|part| part.len()).sum();
    let version = kind.version_written(payload);
    let mut head = FrameHead { tag, kind, version, len_payload };
    let Ok(()) = head.fields(&mut Writer::new(ByteOrder::Little, out));
    let crc_head = crc32c::crc32c(&out[start..]);
    out.extend_from_slice(&crc_head.to_le_bytes());
    for part in payload {
        out.extend_from_slice(part);
    }
    let crc_payload = crc32c::crc32c(&out[start + LEN_FRAME_HEAD..]);
    out.extend_from_slice(&crc_payload.to_le_bytes());
    let len_frame = (out.len() - start + 4) as u32;
    out.extend_from_slice(&len_frame.to_le_bytes());
}

/// Checks what follows a frame's payload. `frame` is the whole frame.
pub(crate) fn check_tail(frame: &[u8]) -> Result<(), Short> {
    let end = frame.len().saturating_sub(LEN_FRAME_TAIL);
    let mut tail = Bytes::new(frame);
    tail.take("frame head", LEN_FRAME_HEAD)?;
    let payload = tail.take("payload", end.saturating_sub(LEN_FRAME_HEAD))?;
    let (crc, computed) = (tail.u32("crc_payload")?, crc32c::crc32c(payload));
    if crc != computed {
        let what = format!("expected {computed:#010x}, found {crc:#010x}");
        return Err(Short { field: "crc_payload", ofs: end, what });
    }
    match tail.u32("len_frame")? {
        len if len as usize == frame.len() => Ok(()),
        len => {
            let what = format!("expected {}, found {len}", frame.len());
            Err(Short { field: "len_frame", ofs: end + 4, what })
        }
    }
}

/// The payload of a whole frame.
pub(crate) fn payload(frame: &[u8]) -> &[u8] {
    frame.get(LEN_FRAME_HEAD..frame.len().saturating_sub(LEN_FRAME_TAIL)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_flipped_bit_is_noticed() {
        let mut frame = Vec::new();
        write(7, FrameKind::RECORD, &[b"pay", b"load"], &mut frame);
        let head = FrameHead::read(&frame).expect("sound");
        assert_eq!((head.tag, head.kind, head.len_frame()), (7, FrameKind::RECORD, frame.len()));
        check_tail(&frame).expect("sound");
        assert_eq!(payload(&frame), b"payload");
        for bit in 0..frame.len() * 8 {
            let mut flipped = frame.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let ok = FrameHead::read(&flipped).is_ok_and(|head| head.len_frame() == frame.len())
                && check_tail(&flipped).is_ok();
            assert!(!ok, "bit {bit}");
        }
    }
}
