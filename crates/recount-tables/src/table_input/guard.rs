//! The line between the decoder and damaged bytes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

/// Calls the decoder. It takes some damage for granted not to be there and panics: that becomes an error like any other.
pub(super) fn guarded<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    // What was being decoded is dropped, so nothing half done is seen afterwards.
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        Err(ParquetError::General(format!("expected sound Parquet, found damage: {text}")))
    })
}

/// Whether the places of pages can be used: the decoder believes what they say.
pub(super) fn has_sound_pages(metadata: &ParquetMetaData) -> bool {
    let Some(index) = metadata.page_index() else { return true };
    metadata.row_groups().iter().enumerate().all(|(at_group, group)| {
        group.columns().iter().enumerate().all(|(at, chunk)| {
            let Some(pages) = index.page_locations(at_group, at) else { return true };
            let Some((mut place, end)) = byte_range(chunk) else { return false };
            let mut row = -1;
            pages.iter().all(|page| {
                let is_behind = page.offset >= place && page.first_row_index > row;
                place = page.offset.saturating_add(i64::from(page.compressed_page_size));
                row = page.first_row_index;
                is_behind && page.compressed_page_size >= 0 && place <= end && row < group.num_rows().max(1)
            })
        })
    })
}

/// Where a column of a row group begins and ends; `None` if that can't be.
fn byte_range(chunk: &ColumnChunkMetaData) -> Option<(i64, i64)> {
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let len = chunk.compressed_size();
    (start >= 0 && len >= 0).then(|| start.checked_add(len)).flatten().map(|end| (start, end))
}
