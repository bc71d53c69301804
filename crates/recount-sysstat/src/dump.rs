//! Dumps a file as text, with the file offset of everything shown: one line per field, by documented name. Lines that
//! begin with `!` report faults.

use std::fmt;

use recount_bytes::fields::Lines;
use recount_model::{Content, Health};

use crate::error::SaError;
use crate::layout::Layout;
use crate::names::{Activity, Kind};
use crate::store::Head;
use crate::store::record::{Body, Record, items, read_record};
use crate::store::resume::{may_be_then, only_time_is_wrong, resume};
use crate::store::scan::{Scan, changed_counts, doubt};
use crate::structure::activity::FileActivity;
use crate::structure::header::{Format, HEADER, Header, MAGIC};
use crate::structure::number::until_nul;
use crate::structure::{activity, record};

/// Writes the dump of a file. Samples after the first `max_samples` are counted, not shown; other records are shown.
pub fn dump(content: &dyn Content, max_samples: usize, out: &mut dyn fmt::Write) -> Result<(), SaError> {
    let file = content.bytes();
    let head = Head::read(file)?;
    let mut lines = Lines::new(out);
    // Writing only fails if the caller's output fails, and the caller learns of that.
    let _ = show_head(&head, &mut lines).and_then(|()| show_records(file, &head, max_samples, &mut lines));
    Ok(())
}

fn show_head(head: &Head, lines: &mut Lines<'_>) -> fmt::Result {
    let Head { header, activities, health, .. } = head;
    lines.at(0).structure(MAGIC)?;
    lines.value("sysstat_magic", 2, "0xd596")?;
    lines.value("format_magic", 2, format_args!("{:#06x}", header.format.number()))?;
    lines.value("sysstat_version", 4, header.version)?;
    if matches!(header.format, Format::Second | Format::Current) {
        lines.value("header_size", 4, header.len)?;
    }
    if header.format.is_current() {
        lines.value("upgraded", 4, header.upgraded)?;
        lines.value("hdr_types", 12, header.types)?;
    }
    show_header(header, lines.at(header.ofs as u64))?;
    for found in activities {
        let name = Activity::name_of(found.id);
        lines.at(found.ofs as u64).structure(format_args!("{} ({name})", activity::NAME))?;
        lines.value("id", 4, found.id)?;
        if !header.format.is_early() {
            lines.value("magic", 4, format_args!("{:#04x}", found.magic))?;
        }
        lines.value("nr", 4, found.num_items)?;
        if !header.format.is_early() {
            lines.value("nr2", 4, found.num_sub_items)?;
        }
        if header.format.is_current() {
            lines.value("has_nr", 4, u32::from(found.has_count))?;
        }
        lines.value("size", 4, found.len_item)?;
        if header.format.is_current() {
            lines.value("types", 12, found.types)?;
        }
    }
    show_health(health, lines)
}

fn show_header(header: &Header, lines: &mut Lines<'_>) -> fmt::Result {
    lines.structure(HEADER)?;
    // The offsets of these numbers depend on the format, so these lines have the offset of the whole
    // structure.
    lines.value("ust_time", 0, header.created)?;
    if let Some(hz) = header.hz {
        lines.value("hz", 0, hz)?;
    }
    lines.value("act_nr", 0, header.num_activities)?;
    if header.format.is_current() {
        lines.value("act_types", 0, header.act_types)?;
        lines.value("rec_types", 0, header.rec_types)?;
        lines.value("act_size", 0, header.len_activity)?;
        lines.value("rec_size", 0, header.len_record_head)?;
        lines.value("extra_next", 0, u32::from(header.extra_next))?;
    }
    if header.format == Format::Second {
        lines.value("vol_act_nr", 0, header.num_volatile)?;
    }
    lines.value("day", 0, header.day)?;
    lines.value("month", 0, header.month)?;
    lines.value("sizeof_long", 0, header.numbers.len_long)?;
    for (name, text) in [
        ("sysname", &header.sysname),
        ("nodename", &header.nodename),
        ("release", &header.release),
        ("machine", &header.machine),
        ("tzname", &header.zone),
    ] {
        lines.value(name, 0, format_args!("{text:?}"))?;
    }
    Ok(())
}

fn show_health(health: &Health, lines: &mut Lines<'_>) -> fmt::Result {
    health.findings().iter().try_for_each(|finding| lines.fault(finding))
}

