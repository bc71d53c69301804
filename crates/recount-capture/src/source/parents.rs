//! Finds the objects whose instances are parents of others.

use recount_bytes::ByteOrder;
use recount_model::Piece;
use recount_perf_data::{Header, Object};

use crate::log::OpenChunk;

/// Name indexes of the parent objects of the objects read from a chunk. All instances of an object have parents of one
/// object, so the first of each sample suffices.
pub(super) fn parents(chunk: &OpenChunk) -> Vec<u32> {
    let mut parents = Vec::new();
    for record in 0..chunk.head.num_records {
        let mut order = ByteOrder::default();
        for (section, bytes) in chunk.reader.segments(record) {
            let Some(bytes) = bytes else { continue };
            if chunk.head.sections[section].section == Piece::FRAME {
                order = Header::of_piece(bytes).map_or(order, |header| header.order);
                continue;
            }
            let first = Object::all_in(bytes, order).next().and_then(Result::ok);
            let parent = first.and_then(|object| object.first_parent());
            parents.extend(parent.filter(|parent| !parents.contains(parent)));
        }
    }
    parents
}
