//! A block of some of another's objects.

use recount_bytes::FormatError;

use super::{DataBlock, Object};

impl DataBlock<'_> {
    /// The same block with some of its objects, chosen by name index, and the objects that their instances' parents are in:
    /// the answer to a query for those objects. It may have more, but has each of them with its bytes unchanged.
    ///
    /// Fails if an object or an instance can't be read.
    pub fn with_objects(&self, wanted: impl Fn(u32) -> bool) -> Result<Vec<u8>, FormatError> {
        let objects = self.objects().collect::<Result<Vec<_>, _>>()?;
        let mut kept: Vec<bool> = objects.iter().map(|object| wanted(object.header().name_index)).collect();
        // Objects whose parents are still to be looked for.
        let mut coming: Vec<usize> = (0..objects.len()).filter(|at| kept[*at]).collect();
        while let Some(at) = coming.pop() {
            for parent in parents(&objects[at])? {
                let is_parent = |at: &usize| objects[*at].header().name_index == parent;
                for at in (0..objects.len()).filter(is_parent) {
                    if !std::mem::replace(&mut kept[at], true) {
                        coming.push(at);
                    }
                }
            }
        }
        let mut header = *self.header();
        let len_header = header.len_header as usize;
        let mut block = self.bytes().get(..len_header).unwrap_or_default().to_vec();
        for (object, _) in objects.iter().zip(&kept).filter(|(_, is_kept)| **is_kept) {
            block.extend_from_slice(object.bytes());
        }
        header.len_total = block.len() as u32;
        header.num_object_types = kept.iter().filter(|is_kept| **is_kept).count() as u32;
        if header.ofs_system_name.saturating_add(header.len_system_name) > header.len_header {
            // A name among the objects isn't at the same place any more.
            (header.ofs_system_name, header.len_system_name) = (0, 0);
        }
        header.write_over(&mut block);
        Ok(block)
    }
}

/// Name indexes of the objects that the parents of an object's instances are in, without repetitions in a row.
fn parents(object: &Object<'_>) -> Result<Vec<u32>, FormatError> {
    let mut parents = Vec::new();
    for instance in object.instances() {
        let parent = instance?.parent_object_index;
        if parent != 0 && parents.last() != Some(&parent) {
            parents.push(parent);
        }
    }
    Ok(parents)
}

#[cfg(test)]
mod tests {
    use recount_bytes::ByteOrder;
    use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

    use super::*;

    const ORDER: ByteOrder = ByteOrder::Big;

    fn object(name_index: u32, parent: Option<u32>) -> ObjectBuf {
        let mut object = ObjectBuf::new(name_index, true);
        let values = object.zeroed_values();
        let mut instance = InstanceBuf::named("0", ORDER, values);
        instance.definition.parent_object_index = parent.unwrap_or_default();
        object.instances = InstancesBuf::Many(vec![instance]);
        object
    }

    fn indexes(block: &[u8]) -> Vec<u32> {
        let block = DataBlock::parse(block, 0).expect("a block");
        assert_eq!(block.system_name(), "WEB1");
        block.objects().map(|object| object.expect("an object").header().name_index).collect()
    }

    #[test]
    fn objects_come_with_those_of_their_parents() {
        let mut block = BlockBuf::new("WEB1", ORDER);
        block.objects =
            vec![object(230, None), object(4, None), object(232, Some(230)), object(6, Some(232))];
        let bytes = block.write().expect("a block");
        let block = DataBlock::parse(&bytes, 0).expect("a block");
        let only = |wanted: &[u32]| block.with_objects(|index| wanted.contains(&index)).expect("a block");
        assert_eq!(only(&[230, 4, 232, 6]), bytes);
        assert_eq!(indexes(&only(&[4])), [4]);
        assert_eq!(indexes(&only(&[4, 232])), [230, 4, 232]);
        assert_eq!(indexes(&only(&[6])), [230, 232, 6]);
        assert_eq!(indexes(&only(&[7])), [0; 0]);
    }
}
