//! Protects against panics of the decoder on damaged bytes.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

thread_local! {
    /// Whether the decoder runs in this thread.
    #[allow(clippy::missing_const_for_thread_local, reason = "it is const; the lint doesn't see that on Windows")]
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send>;

/// Keeps the panics of the decoder from being printed: they become errors.
fn silence() {
    static SET: Once = Once::new();
    SET.call_once(|| std::panic::set_hook(unless_guarded(std::panic::take_hook())));
}

/// A hook that calls another one, except for the panics of the decoder.
fn unless_guarded(before: Hook) -> Hook {
    Box::new(move |panic| {
        if !IS_GUARDED.get() {
            before(panic);
        }
    })
}

/// Calls the decoder. On some kinds of damage it panics; this becomes an ordinary error.
pub(crate) fn guarded<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    silence();
    let was_guarded = IS_GUARDED.replace(true);
    // The partial result is dropped, so no inconsistent state is visible afterwards.
    let result = catch_unwind(AssertUnwindSafe(decode));
    IS_GUARDED.set(was_guarded);
    result.unwrap_or_else(|panic| {
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

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        /// Of this thread only: other tests may panic at the same time.
        static NUM_PRINTED: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn a_panic_of_the_decoder_is_an_error_and_not_printed() {
        silence();
        std::panic::set_hook(unless_guarded(Box::new(|_| NUM_PRINTED.set(NUM_PRINTED.get() + 1))));
        let damaged = guarded::<()>(|| panic!("index out of bounds"));
        assert!(damaged.is_err_and(|error| error.to_string().contains("index out of bounds")));
        assert_eq!(NUM_PRINTED.get(), 0);
        assert!(catch_unwind(|| panic!("another")).is_err());
        assert_eq!(NUM_PRINTED.get(), 1);
    }
}
