//! Columns back to rows.

use super::{LEN_COLUMN, SCALED, column_of, num_columns, unzigzag, value};
use crate::bytes::{Bytes, Short};
use crate::chunk::relation::{self, Relation};
use crate::chunk::section::{ClassRows, Structure};
use crate::numbers::Transform;

/// The rows of every stream of a class, one stream after the other.
pub(in crate::chunk) struct Matrix {
    pub(in crate::chunk) len_row: usize,
    /// Where each stream's first row starts in `rows`.
    pub(in crate::chunk) stream_ofs: Vec<usize>,
    pub(in crate::chunk) rows: Vec<u8>,
}

/// Reads the columns of a section; one matrix per class.
pub(in crate::chunk) fn read(structure: &Structure<'_>, bytes: &mut Bytes<'_>) -> Result<Vec<Matrix>, Short> {
    let matrices: Vec<Matrix> =
        structure.classes.iter().map(|class| read_class(class, bytes)).collect::<Result<_, _>>()?;
    match bytes.len_left() {
        0 => Ok(matrices),
        left => Err(bytes.bad("planes", "the end of the columns behind them", left as u64)),
    }
}

fn read_class(class: &ClassRows<'_>, bytes: &mut Bytes<'_>) -> Result<Matrix, Short> {
    let mut matrix = repeat_first_rows(class);
    let num_bits: usize = class.num_rows.iter().map(|&num| num as usize - 1).sum();
    let moves = Moves::read(class, bytes.take("moves", num_bits.div_ceil(8))?);
    if moves.streams.is_empty() {
        return Ok(matrix);
    }
    let modes = bytes.take("modes", num_columns(class.len_row))?;
    let mut references = bytes.take("references", 2 * relation::num_references(modes))?;
    let num_scales = modes.iter().filter(|mode| relation::is_own(**mode) && **mode & SCALED != 0).count();
    let mut scales = bytes.take("scales", 4 * num_scales)?.as_chunks::<4>().0.iter();
    let len_bitmap = moves.streams.len().div_ceil(8);
    let num_bitmaps = modes.iter().filter(|mode| relation::is_own(**mode)).count();
    let mut bitmaps = bytes.take("bitmaps", len_bitmap.saturating_mul(num_bitmaps))?.chunks_exact(len_bitmap);
    let mut values = Vec::new();
    for (column, &mode) in modes.iter().enumerate().filter(|(_, mode)| **mode != 0) {
        let (ofs, len) = column_of(class.len_row, column);
        if !relation::is_own(mode) {
            let relation = Relation::read(mode, &mut references, column);
            let Some(relation) = relation.filter(|_| len == LEN_COLUMN) else {
                return Err(bytes.bad("references", "columns before the one that refers", column as u64));
            };
            moves.apply(&mut matrix, ofs, relation);
            continue;
        }
        let num_planes = usize::from(mode >> 4);
        let transform = (mode & 0x07).checked_sub(1).and_then(Transform::from_number);
        let scale = if mode & SCALED == 0 { None } else { scales.next() };
        let scale = scale.map_or(1, |scale| u32::from_le_bytes(*scale));
        let Some(transform) = transform.filter(|_| num_planes <= len) else {
            return Err(bytes.bad(
                "modes",
                "a transform of 1 to 3 and as many planes as bytes",
                u64::from(mode),
            ));
        };
        let bitmap = bitmaps.next().unwrap_or_default();
        let varying = || (0..moves.streams.len()).filter(|at| bitmap[at / 8] >> (at % 8) & 1 == 1);
        let num: usize = varying().map(|at| moves.rows(at).len()).sum();
        read_planes(bytes, num, num_planes, &mut values)?;
        let mut values = values.as_slice();
        for at in (0..moves.streams.len()).filter(|at| bitmap[at / 8] >> (at % 8) & 1 == 1) {
            let start = matrix.stream_ofs[moves.streams[at]];
            let (own, others) = values.split_at(moves.rows(at).len());
            let form = Form { ofs, len, transform, scale };
            fill_column(&mut matrix.rows[start..], class.len_row, form, moves.rows(at), own);
            values = others;
        }
    }
    moves.repeat(&mut matrix, class);
    Ok(matrix)
}

/// Which rows of a class differ from the row before.
struct Moves {
    /// Streams that have such rows.
    streams: Vec<usize>,
    ends: Vec<usize>,
    rows: Vec<u32>,
}

