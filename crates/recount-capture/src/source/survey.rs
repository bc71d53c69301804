//! The objects and instances of a chunk, without its values.
//!
//! The first rows of every section are combined into one block that holds every instance of the chunk. Its values come
//! from different samples, so they are meaningless together; names and definitions are those of the samples.

use recount_model::{Piece, SampleTime, Selection, Timestamp};
use recount_perf_data::{BlockDecoder, DataBlock, Header, InstanceDefinition, ObjectHeader};

use super::{CaptureSource, OFS_LEN_TOTAL, OFS_NUM_OBJECTS, patch};
use crate::CaptureError;
use crate::chunk::{Outline, OutlineGroup};
use crate::log::Entry;
use crate::payload::read_event;

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
        let sound = |block| DataBlock::parse(block, 0).ok().filter(|block| block.fault().is_none());
        let parsed: Option<Vec<DataBlock<'_>>> = blocks.iter().map(|block| sound(block)).collect();
        let Some(parsed) = parsed else { return Ok(false) };
        for block in &parsed {
            decoder.push("the capture log", (0, &self.host), block, time);
        }
        Ok(true)
    }
}

/// `PERF_DATA_BLOCK.HeaderLength`.
const OFS_LEN_HEADER: usize = 24;

/// The header of the chunk's blocks, if the frames have nothing else but events; little endian only. Blocks that have more
/// around their objects may be damaged.
fn header(outline: &Outline) -> Option<&[u8]> {
    let is_event =
        |group: &OutlineGroup| matches!(read_event(Timestamp::default(), &group.first), Ok(Some(_)));
    let mut header = None;
    for group in &outline.groups {
        if is_header(group) {
            header.get_or_insert(group.first.as_slice());
        } else if !is_event(group) {
            return None;
        }
    }
    header
}

fn is_header(group: &OutlineGroup) -> bool {
    let len = group.first.get(OFS_LEN_HEADER..).and_then(|rest| rest.first_chunk::<4>());
    let is_whole = len.is_some_and(|len| u32::from_le_bytes(*len) as usize == group.first.len());
    let is_alone = group.pairs.is_empty() && group.single.is_none();
    is_whole && is_alone && group.first.starts_with(&Header::SIGNATURE_LE)
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
