//! A block as text: every field of every structure.

use std::fmt::{self, Write};

use recount_bytes::fields::Lines;

use super::{
    CounterBlock, CounterDefinition, DataBlock, Header, InstanceDefinition, Object, ObjectHeader, TextSlot,
};

/// Writes one line per field: its byte offset in the file, its documented name and its value, indented by
/// structure. If a structure is invalid, a line beginning with `!` says so, and the dump continues after its
/// object, if possible.
pub fn dump(block: &DataBlock<'_>, out: &mut dyn Write) -> fmt::Result {
    show(block, &mut Lines::new(out))
}

/// Adds the lines of a block to a dump.
pub fn show(block: &DataBlock<'_>, lines: &mut Lines<'_>) -> fmt::Result {
    header(block, lines)?;
    lines.nested(|lines| {
        for item in block.objects() {
            match item {
                Ok(item) => object(&item, lines)?,
                Err(error) => lines.fault(error)?,
            }
        }
        Ok(())
    })
}

fn header(block: &DataBlock<'_>, lines: &mut Lines<'_>) -> fmt::Result {
    let (ofs, mut header) = (block.ofs_in_file(), *block.header());
    lines.at(ofs).structure(Header::NAME)?;
    header.fields(lines, 0)?;
    if let Some(fault) = block.system_name_fault() {
        return lines.fault(fault);
    }
    let name = block.system_name();
    lines.at(ofs + u64::from(header.ofs_system_name)).value("SystemName", 0, format_args!("{name:?}"))
}

fn object(object: &Object<'_>, lines: &mut Lines<'_>) -> fmt::Result {
    lines.at(object.place().ofs).structure(ObjectHeader::NAME)?;
    let mut header = *object.header();
    header.fields(lines, 0)?;
    lines.nested(|lines| parts(object, lines))
}

fn parts(object: &Object<'_>, lines: &mut Lines<'_>) -> fmt::Result {
    for (number, item) in object.counters().enumerate() {
        let mut counter = match item {
            Ok(counter) => counter,
            Err(error) => return lines.fault(error),
        };
        lines.at(object.ofs_of(counter.bytes));
        lines.structure(format_args!("{} {number}", CounterDefinition::NAME))?;
        counter.fields(lines, 0)?;
    }
    if let Err(error) = object.check_amplification() {
        return lines.fault(error);
    }
    match object.counter_block() {
        Some(Ok(block)) => counter_block(object, block, lines)?,
        Some(Err(error)) => lines.fault(error)?,
        None => {}
    }
    for (number, item) in object.instances().enumerate() {
        match item {
            Ok(item) => instance(object, number, item, lines)?,
            Err(error) => return lines.fault(error),
        }
    }
    Ok(())
}

fn instance(
    object: &Object<'_>,
    number: usize,
    mut instance: InstanceDefinition<'_>,
    lines: &mut Lines<'_>,
) -> fmt::Result {
    let ofs = object.ofs_of(instance.bytes);
    lines.at(ofs).structure(format_args!("{} {number}", InstanceDefinition::NAME))?;
    instance.fields(lines, 0)?;
    let name = object.encoding().decode(instance.name);
    lines.at(ofs + u64::from(instance.ofs_name)).value("Name", 0, format_args!("{name:?}"))?;
    counter_block(object, instance.counter_block, lines)
}

/// The values in the order of the definitions, each with its definition's number and name index.
fn counter_block(object: &Object<'_>, block: CounterBlock<'_>, lines: &mut Lines<'_>) -> fmt::Result {
    let ofs = object.ofs_of(block.bytes());
    lines.at(ofs).structure(CounterBlock::NAME)?;
    lines.value("ByteLength", 4, block.bytes().len())?;
    let mut len_left = TextSlot::allowed(block);
    for (number, counter) in object.counters().map_while(Result::ok).enumerate() {
        let start = counter.ofs_value as usize;
        let name = format!("[{number}] {}", counter.name_index);
        let end = start.saturating_add(counter.len_value as usize);
        lines.at(ofs + u64::from(counter.ofs_value));
        let text = TextSlot::of(&counter, object);
        let value = match (text, counter.len_value) {
            (Some(text), _) => text.read(block, &mut len_left).map(|text| format!("{text:?}")),
            (None, 4) => block.u32_at(start).map(|value| value.to_string()),
            (None, 8) => block.u64_at(start).map(|value| value.to_string()),
            (None, _) => block.bytes().get(start..end).map(|bytes| format!("{bytes:02x?}")),
        };
        lines.value(name, 0, value.as_deref().unwrap_or("beyond the block"))?;
    }
    Ok(())
}
