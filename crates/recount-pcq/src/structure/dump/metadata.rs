//! Registrations, texts, instances and identifiers.

use std::fmt;

use recount_bytes::FormatError;
use recount_bytes::fields::Lines;

use crate::{
    CounterIdentifier, CounterIdentifiers, CounterRegInfo, CounterSetRegInfo, Guid, InstanceHeader,
    Instances, Registration, StringOrigin, StringTable, Text, parse_guids,
};

/// The value, or a line with the fault.
fn sound<T>(
    read: Result<T, FormatError>,
    lines: &mut Lines<'_>,
    show: impl FnOnce(T, &mut Lines<'_>) -> fmt::Result,
) -> fmt::Result {
    match read {
        Ok(read) => show(read, lines),
        Err(error) => lines.fault(&error),
    }
}

pub(super) fn guids(buffer: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    sound(parse_guids(buffer, lines.ofs()), lines, |guids, lines| {
        guids.iter().try_for_each(|guid| lines.value("GUID", Guid::LEN, guid))
    })
}

pub(super) fn provider_guid(buffer: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    sound(Guid::parse(buffer, lines.ofs()), lines, |guid, lines| lines.value("GUID", Guid::LEN, guid))
}

pub(super) fn text(buffer: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    sound(Text::parse(buffer, lines.ofs()), lines, |text, lines| text_value("string", &text, lines))
}

pub(super) fn registration(buffer: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    sound(Registration::parse(buffer, lines.ofs()), lines, |registration, lines| {
        let mut set = registration.set;
        lines.structure(CounterSetRegInfo::NAME)?;
        set.fields(usize::MAX, lines)?;
        lines.nested(|lines| {
            let mut counters = registration.counters.iter().enumerate();
            counters.try_for_each(|(number, counter)| counter_fields(counter, number, lines))
        })
    })
}

pub(super) fn counter(buffer: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    sound(CounterRegInfo::parse(buffer, lines.ofs()), lines, |counter, lines| {
        counter_fields(&counter, 0, lines)
    })
}

fn counter_fields(counter: &CounterRegInfo, number: usize, lines: &mut Lines<'_>) -> fmt::Result {
    lines.structure(format_args!("{} {number}", CounterRegInfo::NAME))?;
    { *counter }.fields(lines)
}

pub(super) fn string_table(buffer: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    let start = lines.ofs();
    sound(StringTable::parse(buffer, start), lines, |table, lines| {
        lines.structure(StringTable::NAME)?;
        lines.value("dwSize", 4, table.len)?;
        lines.value("dwCounters", 4, table.num_counters())?;
        // Strings that share bytes are shown only until their total length reaches that of the table.
        let mut len_left = table.len_strings();
        lines.nested(|lines| {
            for (number, (id, ofs_string)) in table.offsets().enumerate() {
                lines.structure(format_args!("{} {number}", StringTable::NAME_ENTRY))?;
                lines.value("dwCounterId", 4, id)?;
                let (Some(ofs), Some(text)) = (table.ofs_of(ofs_string), table.text_at(ofs_string)) else {
                    lines.value("dwOffset", 4, format_args!("{ofs_string:#x} (no string)"))?;
                    continue;
                };
                match table.origin {
                    StringOrigin::Strings => lines.value("dwOffset", 4, ofs_string)?,
                    StringOrigin::Table => {
                        lines.value(
                            "dwOffset",
                            4,
                            format_args!("{ofs_string} (from the start of the table)"),
                        )?;
                    }
                }
                let behind = lines.ofs();
                lines.at(start + ofs as u64);
                if len_left > 0 {
                    len_left = len_left.saturating_sub(text.len_padded());
                    text_value("string", &text, lines)?;
                } else {
                    lines.value("string", 0, "shares its bytes with strings above")?;
                }
                lines.at(behind);
            }
            Ok(())
        })?;
        lines.at(start + u64::from(table.len));
        lines.bytes("trailing", table.trailing)
    })
}

pub(super) fn instances(buffer: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    for (number, instance) in Instances::parse(buffer, lines.ofs()).enumerate() {
        sound(instance, lines, |instance, lines| instance_fields(&instance, number, lines))?;
    }
    Ok(())
}

pub(super) fn instance_fields(
    instance: &InstanceHeader<'_>,
    number: usize,
    lines: &mut Lines<'_>,
) -> fmt::Result {
    let mut header = *instance;
    lines.structure(format_args!("{} {number}", InstanceHeader::NAME))?;
    header.fields(usize::MAX, lines)?;
    text_value("name", &header.name, lines)
}

pub(super) fn identifiers(buffer: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    for (number, identifier) in CounterIdentifiers::parse(buffer, lines.ofs()).enumerate() {
        sound(identifier, lines, |identifier, lines| identifier_fields(&identifier, number, lines))?;
    }
    Ok(())
}

fn identifier_fields(
    identifier: &CounterIdentifier<'_>,
    number: usize,
    lines: &mut Lines<'_>,
) -> fmt::Result {
    let mut identifier = *identifier;
    lines.structure(format_args!("{} {number}", CounterIdentifier::NAME))?;
    identifier.fields(usize::MAX, lines)?;
    text_value("name", &identifier.name, lines)
}

/// Text, its null, and its padding.
fn text_value(name: &str, text: &Text<'_>, lines: &mut Lines<'_>) -> fmt::Result {
    let len = text.len_padded() - text.padding.len();
    if len > 0 {
        lines.value(name, len, format_args!("{:?}", text.to_string_lossy()))?;
    }
    lines.bytes("padding", text.padding)
}
