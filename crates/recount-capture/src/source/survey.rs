//! The objects and instances of a chunk, without its values.
//!
//! The first rows of every section are combined into one block that holds every instance of the chunk. Its values come
//! from different samples, so they are meaningless together; names and definitions are those of the samples.

use recount_bytes::ByteOrder;
use recount_model::{Piece, SampleTime, Selection, Timestamp};
use recount_perf_data::{BlockDecoder, DataBlock, Header, InstanceDefinition, ObjectHeader};

use super::CaptureSource;
use crate::CaptureError;
use crate::chunk::{Outline, OutlineGroup};
use crate::log::Entry;
use crate::payload::read_event;

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
        let Some((header, head)) = frame.and_then(|(_, outline)| header(outline)) else { return Ok(false) };
        let num_blocks = outlines.iter().map(|(_, outline)| outline.groups.len()).max().unwrap_or(0);
        let mut blocks = Vec::new();
        for at in 0..num_blocks {
            let mut block = head.to_vec();
            let mut num_objects = 0;
            for (_, outline) in outlines.iter().filter(|(section, _)| *section != Piece::FRAME) {
                let Some(group) = outline.groups.get(at) else { continue };
                if !append_object(group, &mut block) {
                    return Ok(false);
                }
                num_objects += 1;
            }
            header.complete(num_objects, &mut block);
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

/// The header of the chunk's blocks and its bytes, if the frames have nothing else but events; little endian only. Blocks that have more
/// around their objects may be damaged.
fn header(outline: &Outline) -> Option<(Header, &[u8])> {
    let is_event =
        |group: &OutlineGroup| matches!(read_event(Timestamp::default(), &group.first), Ok(Some(_)));
    let mut header = None;
    for group in &outline.groups {
        if let Some(found) = header_of(group) {
            header.get_or_insert((found, group.first.as_slice()));
        } else if !is_event(group) {
            return None;
        }
    }
    header
}

fn header_of(group: &OutlineGroup) -> Option<Header> {
    let header = Header::of_piece(&group.first)?;
    let is_whole = header.len_header as usize == group.first.len();
    let is_alone = group.pairs.is_empty() && group.single.is_none();
    (is_whole && is_alone && header.order == ByteOrder::Little).then_some(header)
}

/// Appends an object with all instances of a group. `false`: it has another structure, or its instances have
/// parents, which are identified by their index in one particular sample.
fn append_object(group: &OutlineGroup, block: &mut Vec<u8>) -> bool {
    let start = block.len();
    let Some(mut object) = ObjectHeader::of_piece(&group.first, ByteOrder::Little) else { return false };
    block.extend_from_slice(&group.first);
    match (&group.single, object.num_instances >= 0) {
        (None, true) => {
            for (definition, values) in &group.pairs {
                let instance = InstanceDefinition::of_piece(definition, ByteOrder::Little);
                if instance.is_none_or(|instance| instance.parent_object_index != 0) {
                    return false;
                }
                block.extend_from_slice(definition);
                block.extend_from_slice(values);
            }
            object.num_instances = group.pairs.len() as i32;
        }
        (Some(values), false) if group.pairs.is_empty() => block.extend_from_slice(values),
        _ => return false,
    }
    let Ok(len_total) = u32::try_from(block.len() - start) else { return false };
    object.len_total = len_total;
    object.write_over(ByteOrder::Little, &mut block[start..]);
    true
}
