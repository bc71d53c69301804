//! A message of which only some blocks were read.

use recount_model::Piece;
use recount_pcq::{DataHeader, Message, NOT_AT_HAND};

use crate::log::OpenChunk;

/// `len_message` in a message's header (formats/ms-pcq.md#messages).
const OFS_LEN_MESSAGE: usize = 4;
/// `_PERF_DATA_HEADER.dwTotalSize` (MS-PCQ 2.2.4.7), which begins the buffer.
const OFS_LEN_TOTAL: usize = Message::LEN_HEADER;
/// A lone `_PERF_COUNTER_HEADER` (MS-PCQ 2.2.4.8): an error block in place of every block that wasn't read, so that the
/// others keep their positions.
const NOT_READ: [u8; 16] = {
    let [a, b, c, d] = NOT_AT_HAND.to_le_bytes();
    [a, b, c, d, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0]
};

/// Assembles a message from the segments that were read. `false`: it can't be assembled.
pub(super) fn assemble(chunk: &OpenChunk, record: usize, message: &mut Vec<u8>) -> bool {
    message.clear();
    let mut is_whole = true;
    for (section, bytes) in chunk.reader.segments(record) {
        match bytes {
            Some(bytes) => message.extend_from_slice(bytes),
            None if chunk.head.sections[section].section == Piece::FRAME => return false,
            None => {
                message.extend_from_slice(&NOT_READ);
                is_whole = false;
            }
        }
    }
    if !is_whole && message.len() >= Message::LEN_HEADER + DataHeader::LEN {
        let len = message.len();
        patch(message, OFS_LEN_MESSAGE, len);
        patch(message, OFS_LEN_TOTAL, len - Message::LEN_HEADER);
    }
    true
}

fn patch(message: &mut [u8], ofs: usize, len: usize) {
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    if let Some(place) = message.get_mut(ofs..ofs + 4) {
        place.copy_from_slice(&len.to_le_bytes());
    }
}
