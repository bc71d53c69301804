//! Damage, and frames that this program doesn't write (formats/rcap.md#frames).

use std::io;

const LEN_HEAD: usize = 20;
const LEN_TAIL: usize = 8;
const HEADER: u16 = 1;
const TEXTS: u16 = 3;
const CHUNK: u16 = 5;
const INDEX: u16 = 6;

/// Offset, kind and length of every frame of a sound log.
fn frames(log: &[u8]) -> io::Result<Vec<(usize, u16, usize)>> {
    let mut frames = Vec::new();
    let mut ofs = 0;
    while ofs < log.len() {
        let kind = u16::from_le_bytes(field(log, ofs + 8)?);
        let len = LEN_HEAD + u32::from_le_bytes(field(log, ofs + 12)?) as usize + LEN_TAIL;
        frames.push((ofs, kind, len));
        ofs += len;
    }
    Ok(frames)
}

fn field<const N: usize>(bytes: &[u8], ofs: usize) -> io::Result<[u8; N]> {
    let field = bytes.get(ofs..).and_then(|bytes| bytes.first_chunk());
    field.copied().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn number(bytes: &[u8], ofs: usize) -> io::Result<usize> {
    Ok(u32::from_le_bytes(field(bytes, ofs)?) as usize)
}

/// A frame of any kind and version.
fn frame(tag: [u8; 4], kind: u16, version: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x8D, b'R', b'C', b'F'];
    frame.extend(tag);
    frame.extend(kind.to_le_bytes());
    frame.extend(version.to_le_bytes());
    frame.extend((payload.len() as u32).to_le_bytes());
    frame.extend(crc32c::crc32c(&frame).to_le_bytes());
    frame.extend(payload);
    frame.extend(crc32c::crc32c(payload).to_le_bytes());
    frame.extend((frame.len() as u32 + 4).to_le_bytes());
    frame
}

/// A bit flipped in the columns of the second chunk's section with the longest columns.
pub(super) fn with_flipped_bit(log: &[u8]) -> io::Result<Vec<u8>> {
    let frames = frames(log)?;
    let mut chunks = frames.iter().filter(|(_, kind, _)| *kind == CHUNK);
    let chunk = chunks.nth(1).map(|(ofs, ..)| ofs + LEN_HEAD).ok_or(io::ErrorKind::InvalidData)?;
    let num_sections = number(log, chunk + 36)?;
    let mut ofs = chunk + 52 + 32 * num_sections + 4 + number(log, chunk + 40)?;
    let mut longest = (0, 0);
    for section in 0..num_sections {
        let entry = chunk + 52 + 32 * section;
        let (len_structure, len_columns) = (number(log, entry + 8)?, number(log, entry + 16)?);
        longest = longest.max((len_columns, ofs + len_structure));
        ofs += len_structure + len_columns;
    }
    let (len_columns, ofs_columns) = longest;
    let mut damaged = log.to_vec();
    damaged[ofs_columns + len_columns / 2] ^= 0x10;
    Ok(damaged)
}

/// After the header a private frame, one of an unknown kind, and one of an unknown version. The index is left
/// out, because its offsets would be wrong.
pub(super) fn with_foreign_frames(log: &[u8]) -> io::Result<Vec<u8>> {
    let frames = frames(log)?;
    let tag = field(log, 4)?;
    let mut foreign = Vec::new();
    for (ofs, kind, len) in frames {
        if kind != INDEX {
            foreign.extend(&log[ofs..ofs + len]);
        }
        if kind == HEADER {
            foreign.extend(frame(tag, 0x8001, 0, b"somebody's own"));
            foreign.extend(frame(tag, 7, 1, b"of a later version"));
            foreign.extend(frame(tag, TEXTS, 2, b"not as you know them"));
        }
    }
    Ok(foreign)
}
