//! Registrations, texts, instances and identifiers.

use std::fmt::{self, Write};

use recount_bytes::FormatError;

use super::lines::Lines;
use crate::{
    CounterIdentifier, CounterIdentifiers, CounterRegInfo, CounterSetRegInfo, Guid, InstanceHeader,
    Instances, Registration, ReturnCode, StringOrigin, StringTable, Text, parse_guids,
};

/// The value, or a line with the fault.
fn sound<T, W: Write>(
    read: Result<T, FormatError>,
    lines: &mut Lines<'_, W>,
    show: impl FnOnce(T, &mut Lines<'_, W>) -> fmt::Result,
) -> fmt::Result {
    match read {
        Ok(read) => show(read, lines),
        Err(error) => lines.error(&error),
    }
}

pub(super) fn guids<W: Write>(buffer: &[u8], lines: &mut Lines<'_, W>) -> fmt::Result {
    sound(parse_guids(buffer, lines.ofs), lines, |guids, lines| {
        guids.iter().try_for_each(|guid| lines.field("GUID", Guid::LEN, guid))
    })
}

pub(super) fn provider_guid<W: Write>(buffer: &[u8], lines: &mut Lines<'_, W>) -> fmt::Result {
    sound(Guid::parse(buffer, lines.ofs), lines, |guid, lines| lines.field("GUID", Guid::LEN, guid))
}

pub(super) fn text<W: Write>(buffer: &[u8], lines: &mut Lines<'_, W>) -> fmt::Result {
    sound(Text::parse(buffer, lines.ofs), lines, |text, lines| lines.text("string", &text))
}

pub(super) fn registration<W: Write>(buffer: &[u8], lines: &mut Lines<'_, W>) -> fmt::Result {
    sound(Registration::parse(buffer, lines.ofs), lines, |registration, lines| {
        let set = registration.set;
        lines.structure(CounterSetRegInfo::NAME, "")?;
        lines.field("CounterSetGuid", Guid::LEN, set.guid)?;
        lines.word("CounterSetType", set.counter_set_type)?;
        lines.word("DetailLevel", set.detail_level)?;
        lines.word("NumCounters", set.num_counters)?;
        lines.word("InstanceType", format_args!("{:#x}", set.instance_type))?;
        lines.nested(|lines| {
            let mut counters = registration.counters.iter().enumerate();
            counters.try_for_each(|(number, counter)| counter_fields(counter, number, lines))
        })
    })
}

pub(super) fn counter<W: Write>(buffer: &[u8], lines: &mut Lines<'_, W>) -> fmt::Result {
    sound(CounterRegInfo::parse(buffer, lines.ofs), lines, |counter, lines| {
        counter_fields(&counter, 0, lines)
    })
}

fn counter_fields<W: Write>(
    counter: &CounterRegInfo,
    number: usize,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    let word = counter.counter_type;
    lines.structure(CounterRegInfo::NAME, format_args!(" {number}"))?;
    lines.word("CounterId", counter.counter_id)?;
    match word.name() {
        Some(name) => lines.word("Type", format_args!("{:#010X} {name}", word.0))?,
        None => lines.word("Type", format_args!("{:#010X}", word.0))?,
    }
    lines.long("Attrib", format_args!("{:#x}", counter.attributes.0))?;
    lines.word("DetailLevel", counter.detail_level)?;
    lines.word("DefaultScale", counter.default_scale)?;
    lines.word("BaseCounterId", counter.base_counter_id)?;
    lines.word("PerfTimeId", counter.perf_time_id)?;
    lines.word("PerfFreqId", counter.perf_freq_id)?;
    lines.word("MultiId", counter.multi_id)?;
    lines.word("AggregateFunc", counter.aggregate_func)?;
    lines.word("Reserved", counter.reserved)
}

pub(super) fn string_table<W: Write>(buffer: &[u8], lines: &mut Lines<'_, W>) -> fmt::Result {
    let start = lines.ofs;
    sound(StringTable::parse(buffer, start), lines, |table, lines| {
        lines.structure(StringTable::NAME, "")?;
        lines.word("dwSize", table.len)?;
        lines.word("dwCounters", table.num_counters())?;
        // Strings that share bytes are shown only until their total length reaches that of the table.
        let mut len_left = table.len_strings();
        lines.nested(|lines| {
            for (number, (id, ofs_string)) in table.offsets().enumerate() {
                lines.structure(StringTable::NAME_ENTRY, format_args!(" {number}"))?;
                lines.word("dwCounterId", id)?;
                let (Some(ofs), Some(text)) = (table.ofs_of(ofs_string), table.text_at(ofs_string)) else {
                    lines.word("dwOffset", format_args!("{ofs_string:#x} (no string)"))?;
                    continue;
                };
                match table.origin {
                    StringOrigin::Strings => lines.word("dwOffset", ofs_string)?,
                    StringOrigin::Table => {
                        lines.word("dwOffset", format_args!("{ofs_string} (from the start of the table)"))?;
                    }
                }
                let behind = std::mem::replace(&mut lines.ofs, start + ofs as u64);
                if len_left > 0 {
                    len_left = len_left.saturating_sub(text.len_padded());
                    lines.text("string", &text)?;
                } else {
                    lines.field("string", 0, "shares its bytes with strings above")?;
                }
                lines.ofs = behind;
            }
            Ok(())
        })?;
        lines.ofs = start + u64::from(table.len);
        lines.bytes("trailing", table.trailing)
    })
}

pub(super) fn instances<W: Write>(buffer: &[u8], lines: &mut Lines<'_, W>) -> fmt::Result {
    for (number, instance) in Instances::parse(buffer, lines.ofs).enumerate() {
        sound(instance, lines, |instance, lines| instance_fields(&instance, number, lines))?;
    }
    Ok(())
}

pub(super) fn instance_fields<W: Write>(
    instance: &InstanceHeader<'_>,
    number: usize,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    lines.structure(InstanceHeader::NAME, format_args!(" {number}"))?;
    lines.word("Size", instance.size)?;
    lines.word("InstanceId", instance.id)?;
    lines.text("name", &instance.name)
}

pub(super) fn identifiers<W: Write>(buffer: &[u8], lines: &mut Lines<'_, W>) -> fmt::Result {
    for (number, identifier) in CounterIdentifiers::parse(buffer, lines.ofs).enumerate() {
        sound(identifier, lines, |identifier, lines| identifier_fields(&identifier, number, lines))?;
    }
    Ok(())
}

fn identifier_fields<W: Write>(
    identifier: &CounterIdentifier<'_>,
    number: usize,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    lines.structure(CounterIdentifier::NAME, format_args!(" {number}"))?;
    lines.field("CounterSetGuid", Guid::LEN, identifier.guid)?;
    lines.word("Status", ReturnCode(identifier.status))?;
    lines.word("Size", identifier.size)?;
    lines.word("CounterId", identifier.counter_id)?;
    lines.word("InstanceId", identifier.instance_id)?;
    lines.word("Index", identifier.index)?;
    lines.word("Reserved", identifier.reserved)?;
    lines.text("name", &identifier.name)
}
