//! `PERF_DATA_BLOCK`s with other names. Only what the format defines is written: no padding, and no bytes between values, which may
//! be stale memory.

use std::ops::Range;

use recount_bytes::{ByteOrder, Encoding, FormatError, encode_utf16};
use recount_model::{NameTable, Size, TypeClass};
use recount_perf_data::{
    CounterBlock, CounterDefinition, DataBlock, Header, InstanceDefinition, Object, ObjectHeader,
};

use super::names::Names;
use super::pseudonym::Kind;

/// A block that was written again.
pub(super) struct RenamedBlock {
    pub(super) bytes: Vec<u8>,
    /// Why an object had to be left out.
    pub(super) fault: Option<FormatError>,
}

/// The block with the names of its machine and instances replaced. `texts` names the objects.
pub(super) fn rename_block(block: &DataBlock<'_>, texts: &NameTable, names: &Names) -> RenamedBlock {
    let header = *block.header();
    let host = names.host(&block.system_name());
    let (named, tail) = Header::named(&host, header.order);
    let mut bytes = vec![0; Header::LEN];
    bytes.extend(tail);
    let (mut num_object_types, mut fault) = (0, None);
    for object in block.objects() {
        let object = match object.and_then(|object| object.fault().map_or(Ok(object), Err)) {
            Ok(object) => object,
            Err(error) => {
                fault.get_or_insert(error);
                continue;
            }
        };
        write_object(&object, kind_of(object.header().name_index, texts), names, &mut bytes);
        num_object_types += 1;
    }
    let header = Header {
        len_total: bytes.len() as u32,
        len_header: named.len_header,
        num_object_types,
        padding: 0,
        len_system_name: if host.is_empty() { 0 } else { named.len_system_name },
        ofs_system_name: named.ofs_system_name,
        ..header
    };
    header.write_over(&mut bytes);
    RenamedBlock { bytes, fault }
}

/// What the instances of an object are. Without a name its index says it: those of Windows' own objects are fixed.
fn kind_of(name_index: u32, texts: &NameTable) -> Kind {
    let of_windows = match name_index {
        230 => "Process",
        232 => "Thread",
        234 => "PhysicalDisk",
        236 => "LogicalDisk",
        510 => "Network Interface",
        _ => "",
    };
    Kind::of_object(texts.get(name_index).unwrap_or(of_windows))
}

fn write_object(object: &Object<'_>, kind: Kind, names: &Names, out: &mut Vec<u8>) {
    let (start, order) = (out.len(), object.order());
    out.resize(start + ObjectHeader::LEN, 0);
    let mut numbers = Vec::new();
    for counter in object.counters().flatten() {
        numbers.extend(number_of(&counter));
        let len = CounterDefinition::LEN as u32;
        CounterDefinition { len, name_title: 0, help_title: 0, bytes: &[], ..counter }.write(order, out);
    }
    let len_definition = (out.len() - start) as u32;
    if let Some(Ok(values)) = object.counter_block() {
        write_values(values, &numbers, order, out);
    }
    for instance in object.instances().flatten() {
        write_instance(&instance, object, kind, names, out);
        write_values(instance.counter_block, &numbers, order, out);
    }
    out.resize(start + (out.len() - start).next_multiple_of(8), 0);
    let header = ObjectHeader {
        len_total: (out.len() - start) as u32,
        len_definition,
        len_header: ObjectHeader::LEN as u32,
        name_title: 0,
        help_title: 0,
        ..*object.header()
    };
    header.write_over(order, &mut out[start..]);
}

/// Where the number of a counter is in the counter block; `None` for a text.
fn number_of(counter: &CounterDefinition<'_>) -> Option<Range<usize>> {
    if counter.counter_type.class() == TypeClass::Text {
        return None;
    }
    let by_word = match counter.counter_type.size() {
        Size::Dword => 4,
        Size::Large => 8,
        _ => 0,
    };
    let stated = Some(counter.len_value as usize).filter(|len| matches!(len, 4 | 8)).unwrap_or(0);
    let start = counter.ofs_value as usize;
    Some(start..start.checked_add(by_word.max(stated))?)
}

