//! Where a block ends, formats/perf-data-block.md#samba.

use super::{DataBlock, Header, Object, Whole};

/// The length of the block that begins `bytes`: its `TotalByteLength` and, if Samba made it, its `HeaderLength`.
///
/// The header was checked against the bytes.
pub(super) fn len_block(header: &Header, bytes: &[u8]) -> usize {
    len_of_samba(header, bytes).unwrap_or(header.len_total as usize)
}

/// The length of a block whose `TotalByteLength` leaves out the header; `None` if it is any other block.
///
/// Damage must not look like this, so everything has to agree: the objects end where such a block does, each of them can be
/// read, and has no byte that isn't part of its structures.
fn len_of_samba(header: &Header, bytes: &[u8]) -> Option<usize> {
    /// What Samba writes. Windows names an object.
    const DEFAULT_OBJECT: i32 = -1;
    let (len_total, len_header) = (header.len_total as usize, header.len_header as usize);
    let len = len_total.checked_add(len_header)?;
    let block = bytes.get(..len)?;
    if header.default_object != DEFAULT_OBJECT || DataBlock::recognise(block.get(len_total..)?) {
        return None;
    }
    let whole = Whole { bytes: block, ofs_in_file: 0, order: header.order };
    let objects = whole.objects(block.get(len_header..)?, header.num_object_types);
    // Their headers first: in most blocks they end somewhere else.
    let mut ends = objects.clone();
    let can_be_read = ends.by_ref().all(|object| object.is_ok());
    let are_exact =
        can_be_read && ends.rest().is_empty() && objects.flatten().all(|object| is_exact(&object));
    are_exact.then_some(len)
}

/// Whether an object can be read, and ends where its structures do.
fn is_exact(object: &Object<'_>) -> bool {
    let len_parts: usize = if let Some(values) = object.counter_block() {
        values.map_or(0, |values| values.bytes().len())
    } else {
        let instances = object.instances().map_while(Result::ok);
        instances.map(|instance| instance.bytes.len() + instance.counter_block.bytes().len()).sum()
    };
    len_parts == object.data_bytes().len() && object.fault().is_none()
}

#[cfg(test)]
mod tests {
    use recount_bytes::ByteOrder;
    use recount_model::CounterType;
    use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

    use super::*;

    const OFS_LEN_TOTAL: usize = 20;
    const OFS_DEFAULT_OBJECT: usize = 32;

    fn number(bytes: &[u8], ofs: usize) -> u32 {
        u32::from_le_bytes(bytes[ofs..ofs + 4].try_into().expect("four bytes"))
    }

    fn set(bytes: &mut [u8], ofs: usize, value: u32) {
        bytes[ofs..ofs + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// A block of an object with instances and of one without, as Windows would make it.
    fn windows() -> Vec<u8> {
        const ORDER: ByteOrder = ByteOrder::Little;
        let mut block = BlockBuf::new("WEB1", ORDER);
        block.header.default_object = 238;
        let mut disk = ObjectBuf::new(10, true);
        disk.add_counter(12, CounterType(0x1041_0500));
        let values = disk.zeroed_values();
        let instances = ["sda", "sdb"].map(|name| InstanceBuf::named(name, ORDER, values.clone()));
        disk.instances = InstancesBuf::Many(instances.into());
        let mut memory = ObjectBuf::new(2, false);
        memory.add_counter(4, CounterType(0x0001_0100));
        memory.instances = InstancesBuf::Single(memory.zeroed_values());
        block.objects = vec![disk, memory];
        block.write().expect("a block")
    }

    /// The same, as Samba would.
    fn samba() -> Vec<u8> {
        let mut block = windows();
        let len_header = number(&block, 24);
        let len_total = number(&block, OFS_LEN_TOTAL) - len_header;
        set(&mut block, OFS_LEN_TOTAL, len_total);
        set(&mut block, OFS_DEFAULT_OBJECT, u32::MAX);
        block
    }

    /// The length of a block, and how many of its objects can be read.
    fn found(bytes: &[u8]) -> (usize, usize) {
        let block = DataBlock::parse(bytes, 0).expect("a header");
        (block.bytes().len(), block.objects().flatten().count())
    }

    #[test]
    fn both_kinds_are_read_whole() {
        for block in [windows(), samba()] {
            assert_eq!(found(&block), (block.len(), 2));
            assert!(DataBlock::parse(&block, 0).expect("a block").fault().is_none());
            // Of a buffer that was too long, and one behind the other.
            assert_eq!(found(&[&block[..], &[0; 500]].concat()), (block.len(), 2));
            let two = [&block[..], &block].concat();
            let lens: Vec<usize> = crate::blocks(&two)
                .map(|item| match item {
                    crate::BlockItem::Block(found) => found.bytes().len(),
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(lens, [block.len(); 2]);
        }
    }

    #[test]
    fn damaged_blocks_are_not_taken_for_sambas() {
        let whole = windows();
        let len_header = number(&whole, 24) as usize;
        let len_first = number(&whole, len_header) as usize;
        let is_damaged = |name: &str, block: &[u8]| {
            let block = DataBlock::parse(block, 0).expect("a header");
            assert_eq!(block.bytes().len(), block.header().len_total as usize, "{name}");
            assert!(block.fault().is_some(), "{name}");
        };
        // Windows' own, its length too short by as much as Samba's.
        let mut short = whole.clone();
        set(&mut short, OFS_LEN_TOTAL, (whole.len() - len_header) as u32);
        is_damaged("length", &short);
        for (name, ofs, change) in [
            ("total", OFS_LEN_TOTAL, 8),
            ("objects", 28, 1),
            ("first object", len_header, 8),
            ("last object", len_header + len_first, 8),
            ("instances", len_header + 40, 1),
            ("counters", len_header + len_first + 32, 100),
        ] {
            let mut block = samba();
            let value = number(&block, ofs) + change;
            set(&mut block, ofs, value);
            is_damaged(name, &block);
        }
        is_damaged("cut", &samba()[..whole.len() - 1]);
    }
}
