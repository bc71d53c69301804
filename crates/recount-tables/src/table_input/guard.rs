//! Protects against panics of the decoder on damaged bytes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

/// Calls the decoder. On some kinds of damage it panics; this becomes an ordinary error.
pub(crate) fn guarded<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    // The partial result is dropped, so no inconsistent state is visible afterwards.
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        Err(ParquetError::General(format!("expected sound Parquet, found damage: {text}")))
    })
}

/// Whether the page positions are valid: the decoder trusts them.
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

/// The byte range of a column in a row group; `None` if it is invalid.
fn byte_range(chunk: &ColumnChunkMetaData) -> Option<(i64, i64)> {
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let len = chunk.compressed_size();
    (start >= 0 && len >= 0).then(|| start.checked_add(len)).flatten().map(|end| (start, end))
}
