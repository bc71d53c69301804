//! A chunk back to records.

use super::columns::{self, Matrix};
use super::head::{ChunkHead, RecordTable, SectionEntry};
use super::section::Structure;
use crate::bytes::{Bytes, Short};
use crate::zip;

/// The segments of one section, rebuilt: byte for byte what the records held there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segments {
    bytes: Vec<u8>,
    /// End of each segment in `bytes`.
    ends: Vec<usize>,
}

impl Segments {
    /// The bytes of a segment.
    pub(crate) fn get(&self, segment: usize) -> Option<&[u8]> {
        let end = *self.ends.get(segment)?;
        let start = segment.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.bytes.get(start..end)
    }

    fn num(&self) -> usize {
        self.ends.len()
    }
}

/// Rebuilds the segments of a section from its two compressed parts, of a chunk of `len_raw` bytes.
pub(crate) fn segments(
    entry: &SectionEntry,
    structure: &[u8],
    columns: &[u8],
    len_raw: usize,
) -> Result<Segments, Short> {
    let failed = |field, what: &str| Short { field, ofs: 0, what: what.to_owned() };
    let check = |field, bytes: &[u8], crc| match crc32c::crc32c(bytes) {
        computed if computed == crc => Ok(()),
        computed => Err(failed(field, &format!("checksum expected {crc:#010x}, computed {computed:#010x}"))),
    };
    check("structure", structure, entry.crc_structure)?;
    check("columns", columns, entry.crc_columns)?;
    let wrong_len = "doesn't decompress to the length stated";
    let structure =
        zip::unpack(structure, entry.len_structure_raw).ok_or_else(|| failed("structure", wrong_len))?;
    let columns = zip::unpack(columns, entry.len_columns_raw).ok_or_else(|| failed("columns", wrong_len))?;
    let structure = Structure::read(&mut Bytes::new(&structure), len_raw)?;
    let matrices = columns::read(&structure, &mut Bytes::new(&columns))?;
    Ok(join(&structure, &matrices))
}

/// Takes the rows in the order of the pieces.
fn join(structure: &Structure<'_>, matrices: &[Matrix]) -> Segments {
    let mut next: Vec<usize> = structure
        .streams
        .iter()
        .map(|&(class, at)| matrices[class as usize].stream_ofs[at as usize])
        .collect();
    let len: usize = matrices.iter().map(|matrix| matrix.rows.len()).sum();
    let mut segments = Segments { bytes: Vec::with_capacity(len), ends: Vec::new() };
    let mut start = 0;
    for &end in &structure.segment_ends {
        for &stream in &structure.pieces[start..end] {
            let matrix = &matrices[structure.streams[stream as usize].0 as usize];
            let ofs = &mut next[stream as usize];
            segments.bytes.extend_from_slice(&matrix.rows[*ofs..*ofs + matrix.len_row]);
            *ofs += matrix.len_row;
        }
        start = end;
        segments.ends.push(segments.bytes.len());
    }
    segments
}

/// A chunk of which some sections are at hand.
pub(crate) struct ChunkReader {
    pub(crate) table: RecordTable,
    /// By the chunk's directory; `None`: not asked for, or damaged.
    pub(crate) sections: Vec<Option<Segments>>,
    /// For every segment of the table, which one of its section's it is.
    ordinals: Vec<u32>,
}

impl ChunkReader {
    pub(crate) fn new(table: RecordTable, sections: Vec<Option<Segments>>) -> ChunkReader {
        let mut counts = vec![0_u32; sections.len()];
        let ordinal = |&section: &u16| {
            let count = &mut counts[usize::from(section)];
            *count += 1;
            *count - 1
        };
        let ordinals = table.segments.iter().map(ordinal).collect();
        ChunkReader { table, sections, ordinals }
    }

    /// The segments of a record, in order: the index of each one's section, and its bytes if they are at hand.
    pub(crate) fn segments(&self, record: usize) -> impl Iterator<Item = (usize, Option<&[u8]>)> {
        let end = self.table.segment_ends.get(record).copied().unwrap_or(0);
        let start = record.checked_sub(1).map_or(0, |before| self.table.segment_ends[before]).min(end);
        (start..end).map(|at| {
            let section = usize::from(self.table.segments[at]);
            let segments = self.sections[section].as_ref();
            (section, segments.and_then(|segments| segments.get(self.ordinals[at] as usize)))
        })
    }

    /// Appends a record's bytes. Fails if a section of it isn't at hand, or it comes out otherwise than the table says.
    pub(crate) fn record(&self, record: usize, out: &mut Vec<u8>) -> Result<(), Short> {
        let start = out.len();
        for (section, bytes) in self.segments(record) {
            let missing = || Short { field: "section", ofs: section, what: "is damaged or not there".into() };
            out.extend_from_slice(bytes.ok_or_else(missing)?);
        }
        let (len, expected) = ((out.len() - start) as u64, self.table.lens.get(record).copied().unwrap_or(0));
        if len == expected {
            return Ok(());
        }
        Err(Short {
            field: "len_record",
            ofs: record,
            what: format!("expected {expected} bytes, found {len}"),
        })
    }

    /// Whether every section has as many segments as the table says.
    pub(crate) fn check(&self) -> Result<(), Short> {
        for (at, segments) in self.sections.iter().enumerate() {
            let expected = self.table.segments.iter().filter(|section| usize::from(**section) == at).count();
            if let Some(found) = segments.as_ref().map(Segments::num).filter(|num| *num != expected) {
                let what = format!("expected {expected} segments, found {found}");
                return Err(Short { field: "num_segments", ofs: at, what });
            }
        }
        Ok(())
    }
}

/// Decodes all of a payload.
pub(super) fn whole(payload: &[u8]) -> Result<ChunkReader, Short> {
    let head = ChunkHead::read(payload, payload.len())?;
    let mut bytes = Bytes::new(payload);
    bytes.take("head", head.len())?;
    let table = RecordTable::read(bytes.take("record table", head.len_table)?, &head)?;
    let mut sections = Vec::with_capacity(head.sections.len());
    for entry in &head.sections {
        let structure = bytes.take("structure", entry.len_structure)?;
        let columns = bytes.take("columns", entry.len_columns)?;
        sections.push(Some(segments(entry, structure, columns, head.len_raw)?));
    }
    let reader = ChunkReader::new(table, sections);
    reader.check()?;
    Ok(reader)
}