impl Moves {
    fn read(class: &ClassRows<'_>, bits: &[u8]) -> Moves {
        let mut moves = Moves { streams: Vec::new(), ends: Vec::new(), rows: Vec::new() };
        let mut bit = 0;
        for (stream, &num_rows) in class.num_rows.iter().enumerate() {
            let start = moves.rows.len();
            for row in 1..num_rows {
                if bits[bit / 8] >> (bit % 8) & 1 == 1 {
                    moves.rows.push(row);
                }
                bit += 1;
            }
            if moves.rows.len() > start {
                moves.streams.push(stream);
                moves.ends.push(moves.rows.len());
            }
        }
        moves
    }

    fn rows(&self, at: usize) -> &[u32] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rows[start..self.ends[at]]
    }

    /// Writes a column that follows from others, into the rows that differ from those before.
    fn apply(&self, matrix: &mut Matrix, ofs: usize, relation: Relation) {
        for (at, &stream) in self.streams.iter().enumerate() {
            let rows = &mut matrix.rows[matrix.stream_ofs[stream]..];
            let mut before = 0;
            for &row in self.rows(at) {
                let row = row as usize * matrix.len_row;
                let step = |rows: &[u8], column: u16| {
                    let ofs = usize::from(column) * LEN_COLUMN;
                    value(rows, row + ofs, LEN_COLUMN).wrapping_sub(value(rows, before + ofs, LEN_COLUMN))
                };
                let step = match relation {
                    Relation::Same(a) => step(rows, a),
                    Relation::Sum(a, b) => step(rows, a).wrapping_add(step(rows, b)),
                    Relation::Difference(a, b) => step(rows, a).wrapping_sub(step(rows, b)),
                };
                let new = value(rows, before + ofs, LEN_COLUMN).wrapping_add(step);
                rows[row + ofs..row + ofs + LEN_COLUMN].copy_from_slice(&new.to_le_bytes());
                before = row;
            }
        }
    }

    /// Fills the rows that repeat the one before.
    fn repeat(&self, matrix: &mut Matrix, class: &ClassRows<'_>) {
        let len_row = matrix.len_row;
        for (at, &stream) in self.streams.iter().enumerate() {
            let start = matrix.stream_ofs[stream];
            let rows = &mut matrix.rows[start..start + class.num_rows[stream] as usize * len_row];
            let mut moved = self.rows(at).iter().peekable();
            for row in 1..class.num_rows[stream] {
                if moved.next_if(|next| **next == row).is_none() {
                    let row = row as usize * len_row;
                    rows.copy_within(row - len_row..row, row);
                }
            }
        }
    }
}

fn repeat_first_rows(class: &ClassRows<'_>) -> Matrix {
    let num_rows: usize = class.num_rows.iter().map(|&num| num as usize).sum();
    let mut matrix = Matrix {
        len_row: class.len_row,
        stream_ofs: Vec::with_capacity(class.num_rows.len()),
        rows: Vec::with_capacity(num_rows * class.len_row),
    };
    let num_streams = class.num_rows.len();
    for (stream, &num) in class.num_rows.iter().enumerate() {
        let start = matrix.rows.len();
        matrix.stream_ofs.push(start);
        matrix.rows.extend(class.first_rows.iter().skip(stream).step_by(num_streams));
        (1..num).for_each(|_| matrix.rows.extend_from_within(start..start + class.len_row));
    }
    matrix
}

fn read_planes(
    bytes: &mut Bytes<'_>,
    num: usize,
    num_planes: usize,
    values: &mut Vec<u32>,
) -> Result<(), Short> {
    let planes = bytes.take("planes", num.saturating_mul(num_planes))?;
    values.clear();
    values.resize(num, 0);
    for (at, plane) in planes.chunks_exact(num.max(1)).enumerate() {
        values.iter_mut().zip(plane).for_each(|(value, byte)| *value |= u32::from(*byte) << (8 * at));
    }
    Ok(())
}

/// How a column is written.
#[derive(Clone, Copy)]
struct Form {
    ofs: usize,
    len: usize,
    transform: Transform,
    scale: u32,
}

/// Writes a column of one stream: `coded` are the values of the rows in `moved`.
fn fill_column(rows: &mut [u8], len_row: usize, form: Form, moved: &[u32], coded: &[u32]) {
    let Form { ofs, len, transform, scale } = form;
    let (mut before, mut step) = (value(rows, ofs, len), 0_u32);
    for (&row, &code) in moved.iter().zip(coded) {
        let plain = || unzigzag(code, len).wrapping_mul(scale);
        before = match transform {
            Transform::Verbatim => code,
            Transform::Delta => before.wrapping_add(plain()),
            Transform::Delta2 => {
                step = step.wrapping_add(plain());
                before.wrapping_add(step)
            }
        };
        let start = row as usize * len_row + ofs;
        rows[start..start + len].copy_from_slice(&before.to_le_bytes()[..len]);
    }
}
