//! Proves that a chunk decodes to its input.

#[cfg(test)]
mod tests;

use super::columns;
use super::decode::{unpack_columns, unpack_structure};
use super::head::{ChunkHead, RecordTable};
use super::section::Structure;
use crate::bytes::{Bytes, Short};

/// Decodes a payload and compares every byte with the input: first the table, then the records.
///
/// The encoder's own positions aren't used: every position follows from the payload alone, as for a reader. Only one
/// section's compressed columns and one stream's rows are in memory at a time.
pub(super) fn prove(payload: &[u8], number_first: u64, table: &RecordTable, raw: &[u8]) -> Result<(), Short> {
    let differs = |field| Short { field, ofs: 0, what: "is not what went in".to_owned() };
    let head = ChunkHead::read(payload, payload.len())?;
    let times = (table.times.iter().min(), table.times.iter().max());
    if head.number_first != number_first || times != (Some(&head.time_min), Some(&head.time_max)) {
        return Err(differs("head"));
    }
    let mut bytes = Bytes::new(payload);
    bytes.take("head", head.len())?;
    if RecordTable::read(bytes.take("record table", head.len_table)?, &head)? != *table {
        return Err(differs("record table"));
    }
    let (mut structures, mut packed_columns) = (Vec::new(), Vec::new());
    for entry in &head.sections {
        let structure = bytes.take("structure", entry.len_structure)?;
        structures.push(unpack_structure(entry, structure)?);
        packed_columns.push(bytes.take("columns", entry.len_columns)?);
    }
    let structures: Vec<Structure<'_>> = structures
        .iter()
        .zip(&head.sections)
        .map(|(bytes, entry)| Structure::read(&mut Bytes::new(bytes), head.len_raw, entry.has_known_texts()))
        .collect::<Result<_, Short>>()?;
    let starts = segment_starts(table, &structures, raw.len())?;
    for (((entry, structure), packed), starts) in
        head.sections.iter().zip(&structures).zip(packed_columns).zip(starts)
    {
        let places = structure.places(starts.into_iter());
        let mut places = places.iter().map(|&place| place as usize);
        let columns = unpack_columns(entry, packed)?;
        columns::read(structure, &mut Bytes::new(&columns), |rows| {
            let mut rows = rows.iter().zip(places.by_ref());
            let is_same = rows.all(|(row, place)| raw.get(place..place + row.len()) == Some(row));
            if is_same { Ok(()) } else { Err(differs("columns")) }
        })?;
    }
    Ok(())
}

/// Where the segments of every section start, by their decoded lengths. They make up the records, and the records all
/// bytes, without gaps.
fn segment_starts(
    table: &RecordTable,
    structures: &[Structure<'_>],
    len_raw: usize,
) -> Result<Vec<Vec<usize>>, Short> {
    let failed = |field, ofs, what: &str| Short { field, ofs, what: what.to_owned() };
    let mut lens: Vec<_> = structures.iter().map(Structure::len_segments).collect();
    let mut starts = vec![Vec::new(); structures.len()];
    let (mut ofs, mut end, mut segments) = (0_usize, 0_u64, table.segments.iter());
    let mut num_done = 0;
    for (record, (len, segment_end)) in table.lens.iter().zip(&table.segment_ends).enumerate() {
        for &section in segments.by_ref().take(segment_end - num_done) {
            let len = lens[usize::from(section)].next();
            let len = len.ok_or_else(|| failed("num_segments", record, "fewer than the table has"))?;
            starts[usize::from(section)].push(ofs);
            ofs += len;
        }
        num_done = *segment_end;
        end += len;
        if ofs as u64 != end {
            return Err(failed("len_record", record, "is not what the segments make up"));
        }
    }
    if ofs != len_raw || lens.iter_mut().any(|lens| lens.next().is_some()) {
        return Err(failed("len_raw", 0, "is not what the records make up"));
    }
    Ok(starts)
}