fn show_records(file: &[u8], head: &Head, max_samples: usize, lines: &mut Lines<'_>) -> fmt::Result {
    let Head { header, activities, .. } = head;
    let mut counts: Vec<u32> = activities.iter().map(|activity| activity.num_items).collect();
    let (mut ofs, mut num_samples) = (head.ofs_records, 0_usize);
    let mut last_head = None;
    let doubtful = Scan::of(file, head, &mut Health::default()).doubtful;
    while ofs < file.len() {
        let read = read_record(file, header, activities, &counts, ofs);
        match &read {
            Ok(found) if may_be_then(file, header, found, last_head) => {}
            Ok(found) => lines.fault(found.header.impossible_time(header, ofs))?,
            Err(error) => lines.fault(error)?,
        }
        let may_be_then = |found: &Record| may_be_then(file, header, found, last_head);
        let is_sound =
            |found: &Record| may_be_then(found) || only_time_is_wrong(file, header, found, last_head);
        let found = match read {
            Ok(found) if is_sound(&found) => found,
            _ => {
                let found = resume(file, header, activities, &counts, ofs + 1, last_head)
                    .or_else(|| resume(file, header, activities, &counts, ofs + 1, None));
                let Some(next) = found else { return Ok(()) };
                ofs = next;
                continue;
            }
        };
        if may_be_then(&found) {
            last_head = Some(found.header);
        }
        let is_sample = matches!(found.body, Body::Statistics(_));
        if is_sample && doubtful.binary_search(&ofs).is_ok() {
            let doubt = doubt(&head.activities);
            lines.fault(format_args!("{} at byte {ofs:#x}: {doubt}", record::NAME))?;
        }
        num_samples += usize::from(is_sample);
        if !is_sample || num_samples <= max_samples {
            show_record(file, head, &counts, ofs, &found, lines)?;
        }
        if let Body::Restart(changes) = &found.body {
            counts = changed_counts(&counts, activities, changes).unwrap_or(counts);
        }
        ofs = found.next;
    }
    if num_samples > max_samples {
        lines
            .anew()
            .at(ofs as u64)
            .structure(format_args!("{} samples not shown", num_samples - max_samples))?;
    }
    Ok(())
}

fn show_record(
    file: &[u8],
    head: &Head,
    counts: &[u32],
    ofs: usize,
    found: &Record,
    lines: &mut Lines<'_>,
) -> fmt::Result {
    let record::RecordHeader { uptime, time, kind, hour, minute, second, .. } = found.header;
    lines.at(ofs as u64).structure(record::NAME)?;
    lines.value("uptime", 0, uptime)?;
    lines.value("ust_time", 0, time)?;
    lines.value("record_type", 0, kind)?;
    lines.value("time of day", 0, format_args!("{hour:02}:{minute:02}:{second:02}"))?;
    match &found.body {
        Body::Other => Ok(()),
        Body::Comment(text) => lines.value("comment", 0, format_args!("{text:?}")),
        Body::Restart(changes) => {
            changes.iter().try_for_each(|(id, count)| lines.value(Activity::name_of(*id), 0, count))
        }
        Body::Statistics(begin) => {
            let mut ofs = *begin;
            for ((found, layout), &count) in head.activities.iter().zip(&head.layouts).zip(counts) {
                let Ok((bytes, end)) = items(file, &head.header, found, count, ofs) else { return Ok(()) };
                let begin = end - bytes.len();
                lines
                    .nested(|lines| show_items(bytes, begin, found, layout.as_ref(), &head.header, lines))?;
                ofs = end;
            }
            Ok(())
        }
    }
}

fn show_items(
    bytes: &[u8],
    ofs: usize,
    found: &FileActivity,
    layout: Option<&Layout>,
    header: &Header,
    lines: &mut Lines<'_>,
) -> fmt::Result {
    let name = Activity::name_of(found.id);
    let Some(layout) = layout else {
        let magic =
            if header.format.is_early() { String::new() } else { format!(", magic {:#04x}", found.magic) };
        return lines.at(ofs as u64).structure(format_args!("{name}{magic}: {} bytes skipped", bytes.len()));
    };
    let is_real = matches!(layout.list, crate::names::List::Sensor(_));
    for (number, item) in bytes.chunks_exact(found.len_item).enumerate() {
        let ofs = ofs + number * found.len_item;
        match (found.num_sub_items as usize, found.has_count || found.num_items > 1) {
            (2.., _) => {
                let (row, column) =
                    (number / found.num_sub_items as usize, number % found.num_sub_items as usize);
                lines.at(ofs as u64).structure(format_args!("{name}[{row}][{column}]"))?;
            }
            (_, true) => lines.at(ofs as u64).structure(format_args!("{name}[{number}]"))?,
            (_, false) => lines.at(ofs as u64).structure(name)?,
        }
        for field in &layout.fields {
            lines.at((ofs + field.ofs) as u64);
            match (field.kind, field.number(header.numbers, item)) {
                (Kind::Text(_), _) => {
                    let text = String::from_utf8_lossy(until_nul(field.text(item)));
                    lines.value(field.name, 0, format_args!("{text:?}"))?;
                }
                (Kind::Quad, Some(bits)) if is_real => lines.value(field.name, 0, f64::from_bits(bits))?,
                (_, Some(value)) => lines.value(field.name, 0, value)?,
                (_, None) => {}
            }
        }
    }
    Ok(())
}
