//! Keeps decoded rows for the next slices.
//!
//! A slice of time has many rows of a large table, but few of a small one: the table for Memory has a single
//! row per sample. A page of such a table contains thousands of samples and would be decoded again for each
//! slice. So small ranges are decoded together with their neighbours, a window at a time, and windows are
//! kept for a while.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use parquet::errors::ParquetError;

use super::interned::Interned;
use super::parquet_input::{ColumnRequest, ParquetInput};
use super::rows::DecodedRows;

/// Maximum bytes of windows kept, over all files.
const LEN_KEPT: usize = 64 << 20;

/// Bytes of a window: leaves room for a few windows per file, within these limits.
const LEN_WINDOW: Range<usize> = (256 << 10)..(4 << 20);

/// Maximum rows of a window.
const MAX_WINDOW_ROWS: u64 = 1 << 16;

/// The windows of all files of an input.
pub(super) struct Windows {
    len_window: usize,
    kept: Mutex<VecDeque<Window>>,
}

#[derive(Clone)]
struct Window {
    file: usize,
    rows: Range<u64>,
    wanted: Arc<[ColumnRequest]>,
    /// Filled by the first thread that needs it, while others wait.
    decoded: Arc<OnceLock<Result<DecodedRows, String>>>,
}

impl Windows {
    pub(super) fn new(num_files: usize) -> Windows {
        let len = LEN_KEPT / (4 * num_files.max(1));
        Windows { len_window: len.clamp(LEN_WINDOW.start, LEN_WINDOW.end), kept: Mutex::default() }
    }

    /// Rows of a file, given as ascending ranges that don't overlap. `number` identifies the file.
    pub(super) fn read(
        &self,
        file: &ParquetInput,
        number: usize,
        ranges: &[Range<u64>],
        wanted: &Arc<[ColumnRequest]>,
        names: &Interned,
    ) -> Result<DecodedRows, ParquetError> {
        let num_window = self.num_window_rows(wanted);
        if ranges.iter().map(|rows| rows.end - rows.start).sum::<u64>() >= num_window / 2 {
            return file.read(ranges, wanted, names);
        }
        let mut found = DecodedRows::empty(wanted.iter().map(|wanted| wanted.kind));
        for rows in ranges {
            let mut row = rows.start;
            while row < rows.end {
                let start = row / num_window * num_window;
                let window = start..(start + num_window).min(file.num_rows()).max(row + 1);
                let end = window.end.min(rows.end);
                let inside = (row - start) as usize..(end - start) as usize;
                let window = self.window(number, window, wanted);
                let decode = || {
                    let rows = std::slice::from_ref(&window.rows);
                    file.read(rows, wanted, names).map_err(|error| error.to_string())
                };
                match window.decoded.get_or_init(decode) {
                    Ok(decoded) => found.append(decoded, inside),
                    Err(error) => return Err(ParquetError::General(error.clone())),
                }
                row = end;
            }
        }
        Ok(found)
    }

    fn num_window_rows(&self, wanted: &[ColumnRequest]) -> u64 {
        let len_row: usize = wanted.iter().map(|wanted| wanted.kind.len_row()).sum();
        ((self.len_window / len_row.max(1)) as u64).clamp(1, MAX_WINDOW_ROWS)
    }

    /// The window, marked as the most recently used; the least recently used one is dropped.
    fn window(&self, file: usize, rows: Range<u64>, wanted: &Arc<[ColumnRequest]>) -> Window {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |kept: &Window| kept.file == file && kept.rows == rows && kept.wanted == *wanted;
        let known = kept.iter().rposition(is_it).and_then(|at| kept.remove(at));
        let window = known.unwrap_or_else(|| Window {
            file,
            rows,
            wanted: Arc::clone(wanted),
            decoded: Arc::default(),
        });
        kept.push_back(window.clone());
        let len_of = |window: &Window| match window.decoded.get() {
            Some(Ok(rows)) => rows.len_bytes(),
            _ => 0,
        };
        let mut len: usize = kept.iter().map(len_of).sum();
        while len > LEN_KEPT
            && let Some(oldest) = kept.pop_front()
        {
            len -= len_of(&oldest);
        }
        window
    }
}
