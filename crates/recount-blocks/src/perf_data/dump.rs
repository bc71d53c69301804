//! A block as text: every field of every structure.

use std::fmt::{self, Write};

use super::{CounterBlock, CounterDefinition, DataBlock, Header, InstanceDefinition, Object, ObjectHeader};
use crate::BlockError;

/// Writes one line per field: its byte offset in the file, its documented name and its value, indented by
/// structure. Where a structure is unsound, a line beginning with `!` says so and the dump goes on behind its
/// object, if it can.
pub fn dump(block: &DataBlock<'_>, out: &mut impl Write) -> fmt::Result {
    let mut lines = Lines { out, depth: 0 };
    header(block, &mut lines)?;
    lines.depth += 1;
    for item in block.objects() {
        match item {
            Ok(item) => object(&item, &mut lines)?,
            Err(error) => lines.error(&error)?,
        }
    }
    Ok(())
}

struct Lines<'w, W> {
    out: &'w mut W,
    depth: usize,
}

impl<W: Write> Lines<'_, W> {
    fn structure(&mut self, ofs: u64, name: &str, what: fmt::Arguments<'_>) -> fmt::Result {
        writeln!(self.out, "{ofs:#010x} {:indent$}{name}{what}", "", indent = 2 * self.depth)
    }

    fn field(&mut self, ofs: u64, name: &str, value: impl fmt::Display) -> fmt::Result {
        writeln!(self.out, "{ofs:#010x} {:indent$}{name} = {value}", "", indent = 2 * self.depth + 2)
    }

    /// Four-byte fields in a row.
    fn fields(&mut self, ofs: u64, fields: &[(&str, &dyn fmt::Display)]) -> fmt::Result {
        (ofs..).step_by(4).zip(fields).try_for_each(|(ofs, (name, value))| self.field(ofs, name, value))
    }

    fn error(&mut self, error: &BlockError) -> fmt::Result {
        writeln!(self.out, "! {error}")
    }
}

fn header<W: Write>(block: &DataBlock<'_>, lines: &mut Lines<'_, W>) -> fmt::Result {
    let (ofs, header) = (block.ofs_in_file(), block.header());
    lines.structure(ofs, Header::NAME, format_args!(""))?;
    lines.field(ofs, "Signature", "\"PERF\"")?;
    lines.fields(
        ofs + 8,
        &[
            ("LittleEndian", &u32::from(header.order == super::ByteOrder::Little)),
            ("Version", &header.version),
            ("Revision", &header.revision),
            ("TotalByteLength", &header.len_total),
            ("HeaderLength", &header.len_header),
            ("NumObjectTypes", &header.num_object_types),
            ("DefaultObject", &header.default_object),
        ],
    )?;
    let t = header.system_time;
    let system_time = format_args!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}, day of week {}",
        t.year, t.month, t.day, t.hour, t.minute, t.second, t.milliseconds, t.day_of_week
    )
    .to_string();
    lines.field(ofs + 36, "SystemTime", system_time)?;
    lines.field(ofs + 52, "padding", format_args!("{:#010x}", header.padding))?;
    lines.field(ofs + 56, "PerfTime", header.perf_time)?;
    lines.field(ofs + 64, "PerfFreq", header.perf_freq)?;
    let time = recount_model::Timestamp(header.perf_time_100ns);
    lines.field(ofs + 72, "PerfTime100nSec", format_args!("{} ({time})", header.perf_time_100ns))?;
    lines.field(ofs + 80, "SystemNameLength", header.len_system_name)?;
    lines.field(ofs + 84, "SystemNameOffset", header.ofs_system_name)?;
    let ofs_name = ofs + u64::from(header.ofs_system_name);
    lines.field(ofs_name, "SystemName", format_args!("{:?}", block.system_name()))
}

fn object<W: Write>(object: &Object<'_>, lines: &mut Lines<'_, W>) -> fmt::Result {
    let (ofs, header) = (object.place().ofs, object.header());
    lines.structure(ofs, ObjectHeader::NAME, format_args!(""))?;
    lines.fields(
        ofs,
        &[
            ("TotalByteLength", &header.len_total),
            ("DefinitionLength", &header.len_definition),
            ("HeaderLength", &header.len_header),
            ("ObjectNameTitleIndex", &header.name_index),
            ("ObjectNameTitle", &header.name_title),
            ("ObjectHelpTitleIndex", &header.help_index),
            ("ObjectHelpTitle", &header.help_title),
            ("DetailLevel", &header.detail_level),
            ("NumCounters", &header.num_counters),
            ("DefaultCounter", &header.default_counter),
            ("NumInstances", &header.num_instances),
            ("CodePage", &header.code_page),
        ],
    )?;
    lines.field(ofs + 48, "PerfTime", header.perf_time)?;
    lines.field(ofs + 56, "PerfFreq", header.perf_freq)?;
    lines.depth += 1;
    let result = parts(object, lines);
    lines.depth -= 1;
    result
}

