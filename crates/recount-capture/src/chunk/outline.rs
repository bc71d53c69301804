//! The outline of a section without its values, from its structure alone.

use std::collections::HashSet;

use super::head::SectionEntry;
use super::section::Structure;
use crate::bytes::{Bytes, Short};
use crate::zip;

/// The rows with which the segments of a section begin, and the pairs of rows that follow, each once: for a
/// performance object, its header and its instances. Rows are the first of their streams.
pub(crate) struct Outline {
    /// One per row with which segments begin.
    pub(crate) groups: Vec<OutlineGroup>,
}

/// The rows after one first row.
pub(crate) struct OutlineGroup {
    /// The row with which the segments begin.
    pub(crate) first: Vec<u8>,
    /// The rows after it, in order of appearance, by twos.
    pub(crate) pairs: Vec<(Vec<u8>, Vec<u8>)>,
    /// The last row, if it has no second.
    pub(crate) single: Option<Vec<u8>>,
}

/// Reads a section's outline from its compressed structure.
pub(crate) fn outline(entry: &SectionEntry, structure: &[u8], len_raw: usize) -> Result<Outline, Short> {
    let raw = zip::unpack(structure, entry.len_structure_raw).ok_or_else(|| Short {
        field: "structure",
        ofs: 0,
        what: "doesn't decompress to the length stated".to_owned(),
    })?;
    let structure = Structure::read(&mut Bytes::new(&raw), len_raw, entry.has_known_texts())?;
    let mut groups: Vec<(u32, OutlineGroup)> = Vec::new();
    let mut seen: HashSet<(u32, u32)> = HashSet::new();
    let mut start = 0;
    for &end in &structure.segment_ends {
        let pieces = &structure.pieces[start..end];
        start = end;
        let Some((&first, rest)) = pieces.split_first() else { continue };
        let at = groups.iter().position(|(of, _)| *of == first).unwrap_or_else(|| {
            let first_row = structure.first_row(first);
            groups.push((first, OutlineGroup { first: first_row, pairs: Vec::new(), single: None }));
            groups.len() - 1
        });
        let group = &mut groups[at].1;
        let (pairs, single) = rest.as_chunks::<2>();
        for &[one, other] in pairs {
            if seen.insert((first, one)) {
                group.pairs.push((structure.first_row(one), structure.first_row(other)));
            }
        }
        if let (Some(&single), None) = (single.first(), &group.single) {
            group.single = Some(structure.first_row(single));
        }
    }
    Ok(Outline { groups: groups.into_iter().map(|(_, group)| group).collect() })
}
