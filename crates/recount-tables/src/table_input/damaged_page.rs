//! Finds the page whose checksum doesn't fit its bytes: the decoder says only that there is one.

use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;

use crate::page_checksum::PageStart;

/// A decoder's error about columns of a row group, with the place of the damaged page if there is one.
pub(super) fn placed(
    error: ParquetError,
    bytes: &[u8],
    metadata: &ParquetMetaData,
    group: usize,
    columns: &[usize],
) -> ParquetError {
    let found = columns.iter().find_map(|column| {
        let offset = pages(metadata, group, *column).into_iter().find(|(offset, len)| {
            let page = range(bytes, *offset, *len);
            page.is_some_and(|page| is_damaged(page).unwrap_or(false))
        });
        Some((column, offset?.0))
    });
    let Some((column, offset)) = found else { return error };
    let name = metadata
        .row_group(group)
        .columns()
        .get(*column)
        .map_or("", |chunk| chunk.column_path().parts()[0].as_str());
    ParquetError::General(format!(
        "expected bytes that fit the checksum of the page at byte {offset:#x} (column `{name}`, row group {group}), found \
         damage; the {} rows of the row group are lost with it, as they are decoded together; copy the file anew, or write it \
         again from the capture",
        metadata.row_group(group).num_rows()
    ))
}

/// Offset and length of a column's pages in a row group, as far as the footer says where they are.
fn pages(metadata: &ParquetMetaData, group: usize, column: usize) -> Vec<(i64, i64)> {
    let Some(chunk) = metadata.row_group(group).columns().get(column) else { return Vec::new() };
    let dictionary =
        chunk.dictionary_page_offset().map(|start| (start, chunk.data_page_offset().saturating_sub(start)));
    let located = metadata.page_index().and_then(|index| index.page_locations(group, column));
    let located =
        located.into_iter().flatten().map(|page| (page.offset, i64::from(page.compressed_page_size)));
    dictionary.into_iter().chain(located).collect()
}

fn range(bytes: &[u8], offset: i64, len: i64) -> Option<&[u8]> {
    let (start, len) = (usize::try_from(offset).ok()?, usize::try_from(len).ok()?);
    bytes.get(start..start.checked_add(len)?)
}

fn is_damaged(page: &[u8]) -> Option<bool> {
    let start = PageStart::read(page)?;
    let len_header = page.len().checked_sub(usize::try_from(start.len_data).ok()?)?;
    Some(start.checksum? != crc32fast::hash(&page[len_header..]))
}
