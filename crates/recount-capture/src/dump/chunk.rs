//! Chunks: head, directory of sections, records, and what each section is made of.

use std::fmt;

use recount_bytes::fields::{Fields, Lines};

use super::cursor::{Cursor, Stop, show};
use super::payloads::{content, is_shown};
use super::samples::Samples;
use super::section::structure;
use crate::chunk::{ChunkHead, FixedHead, SectionEntry, crc_shown};
use crate::frame::{LEN_FRAME_HEAD, LEN_FRAME_TAIL};
use crate::log::{Entry, OpenChunk};
use crate::verify::section_name;
use crate::{CaptureError, Log};

pub(super) fn chunk(
    log: &Log,
    ofs: u64,
    payload: &[u8],
    samples: &mut Samples,
    lines: &mut Lines<'_>,
) -> fmt::Result {
    show("chunk", payload, lines, head)?;
    let head = match ChunkHead::read(payload, payload.len()) {
        Ok(head) => head,
        Err(fault) => return lines.fault(CaptureError::at("chunk", ofs + LEN_FRAME_HEAD as u64, fault)),
    };
    let entry = Entry {
        ofs,
        len_frame: LEN_FRAME_HEAD + payload.len() + LEN_FRAME_TAIL,
        is_chunk: true,
        number_first: head.number_first,
        num_records: head.num_records,
        first_record: 0,
    };
    let chunk = match log.open_chunk(&entry, &|_| true) {
        Ok(chunk) => chunk,
        Err(error) => return lines.fault(error),
    };
    let at = |ofs_payload: usize| ofs + (LEN_FRAME_HEAD + ofs_payload) as u64;
    lines.at(at(head.len()));
    lines.nested(|lines| {
        lines.structure("record table")?;
        lines.compressed(|lines| lines.nested(|lines| records(&chunk, samples, lines)))?;
        for number in 0..head.sections.len() {
            lines.at(at(head.ofs_section(number)));
            section(log, &chunk, number, payload, lines)?;
        }
        Ok(())
    })
}

/// The head with the directory of sections.
fn head(fields: &mut Cursor<'_, '_, '_>) -> Result<(), Stop> {
    let mut fixed = FixedHead::default();
    fixed.fields(fields, 0)?;
    fields.nested(|fields| (0..fixed.num_sections).try_for_each(|number| entry(number, fields)))?;
    fields.shown("crc_head", &mut 0_u32, crc_shown)
}

/// An entry of the directory.
fn entry(number: u32, fields: &mut Cursor<'_, '_, '_>) -> Result<(), Stop> {
    if fields.bytes.is_empty() {
        // Its first field is the one that is missing.
        return fields.hidden("section", &mut 0_u32);
    }
    fields.lines.structure(format_args!("section entry {number}"))?;
    SectionEntry::default().fields(fields, 0, 0)
}

/// The records by the table, and what is in those that the log itself defines.
fn records(chunk: &OpenChunk, samples: &mut Samples, lines: &mut Lines<'_>) -> fmt::Result {
    let table = &chunk.reader.table;
    let mut bytes = Vec::new();
    for (record, (time, &kind)) in table.times.iter().zip(&table.kinds).enumerate() {
        if !samples.shows(kind) {
            continue;
        }
        lines.structure(format_args!("record {}", chunk.head.number_first + record as u64))?;
        lines.value("time", 0, format_args!("{} ({time})", time.0))?;
        lines.value("kind", 0, kind.shown())?;
        lines.value("len_record", 0, table.lens[record])?;
        let sections: Vec<usize> = chunk.reader.segments(record).map(|(section, _)| section).collect();
        lines.value("section_of_segment", 0, format_args!("{sections:?}"))?;
        bytes.clear();
        match chunk.reader.record(record, &mut bytes) {
            Ok(()) if is_shown(kind) => lines.nested(|lines| content(kind, &bytes, lines))?,
            // Without its sections it can't be had, which these say.
            Err(fault) if chunk.faults.is_empty() => {
                lines.fault(format_args!("{}: {}", fault.field, fault.what))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn section(
    log: &Log,
    chunk: &OpenChunk,
    number: usize,
    payload: &[u8],
    lines: &mut Lines<'_>,
) -> fmt::Result {
    let entry = &chunk.head.sections[number];
    let start = chunk.head.ofs_section(number);
    let (middle, end) = (start + entry.len_structure, start + entry.len_structure + entry.len_columns);
    lines.structure(format_args!("section {number}, {}", section_name(log, entry.section)))?;
    if let Some((_, error)) = chunk.faults.iter().find(|(at, _)| *at == number) {
        return lines.fault(error);
    }
    lines.compressed(|lines| {
        lines.value(
            "structure",
            0,
            format_args!("{} bytes of {}", middle - start, entry.len_structure_raw),
        )?;
        structure(payload.get(start..middle).unwrap_or_default(), entry.len_structure_raw, lines)
    })?;
    let ofs = lines.ofs() + (middle - start) as u64;
    lines.at(ofs).value("columns", 0, format_args!("{} bytes of {}", end - middle, entry.len_columns_raw))
}
