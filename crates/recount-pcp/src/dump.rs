//! The structure of a file of an archive as text.

use std::fmt;

use recount_bytes::FormatError;
use recount_bytes::fields::{Hex, Lines};

use crate::PcpError;
use crate::structure::{
    DataRecord, DomainRecord, Frame, Frames, Label, LabelRecord, MetricRecord, Pmid, TextRecord, Version,
    be_u32, kind,
};

/// Dumps a decompressed file of an archive: `.meta`, `.index` or a volume, with up to `max_records` records.
///
/// # Errors
/// If it doesn't begin with a label, or writing to `out` fails. Later faults are shown in the dump.
pub fn dump(name: &str, bytes: &[u8], max_records: usize, out: &mut dyn fmt::Write) -> Result<(), PcpError> {
    let mut label = Label::read(name, bytes)?;
    Ok(dump_file(&mut label, bytes, max_records, &mut Lines::new(out))?)
}

fn dump_file(label: &mut Label, bytes: &[u8], max: usize, lines: &mut Lines<'_>) -> fmt::Result {
    const INDEX: i32 = -2;
    const META: i32 = -1;
    lines.structure(Label::NAME)?;
    label.fields(lines)?;
    let version = label.version;
    if label.volume == INDEX {
        return dump_index(version, bytes, lines);
    }
    let is_meta = label.volume == META;
    let is_sound = |frame: &Frame<'_>| {
        if is_meta { kind::is_known(frame.kind()) } else { DataRecord::is_sound(version, *frame) }
    };
    for (number, frame) in Frames::new(bytes, version.len_label(), DataRecord::NAME, is_sound).enumerate() {
        let shown = match frame {
            Ok(frame) if label.volume == META => dump_meta(version, &frame, lines)?,
            Ok(_) if number >= max => break,
            Ok(frame) => dump_record(version, frame, lines)?,
            Err(error) => Err(error),
        };
        if let Err(error) = shown {
            lines.fault(error)?;
        }
    }
    Ok(())
}

fn dump_index(version: Version, bytes: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    let len_ofs = if version == Version::V2 { 4 } else { 8 };
    let len = version.len_time() + 4 + 2 * len_ofs;
    let ofs =
        |entry: &[u8], at: usize| entry[at..at + len_ofs].iter().fold(0_u64, |n, b| n << 8 | u64::from(*b));
    let start = version.len_label().min(bytes.len());
    for (number, entry) in bytes[start..].chunks(len).enumerate() {
        lines.at((start + number * len) as u64);
        if entry.len() < len {
            lines.fault(format!("the last entry of the index has {} of {len} bytes", entry.len()))?;
            break;
        }
        let at = version.len_time();
        let time = crate::structure::Stamp::read(version, entry);
        let time = time.map_or_else(|| "no time".to_owned(), |time| time.to_string());
        let volume = be_u32(entry, at).unwrap_or_default() as i32;
        let (meta, data) = (ofs(entry, at + 4), ofs(entry, at + 4 + len_ofs));
        lines.structure(format!(
            "index entry: {time}, volume {volume}, .meta from {meta:#x}, volume from {data:#x}"
        ))?;
    }
    Ok(())
}

type Shown = Result<Result<(), FormatError>, fmt::Error>;

fn dump_meta(version: Version, frame: &Frame<'_>, lines: &mut Lines<'_>) -> Shown {
    lines.at(frame.ofs);
    match frame.kind() {
        kind::METRIC => match MetricRecord::parse(frame) {
            Ok(mut metric) => {
                lines.structure(MetricRecord::NAME)?;
                metric.fields(lines)?;
                for name in &metric.names {
                    lines.value("name", 4 + name.len(), name.escape_debug())?;
                }
            }
            Err(error) => return Ok(Err(error)),
        },
        kind::DOMAIN_2 | kind::DOMAIN_3 | kind::DELTA => match DomainRecord::parse(version, frame) {
            Ok(record) => dump_domain(record, lines)?,
            Err(error) => return Ok(Err(error)),
        },
        kind::LABELS_2 | kind::LABELS_3 => match LabelRecord::parse(version, frame) {
            Ok(mut labels) => {
                lines.structure(LabelRecord::NAME)?;
                labels.fields(version, lines)?;
                for (instance, json) in &labels.sets {
                    let of = if *instance == -1 { String::new() } else { format!(" of instance {instance}") };
                    let (len, shown) = match json {
                        Ok(json) => (8 + json.len(), json.escape_debug().to_string()),
                        Err(code) => (8, format!("none, error {code}")),
                    };
                    lines.value(format!("labels{of}"), len, shown)?;
                }
            }
            Err(error) => return Ok(Err(error)),
        },
        kind::TEXT => match TextRecord::parse(frame) {
            Ok(mut text) => {
                lines.structure(TextRecord::NAME)?;
                text.fields(lines)?;
                lines.value("text", text.text.len(), text.text.escape_debug())?;
            }
            Err(error) => return Ok(Err(error)),
        },
        other => lines.structure(format!("record of unknown type {other}"))?,
    }
    Ok(Ok(()))
}

fn dump_domain(record: DomainRecord<'_>, lines: &mut Lines<'_>) -> fmt::Result {
    let what = if record.is_delta { ", changes" } else { "" };
    lines.structure(format!(
        "{}{what}: {} from {}",
        DomainRecord::NAME,
        crate::structure::DomainId(record.domain),
        record.time
    ))?;
    for (number, name) in record.instances() {
        match name {
            Ok(Some(name)) => lines.value(number, 8, name.escape_debug())?,
            Ok(None) => lines.value(number, 8, "gone")?,
            Err(offset) => {
                lines.fault(format!("instance {number}: its name is at {offset}, outside the record"))?;
            }
        }
    }
    Ok(())
}

fn dump_record(version: Version, frame: Frame<'_>, lines: &mut Lines<'_>) -> Shown {
    lines.at(frame.ofs);
    let record = match DataRecord::parse(version, frame) {
        Ok(record) => record,
        Err(error) => return Ok(Err(error)),
    };
    if record.num_sets == 0 {
        lines.structure(format!("mark at {}", record.time))?;
        return Ok(Ok(()));
    }
    lines.structure(format!("{} of {}, {} value sets", DataRecord::NAME, record.time, record.num_sets))?;
    for set in record.sets() {
        let set = match set {
            Ok(set) => set,
            Err(error) => return Ok(Err(error)),
        };
        lines.at(frame.ofs + set.ofs as u64).nested(|lines| {
            lines.structure(format!(
                "metric {}: {} values, format {}",
                Pmid(set.pmid),
                set.count,
                set.format
            ))?;
            lines.at(frame.ofs + set.ofs as u64 + 12);
            for (instance, word) in set.cells() {
                let instance =
                    if instance == -1 { "value".to_owned() } else { format!("instance {instance}") };
                match record.block(word).filter(|_| set.format > 0) {
                    Some(block) => {
                        let shown = format!(
                            "at {:#x}, type {}: {}",
                            frame.ofs + block.at as u64,
                            block.value_type,
                            Hex(block.value)
                        );
                        lines.value(instance, 8, shown)?;
                    }
                    None if set.format > 0 => {
                        lines.fault(format!("{instance}: a value at word {word:#x}, outside the record"))?;
                    }
                    None => lines.value(instance, 8, format!("{word:#010x}"))?,
                }
            }
            Ok(())
        })?;
    }
    Ok(Ok(()))
}
