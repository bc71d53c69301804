//! Finds the objects whose instances are parents of others.

use recount_model::Piece;
use recount_perf_data::Header;

use crate::log::OpenChunk;

/// `PERF_OBJECT_TYPE.DefinitionLength`: the first instance follows the definitions.
const OFS_LEN_DEFINITION: usize = 4;
/// `PERF_OBJECT_TYPE.NumInstances`.
const OFS_NUM_INSTANCES: usize = 40;
/// `PERF_INSTANCE_DEFINITION.ParentObjectTitleIndex`.
const OFS_PARENT: usize = 4;

/// Name indexes of the parent objects of the objects read from a chunk. All instances of an object have parents of one
/// object, so the first of each sample suffices.
pub(super) fn parents(chunk: &OpenChunk) -> Vec<u32> {
    let mut parents = Vec::new();
    for record in 0..chunk.head.num_records {
        let mut is_big = false;
        for (section, bytes) in chunk.reader.segments(record) {
            let Some(bytes) = bytes else { continue };
            if chunk.head.sections[section].section == Piece::FRAME {
                is_big |= bytes.starts_with(&Header::SIGNATURE_BE);
            } else if let Some(parent) = parent_of(bytes, is_big).filter(|parent| !parents.contains(parent)) {
                parents.push(parent);
            }
        }
    }
    parents
}

fn parent_of(object: &[u8], is_big: bool) -> Option<u32> {
    let word = |ofs: usize| {
        let bytes = *object.get(ofs..)?.first_chunk::<4>()?;
        Some(if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    };
    let has_instances = (word(OFS_NUM_INSTANCES)? as i32) > 0;
    let first = (word(OFS_LEN_DEFINITION)? as usize).checked_add(OFS_PARENT)?;
    word(first).filter(|parent| has_instances && *parent != 0)
}