fn parts<W: Write>(object: &Object<'_>, lines: &mut Lines<'_, W>) -> fmt::Result {
    for (number, item) in object.counters().enumerate() {
        match item {
            Ok(item) => counter(object.ofs_of(item.bytes), number, &item, lines)?,
            Err(error) => return lines.error(&error),
        }
    }
    if let Err(error) = object.check_amplification() {
        return lines.error(&error);
    }
    match object.counter_block() {
        Some(Ok(block)) => counter_block(object, block, lines)?,
        Some(Err(error)) => lines.error(&error)?,
        None => {}
    }
    for (number, item) in object.instances().enumerate() {
        match item {
            Ok(item) => {
                instance(object, number, &item, lines)?;
                counter_block(object, item.counter_block, lines)?;
            }
            Err(error) => return lines.error(&error),
        }
    }
    Ok(())
}

fn counter<W: Write>(
    ofs: u64,
    number: usize,
    counter: &CounterDefinition<'_>,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    lines.structure(ofs, CounterDefinition::NAME, format_args!(" {number}"))?;
    let word = counter.counter_type;
    let counter_type = match word.name() {
        Some(name) => format!("{:#010X} {name}", word.0),
        None => format!("{:#010X}", word.0),
    };
    lines.fields(
        ofs,
        &[
            ("ByteLength", &counter.len),
            ("CounterNameTitleIndex", &counter.name_index),
            ("CounterNameTitle", &counter.name_title),
            ("CounterHelpTitleIndex", &counter.help_index),
            ("CounterHelpTitle", &counter.help_title),
            ("DefaultScale", &counter.default_scale),
            ("DetailLevel", &counter.detail_level),
            ("CounterType", &counter_type),
            ("CounterSize", &counter.len_value),
            ("CounterOffset", &counter.ofs_value),
        ],
    )
}

fn instance<W: Write>(
    object: &Object<'_>,
    number: usize,
    instance: &InstanceDefinition<'_>,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    let ofs = object.ofs_of(instance.bytes);
    lines.structure(ofs, InstanceDefinition::NAME, format_args!(" {number}"))?;
    lines.fields(
        ofs,
        &[
            ("ByteLength", &instance.len),
            ("ParentObjectTitleIndex", &instance.parent_object_index),
            ("ParentObjectInstance", &instance.parent_instance),
            ("UniqueID", &instance.unique_id),
            ("NameOffset", &instance.ofs_name),
            ("NameLength", &instance.len_name),
        ],
    )?;
    let name = object.encoding().decode(instance.name);
    lines.field(ofs + u64::from(instance.ofs_name), "Name", format_args!("{name:?}"))
}

/// The values in the order of the definitions, each by its definition's number and name index.
fn counter_block<W: Write>(
    object: &Object<'_>,
    block: CounterBlock<'_>,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    let ofs = object.ofs_of(block.bytes());
    lines.structure(ofs, CounterBlock::NAME, format_args!(""))?;
    lines.field(ofs, "ByteLength", block.bytes().len())?;
    for (number, counter) in object.counters().enumerate() {
        let Ok(counter) = counter else { break };
        let start = counter.ofs_value as usize;
        let name = format!("[{number}] {}", counter.name_index);
        let ofs = ofs + u64::from(counter.ofs_value);
        let value = match counter.len_value {
            4 => block.u32_at(start),
            8 => block.u64_at(start),
            _ => {
                let end = start.saturating_add(counter.len_value as usize);
                match block.bytes().get(start..end) {
                    Some(bytes) => lines.field(ofs, &name, format_args!("{bytes:02x?}"))?,
                    None => lines.field(ofs, &name, "beyond the block")?,
                }
                continue;
            }
        };
        match value {
            Some(value) => lines.field(ofs, &name, value)?,
            None => lines.field(ofs, &name, "beyond the block")?,
        }
    }
    Ok(())
}
