//! Indexes: the frames and records that they list.

use std::fmt;

use recount_bytes::fields::Lines;

use super::cursor::show;
use super::samples::Samples;
use crate::Log;
use crate::log::{Counts, Table, max_num_records};

pub(super) fn index(
    log: &Log,
    ofs: u64,
    payload: &[u8],
    max_samples: usize,
    lines: &mut Lines<'_>,
) -> fmt::Result {
    let max_num_records = max_num_records(log.input.len().unwrap_or(ofs));
    show("index", payload, lines, |fields| {
        Counts::default().fields(fields)?;
        let table = Table::read(payload, &(0..ofs), max_num_records)?;
        let len = fields.bytes.len_left();
        fields.lines.compressed(|lines| {
            lines.value("table", 0, format_args!("{len} bytes"))?;
            Ok(lines.nested(|lines| listed(&table, Samples { max: max_samples, num: 0 }, lines))?)
        })
    })
}

fn listed(table: &Table, mut samples: Samples, lines: &mut Lines<'_>) -> fmt::Result {
    for (number, frame) in table.frames.iter().enumerate() {
        lines.structure(format_args!("frame {number}"))?;
        lines.value("kind", 0, format_args!("{} ({})", frame.kind.0, frame.kind))?;
        lines.value("ofs_frame", 0, format_args!("{:#x}", frame.ofs))?;
        lines.value("len_frame", 0, frame.len_frame)?;
        lines.value("num_records_of_frame", 0, frame.num_records)?;
        if let Some(number_first) = frame.number_first {
            lines.value("number_first", 0, number_first)?;
        }
    }
    let records = &table.records;
    for (number, ((time, &kind), len)) in
        records.times.iter().zip(&records.kinds).zip(&records.lens).enumerate()
    {
        if samples.shows(kind) {
            lines.structure(format_args!("record {number}"))?;
            lines.value("time", 0, format_args!("{} ({time})", time.0))?;
            lines.value("record_kind", 0, kind.shown())?;
            lines.value("len_record", 0, len)?;
        }
    }
    Ok(())
}