/// A counter block of the same length, with the numbers only.
fn write_values(values: CounterBlock<'_>, numbers: &[Range<usize>], order: ByteOrder, out: &mut Vec<u8>) {
    let (start, values) = (out.len(), values.bytes());
    out.resize(start + values.len(), 0);
    let written = &mut out[start..];
    for number in numbers {
        // One that the block is too short for may still have its first half.
        let range = number.start.min(values.len())..number.end.min(values.len());
        written[range.clone()].copy_from_slice(&values[range]);
    }
    let len = values.len() as u32;
    let len = match order {
        ByteOrder::Little => len.to_le_bytes(),
        ByteOrder::Big => len.to_be_bytes(),
    };
    written[..CounterBlock::LEN_HEADER].copy_from_slice(&len);
}

fn write_instance(
    instance: &InstanceDefinition<'_>,
    object: &Object<'_>,
    kind: Kind,
    names: &Names,
    out: &mut Vec<u8>,
) {
    let name = match (instance.name, object.encoding()) {
        ([], _) => Vec::new(),
        (name, Encoding::Utf16(order)) => {
            encode_utf16(&names.instance(kind, &object.encoding().decode(name)), order)
        }
        (name, encoding) => {
            let text = encoding.decode(name);
            let renamed = names.instance(kind, &text);
            // One that stays has its own bytes, up to its NUL. A part that isn't ASCII can't stay: its code page isn't known.
            let own = || name.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
            let mut bytes = match renamed {
                renamed if renamed == text => own(),
                renamed if renamed.is_ascii() => renamed.into_bytes(),
                _ => names.whole(kind, &text).as_bytes().to_vec(),
            };
            bytes.push(0);
            bytes
        }
    };
    let start = out.len();
    let len = (InstanceDefinition::LEN + name.len()).next_multiple_of(8);
    let definition = InstanceDefinition {
        len: len as u32,
        ofs_name: InstanceDefinition::LEN as u32,
        len_name: name.len() as u32,
        ..*instance
    };
    definition.write(object.order(), out);
    out.extend(name);
    out.resize(start + len, 0);
}

#[cfg(test)]
mod tests {
    use recount_model::CounterType;
    use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

    use super::super::pseudonym::Pseudonyms;
    use super::*;

    fn names() -> Names {
        Names::new(Pseudonyms::new(b"a key").expect("a key"), &[])
    }

    /// A block with secrets wherever no structure has a field.
    fn leaky(order: ByteOrder) -> Vec<u8> {
        const SECRET: &[u8] = b"a secret";
        let mut block = BlockBuf::new("PAYROLL1", order);
        block.header_tail.extend(SECRET);
        let mut process = ObjectBuf::new(230, true);
        let counter = process.add_counter(6, CounterType(0x2051_0500));
        process.definition_tail.extend(SECRET);
        let mut values = process.zeroed_values();
        process.set_value(&mut values, order, counter, 4_711);
        values.extend(SECRET);
        let len = (values.len() as u32).to_le_bytes();
        values[..4].copy_from_slice(&len);
        if order == ByteOrder::Big {
            values[..4].reverse();
        }
        let mut instance = InstanceBuf::named("payroll", order, values);
        instance.tail.extend(SECRET);
        process.instances = InstancesBuf::Many(vec![instance]);
        process.tail.extend(SECRET);
        block.objects = vec![process];
        block.tail.extend(SECRET);
        block.write().expect("a block")
    }

    #[test]
    fn only_what_has_a_meaning_is_written() {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let bytes = leaky(order);
            let block = DataBlock::parse(&bytes, 0).expect("a block");
            let names = names();
            let renamed = rename_block(&block, &NameTable::new(), &names);
            assert!(renamed.fault.is_none(), "{:?}", renamed.fault);
            assert!(!renamed.bytes.windows(6).any(|window| window == b"secret"));
            let read = DataBlock::parse(&renamed.bytes, 0).expect("a block");
            assert!(read.fault().is_none(), "{:?}", read.fault());
            assert_eq!(read.bytes().len(), renamed.bytes.len());
            assert_eq!(read.system_name(), *names.host("PAYROLL1"));
            let object = read.objects().next().expect("an object").expect("sound");
            let instance = object.instances().next().expect("an instance").expect("sound");
            assert_eq!(object.encoding().decode(instance.name), names.instance(Kind::Process, "payroll"));
            let counter = object.counters().next().expect("a counter").expect("sound");
            assert_eq!(instance.counter_block.u64_at(counter.ofs_value as usize), Some(4_711));
        }
    }
}
