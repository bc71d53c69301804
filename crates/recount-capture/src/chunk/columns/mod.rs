//! The columns of a class: what changes from row to row (`formats/rcap.md#columns`).
//!
//! A row is split into columns of 4 bytes, and the rest at its end into columns of 1 byte. First rows are stored in
//! the section's structure. A column in which no stream ever changes takes one byte. For the others, a bitmap lists
//! the streams that change, and their values are stored from the second row on.
//!
//! Columns are 4 bytes wide even if values have 8: modulo 2^32, the low half of a counter behaves like the whole, and
//! the high half hardly ever changes.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// Bytes of a wide column.
const LEN_COLUMN: usize = 4;

/// Flag in a mode: the steps are divided by a number from the list of scales.
const SCALED: u8 = 8;

/// Width and place of the column at an index.
fn column_of(len_row: usize, column: usize) -> (usize, usize) {
    let num_wide = len_row / LEN_COLUMN;
    if column < num_wide {
        (column * LEN_COLUMN, LEN_COLUMN)
    } else {
        (num_wide * LEN_COLUMN + (column - num_wide), 1)
    }
}

fn num_columns(len_row: usize) -> usize {
    len_row / LEN_COLUMN + len_row % LEN_COLUMN
}

fn value(raw: &[u8], ofs: usize, len: usize) -> u32 {
    match raw[ofs..ofs + len] {
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        [byte] => u32::from(byte),
        _ => 0,
    }
}

/// As in [`crate::numbers`], modulo 2^32 or 2^8.
fn zigzag(value: u32, len: usize) -> u32 {
    if len == 1 {
        let value = value as u8;
        return u32::from((value << 1) ^ ((value as i8 >> 7) as u8));
    }
    (value << 1) ^ ((value as i32 >> 31) as u32)
}

fn unzigzag(value: u32, len: usize) -> u32 {
    let plain = (value >> 1) ^ (value & 1).wrapping_neg();
    if len == 1 { plain & 0xFF } else { plain }
}
