//! The structure of a section: its counts, how its lists are written, and its classes.

use std::fmt;

use recount_bytes::fields::{Fields, Lines};

use super::cursor::{Cursor, Stop, read};
use crate::{numbers, zip};

/// Shows a structure that was found to be sound.
pub(super) fn structure(compressed: &[u8], len_raw: usize, lines: &mut Lines<'_>) -> fmt::Result {
    let raw = zip::unpack(compressed, len_raw).unwrap_or_default();
    lines.nested(|lines| {
        read("section", &raw, lines, |fields| {
            let mut nums = [0_u32; 4];
            for (name, num) in
                ["num_segments", "num_pieces", "num_classes", "num_streams"].into_iter().zip(&mut nums)
            {
                fields.field(name, num)?;
            }
            let [num_segments, num_pieces, num_classes, num_streams] = nums.map(|num| num as usize);
            list("num_pieces_of_segment", num_segments, fields)?;
            list("successor", num_pieces, fields)?;
            let class_of = list("class_of_stream", num_streams, fields)?;
            let len_rows = list("len_row", num_classes, fields)?;
            fields.lines.value("first_rows", 0, format_args!("{} bytes", fields.bytes.len_left()))?;
            for (class, len_row) in (0_u64..).zip(len_rows) {
                let num_streams = class_of.iter().filter(|of| **of == class).count();
                let what = format_args!("{num_streams} streams, rows of {len_row} bytes");
                fields.lines.value(format_args!("class {class}"), 0, what)?;
            }
            Ok(())
        })
    })
}

/// How a list is written.
fn list(name: &'static str, num: usize, fields: &mut Cursor<'_, '_, '_>) -> Result<Vec<u64>, Stop> {
    let mut method = fields.bytes.clone();
    let (transform, num_planes) = (method.u8("transform")?, method.u8("num_planes")?);
    let values = numbers::read(&mut fields.bytes, num)?;
    let transform = match transform {
        0 => "verbatim",
        1 => "delta",
        _ => "delta2",
    };
    fields.lines.value(name, 0, format_args!("{num} numbers, {transform}, {num_planes} planes"))?;
    Ok(values)
}
