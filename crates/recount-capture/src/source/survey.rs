//! The objects and instances of a chunk, without its values.
//!
//! The first rows of every section are combined into one block that holds every instance of the chunk. Its values come
//! from different samples, so they are meaningless together; names and definitions are those of the samples.

use recount_model::{Piece, SampleTime, Selection};
use recount_perf_data::{BlockDecoder, DataBlock, InstanceDefinition, ObjectHeader};

use super::{CaptureSource, OFS_LEN_TOTAL, OFS_NUM_OBJECTS, patch};
use crate::CaptureError;
use crate::chunk::{Outline, OutlineGroup};
use crate::log::Entry;

/// `PERF_OBJECT_TYPE.NumInstances`.
const OFS_NUM_INSTANCES: usize = 40;

impl CaptureSource {
    /// Adds the blocks to which a chunk is reduced. Checks all of its checksums, so that damage is reported. `false`:
    /// the chunk can't be reduced to blocks, and its samples have to be decoded.
    pub(super) fn survey_chunk(
        &self,
        entry: &Entry,
        time: SampleTime,
        decoder: &mut BlockDecoder<'_>,
        selection: &Selection,
    ) -> Result<bool, CaptureError> {
        let outlines = self.log.read_outlines(entry, &|section| {
            section == Piece::FRAME || selection.may_match_object(&self.host, &self.names.name(section))
        })?;
        if !outlines.is_sound {
            // Decoding reports what is damaged, sample by sample.
            return Ok(false);
        }
        let outlines = outlines.sections;
        let frame = outlines.iter().find(|(section, _)| *section == Piece::FRAME);
        let Some(header) = frame.and_then(|(_, outline)| header(outline)) else { return Ok(false) };
        let num_blocks = outlines.iter().map(|(_, outline)| outline.groups.len()).max().unwrap_or(0);
        let mut blocks = Vec::new();
        for at in 0..num_blocks {
            let mut block = header.to_vec();
            let mut num_objects = 0;
            for (_, outline) in outlines.iter().filter(|(section, _)| *section != Piece::FRAME) {
                let Some(group) = outline.groups.get(at) else { continue };
                if !append_object(group, &mut block) {
                    return Ok(false);
                }
                num_objects += 1;
            }
            let Ok(len) = u32::try_from(block.len()) else { return Ok(false) };
            patch(&mut block, OFS_LEN_TOTAL, len, false);
            patch(&mut block, OFS_NUM_OBJECTS, num_objects, false);
            blocks.push(block);
        }
        let parsed: Option<Vec<DataBlock<'_>>> =
            blocks.iter().map(|block| DataBlock::parse(block, 0).ok().filter(is_sound)).collect();
        let Some(parsed) = parsed else { return Ok(false) };
        for block in &parsed {
            decoder.push("the capture log", (0, &self.host), block, time);
        }
        Ok(true)
    }
}

/// The header of the chunk's blocks, if the frames begin with one; little endian only.
fn header(outline: &Outline) -> Option<&[u8]> {
    let is_header = |group: &&OutlineGroup| group.first.starts_with(&recount_perf_data::Header::SIGNATURE_LE);
    outline.groups.iter().find(is_header).map(|group| group.first.as_slice())
}

/// Appends an object with all instances of a group. `false`: it has another structure, or its instances have
/// parents, which are identified by their index in one particular sample.
fn append_object(group: &OutlineGroup, block: &mut Vec<u8>) -> bool {
    let start = block.len();
    block.extend_from_slice(&group.first);
    let Some(num_instances) = block.get(start + OFS_NUM_INSTANCES..start + OFS_NUM_INSTANCES + 4) else {
        return false;
    };
    let is_instanced = num_instances != [0xFF; 4] && group.first.len() >= ObjectHeader::LEN;
    match (&group.single, is_instanced) {
        (None, true) => {
            for (definition, values) in &group.pairs {
                let has_parent = definition.get(4..8) != Some(&[0; 4]);
                if has_parent || definition.len() < InstanceDefinition::LEN {
                    return false;
                }
                block.extend_from_slice(definition);
                block.extend_from_slice(values);
            }
            patch(block, start + OFS_NUM_INSTANCES, group.pairs.len() as u32, false);
        }
        (Some(values), false) if group.pairs.is_empty() => block.extend_from_slice(values),
        _ => return false,
    }
    let Ok(len) = u32::try_from(block.len() - start) else { return false };
    patch(block, start, len, false);
    true
}

/// Whether every structure of a block is as it should be.
fn is_sound(block: &DataBlock<'_>) -> bool {
    block
        .objects()
        .all(|object| object.is_ok_and(|object| object.instances().all(|instance| instance.is_ok())))
}
