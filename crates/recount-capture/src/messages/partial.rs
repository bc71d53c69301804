//! A message of which only some blocks were read.

use recount_model::Piece;
use recount_pcq::Message;

use crate::log::OpenChunk;

/// Assembles a message from the segments that were read. `false`: it can't be assembled.
pub(super) fn assemble(chunk: &OpenChunk, record: usize, message: &mut Vec<u8>) -> bool {
    message.clear();
    let mut is_whole = true;
    for (section, bytes) in chunk.reader.segments(record) {
        match bytes {
            Some(bytes) => message.extend_from_slice(bytes),
            None if chunk.head.sections[section].section == Piece::FRAME => return false,
            None => {
                Message::write_missing_block(message);
                is_whole = false;
            }
        }
    }
    if !is_whole {
        Message::complete(message);
    }
    true
}
