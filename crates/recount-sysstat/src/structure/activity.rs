//! `file_activity`: which groups of statistics the records hold, and how an item of each is laid out
//! (formats/sa.md#activities).

use recount_bytes::FormatError;

use super::header::Header;
use super::number::{Triple, structure_at, unexpected};

pub(crate) const NAME: &str = "file_activity";

const MAX_ITEMS: u32 = 1 << 28;
const MAX_SUB_ITEMS: u32 = 4096;
const MAX_LEN_ITEM: u32 = 1024;

/// An entry of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileActivity {
    /// Its offset in the file.
    pub(crate) ofs: usize,
    pub(crate) id: u32,
    pub(crate) magic: u32,
    /// Number of items when the file was created.
    pub(crate) num_items: u32,
    /// Number of sub-items per item of a matrix; otherwise 1.
    pub(crate) num_sub_items: u32,
    /// Whether each record says how many items it has.
    pub(crate) has_count: bool,
    pub(crate) len_item: usize,
    pub(crate) types: Triple,
}

/// Reads the list; also returns where it ends.
pub(crate) fn read_list(file: &[u8], header: &Header) -> Result<(Vec<FileActivity>, usize), FormatError> {
    let mut ofs = header.ofs + header.len;
    let mut list = Vec::new();
    for _ in 0..header.num_activities {
        list.push(read(file, header, ofs)?);
        ofs += header.len_activity;
    }
    Ok((list, ofs))
}

fn read(file: &[u8], header: &Header, ofs: usize) -> Result<FileActivity, FormatError> {
    let bytes = structure_at(file, NAME, ofs, header.len_activity)?;
    if header.format.is_early() {
        return read_early(header, bytes, ofs);
    }
    let is_current = header.format.is_current();
    let at = |index| if is_current { header.act_types.word(index) } else { Some(4 * index as usize) };
    let word = |index| at(index).and_then(|at| header.numbers.get::<u32>(bytes, at)).unwrap_or(0);
    let bounded = |index, field, min: u32, max: u32| match word(index) {
        value if (min..=max).contains(&value) => Ok(value),
        value => {
            let expected = format!("{min} to {max}");
            Err(unexpected(NAME, field, ofs + at(index).unwrap_or(0), expected, value))
        }
    };
    let id = word(0);
    let num_items = bounded(2, "nr", u32::from(is_current), MAX_ITEMS.min(max_items(id)))?;
    let num_sub_items = bounded(3, "nr2", 1, MAX_SUB_ITEMS)?;
    let (index_size, len_item) = if is_current {
        (5, bounded(5, "size", 1, MAX_LEN_ITEM)?)
    } else {
        (4, bounded(4, "size", 1, MAX_LEN_ITEM)?)
    };
    let types = if is_current { Triple::new(word(6), word(7), word(8)) } else { Triple::default() };
    types.check(NAME, "types", ofs + at(index_size + 1).unwrap_or(0), len_item)?;
    let has_count = is_current && word(4) != 0;
    Ok(FileActivity {
        ofs,
        id,
        magic: word(1),
        num_items,
        num_sub_items,
        has_count,
        len_item: len_item as usize,
        types,
    })
}

/// The layout of all activities before they had a magic, but for those that RHEL 6 changed.
const EARLY_MAGIC: u32 = 0x8a;

/// An entry of the formats before 0x2171: number, items, size.
fn read_early(header: &Header, bytes: &[u8], ofs: usize) -> Result<FileActivity, FormatError> {
    let word = |index: usize| header.numbers.get::<u32>(bytes, 4 * index).unwrap_or(0);
    let bounded = |index, field, max: u32| match word(index) {
        value if (1..=max).contains(&value) => Ok(value),
        value => Err(unexpected(NAME, field, ofs + 4 * index, format!("1 to {max}"), value)),
    };
    let id = word(0);
    Ok(FileActivity {
        ofs,
        id,
        magic: EARLY_MAGIC,
        num_items: bounded(1, "nr", max_items(id))?,
        num_sub_items: 1,
        has_count: false,
        len_item: bounded(2, "size", MAX_LEN_ITEM)? as usize,
        types: Triple::default(),
    })
}

/// Maximum number of items of an activity; for unknown activities only the file is a limit.
pub(crate) fn max_items(id: u32) -> u32 {
    match id {
        1 | 3 | 30 | 35 | 39 => 8193,
        31..=33 | 43 => 4096,
        10 | 12 | 13 | 36 | 38 => 65_536,
        _ => MAX_ITEMS,
    }
}

impl FileActivity {
    /// Length of this number of items, in bytes.
    pub(crate) fn len_items(&self, num_items: u32) -> u64 {
        u64::from(num_items) * u64::from(self.num_sub_items) * self.len_item as u64
    }
}
