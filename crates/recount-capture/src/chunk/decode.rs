//! Decodes a chunk into records.

use super::columns;
use super::head::{RecordTable, SectionEntry};
use super::section::Structure;
use crate::bytes::{Bytes, Short};
use crate::zip;

/// The segments of one section, rebuilt byte for byte.
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

    /// Bytes of all segments.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    fn num(&self) -> usize {
        self.ends.len()
    }
}

/// Checks and decompresses the structure of a section.
pub(super) fn unpack_structure(entry: &SectionEntry, structure: &[u8]) -> Result<Vec<u8>, Short> {
    unpack("structure", structure, entry.crc_structure, entry.len_structure_raw)
}

/// Checks and decompresses the columns of a section.
pub(super) fn unpack_columns(entry: &SectionEntry, columns: &[u8]) -> Result<Vec<u8>, Short> {
    unpack("columns", columns, entry.crc_columns, entry.len_columns_raw)
}

fn unpack(field: &'static str, bytes: &[u8], crc: u32, len_raw: usize) -> Result<Vec<u8>, Short> {
    let failed = |what| Short { field, ofs: 0, what };
    let computed = crc32c::crc32c(bytes);
    if computed != crc {
        return Err(failed(format!("checksum expected {crc:#010x}, computed {computed:#010x}")));
    }
    zip::unpack(bytes, len_raw)
        .ok_or_else(|| failed(format!("doesn't decompress to the {len_raw} bytes stated")))
}

/// Rebuilds the segments of a section from its two compressed parts, which may be `max_len` bytes together.
pub(crate) fn segments(
    entry: &SectionEntry,
    structure: &[u8],
    columns: &[u8],
    max_len: usize,
) -> Result<Segments, Short> {
    let structure = unpack_structure(entry, structure)?;
    let columns = unpack_columns(entry, columns)?;
    let structure = Structure::read(&mut Bytes::new(&structure), max_len, entry.has_known_texts())?;
    let ends: Vec<usize> = structure
        .len_segments()
        .scan(0, |end, len| {
            *end += len;
            Some(*end)
        })
        .collect();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let places = structure.places(starts);
    let mut places = places.iter();
    let mut bytes = vec![0; ends.last().copied().unwrap_or(0)];
    columns::read(&structure, &mut Bytes::new(&columns), |rows| {
        for (row, &place) in rows.iter().zip(places.by_ref()) {
            bytes[place as usize..place as usize + row.len()].copy_from_slice(row);
        }
        Ok::<(), Short>(())
    })?;
    Ok(Segments { bytes, ends })
}

/// A chunk of which some sections have been read.
pub(crate) struct ChunkReader {
    pub(crate) table: RecordTable,
    /// In the order of the chunk's directory; `None`: not requested, or damaged.
    pub(crate) sections: Vec<Option<Segments>>,
    /// For every segment of the table, its index within its section.
    ordinals: Vec<u32>,
    /// Number of segments of every section, according to the table.
    num_segments: Vec<u32>,
}

impl ChunkReader {
    pub(crate) fn new(table: RecordTable, sections: Vec<Option<Segments>>) -> ChunkReader {
        let mut num_segments = vec![0_u32; sections.len()];
        let ordinal = |&section: &u16| {
            let count = &mut num_segments[usize::from(section)];
            *count += 1;
            *count - 1
        };
        let ordinals = table.segments.iter().map(ordinal).collect();
        ChunkReader { table, sections, ordinals, num_segments }
    }

    /// The segments of a record, in order: the index of each one's section, and its bytes if they have been
    /// read.
    pub(crate) fn segments(&self, record: usize) -> impl Iterator<Item = (usize, Option<&[u8]>)> {
        let end = self.table.segment_ends.get(record).copied().unwrap_or(0);
        let start = record.checked_sub(1).map_or(0, |before| self.table.segment_ends[before]).min(end);
        (start..end).map(|at| {
            let section = usize::from(self.table.segments[at]);
            let segments = self.sections[section].as_ref();
            (section, segments.and_then(|segments| segments.get(self.ordinals[at] as usize)))
        })
    }

    /// Appends a record's bytes. Fails if one of its sections hasn't been read, or if its length differs from the
    /// table.
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
        for (at, (segments, &expected)) in self.sections.iter().zip(&self.num_segments).enumerate() {
            let found = segments.as_ref().map(Segments::num);
            if let Some(found) = found.filter(|num| *num != expected as usize) {
                let what = format!("expected {expected} segments, found {found}");
                return Err(Short { field: "num_segments", ofs: at, what });
            }
        }
        Ok(())
    }
}
