//! Restores rows from columns, stream by stream.

use super::{LEN_COLUMN, SCALED, column_of, num_columns, unzigzag, value};
use crate::bytes::{Bytes, Short};
use crate::chunk::relation::{self, Relation};
use crate::chunk::section::{ClassRows, Structure};
use crate::numbers::Transform;

/// The rows of one stream. Consecutive equal rows are stored once.
pub(in crate::chunk) struct StreamRows<'a> {
    len_row: usize,
    /// The first row, and those that differ from the previous one.
    distinct: &'a [u8],
    /// Indices of these rows, without the first.
    moved: &'a [u32],
    num_rows: u32,
}

impl<'a> StreamRows<'a> {
    /// Every row, in order.
    pub(in crate::chunk) fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (len_row, distinct, mut moved) = (self.len_row, self.distinct, self.moved);
        let mut ofs = 0;
        (0..self.num_rows).map(move |row| {
            if moved.first() == Some(&row) {
                moved = &moved[1..];
                ofs += len_row;
            }
            &distinct[ofs..ofs + len_row]
        })
    }
}

/// Reads the columns of a section, and passes the rows of every stream to the caller, class by class. Only one
/// stream at a time is in memory.
pub(in crate::chunk) fn read<E: From<Short>>(
    structure: &Structure<'_>,
    bytes: &mut Bytes<'_>,
    mut each: impl FnMut(StreamRows<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = StreamReader::default();
    for class in &structure.classes {
        let mut columns = ClassColumns::read(class, bytes)?;
        for (stream, &num_rows) in class.num_rows.iter().enumerate() {
            reader.read(class, &mut columns, stream, num_rows);
            let (distinct, moved) = (reader.distinct.as_slice(), reader.moved.as_slice());
            each(StreamRows { len_row: class.len_row, distinct, moved, num_rows })?;
        }
    }
    match bytes.len_left() {
        0 => Ok(()),
        left => Err(bytes.bad("planes", "the end of the columns after them", left as u64).into()),
    }
}

/// The columns of a class, of which some streams were read.
struct ClassColumns<'a> {
    /// A bit per row after the first of every stream: whether it differs from the previous one.
    moves: &'a [u8],
    next_bit: usize,
    /// Number of streams with changes so far.
    num_moving: usize,
    columns: Vec<Column<'a>>,
}

/// A column that changes in some stream.
struct Column<'a> {
    ofs: u32,
    content: Content<'a>,
}

enum Content<'a> {
    Own(Own<'a>),
    Related(Relation),
}

/// A column with stored values.
struct Own<'a> {
    is_wide: bool,
    transform: Transform,
    scale: u32,
    /// A bit per moving stream: whether the column changes in it.
    bitmap: &'a [u8],
    /// The bytes of all values: the lowest of each, then the second, and so on.
    planes: &'a [u8],
    num_planes: u8,
    /// Values in all streams, and in those read so far.
    num_values: usize,
    num_read: usize,
}

impl<'a> ClassColumns<'a> {
    fn read(class: &ClassRows<'_>, bytes: &mut Bytes<'a>) -> Result<ClassColumns<'a>, Short> {
        let num_bits: usize = class.num_rows.iter().map(|&num| num as usize - 1).sum();
        let moves = bytes.take("moves", num_bits.div_ceil(8))?;
        let num_moved = num_moved(class, moves);
        let mut read = ClassColumns { moves, next_bit: 0, num_moving: 0, columns: Vec::new() };
        if num_moved.is_empty() {
            return Ok(read);
        }
        let modes = bytes.take("modes", num_columns(class.len_row))?;
        let own = || modes.iter().filter(|mode| relation::is_own(**mode));
        let mut references = bytes.take("references", 2 * relation::num_references(modes))?;
        let num_scales = own().filter(|mode| **mode & SCALED != 0).count();
        let mut scales = bytes.take("scales", 4 * num_scales)?.as_chunks::<4>().0.iter();
        let len_bitmap = num_moved.len().div_ceil(8);
        let len_bitmaps = len_bitmap.saturating_mul(own().count());
        let mut bitmaps = bytes.take("bitmaps", len_bitmaps)?.chunks_exact(len_bitmap);
        for (column, &mode) in modes.iter().enumerate().filter(|(_, mode)| **mode != 0) {
            let (ofs, len) = column_of(class.len_row, column);
            let content = if relation::is_own(mode) {
                let scale = if mode & SCALED == 0 { None } else { scales.next() };
                let scale = scale.map_or(1, |scale| u32::from_le_bytes(*scale));
                let bitmap = bitmaps.next().unwrap_or_default();
                Content::Own(Own::read(mode, len, scale, bitmap, &num_moved, bytes)?)
            } else {
                let relation = Relation::read(mode, &mut references, column);
                let relation = relation.filter(|_| len == LEN_COLUMN).ok_or_else(|| {
                    bytes.bad("references", "columns before the one that refers", column as u64)
                })?;
                Content::Related(relation)
            };
            read.columns.push(Column { ofs: ofs as u32, content });
        }
        Ok(read)
    }
}

/// Per stream, the number of rows that differ from the previous one; streams without any are left out.
fn num_moved(class: &ClassRows<'_>, moves: &[u8]) -> Vec<u32> {
    let mut bit = 0;
    let of_stream = class.num_rows.iter().map(|&num_rows| {
        let end = bit + num_rows as usize - 1;
        let num = (std::mem::replace(&mut bit, end)..end).filter(|&bit| is_set(moves, bit)).count();
        num as u32
    });
    of_stream.filter(|num| *num > 0).collect()
}

fn is_set(bits: &[u8], bit: usize) -> bool {
    bits[bit / 8] >> (bit % 8) & 1 == 1
}

impl<'a> Own<'a> {
    fn read(
        mode: u8,
        len: usize,
        scale: u32,
        bitmap: &'a [u8],
        num_moved: &[u32],
        bytes: &mut Bytes<'a>,
    ) -> Result<Own<'a>, Short> {
        let num_planes = mode >> 4;
        let transform = (mode & 0x07).checked_sub(1).and_then(Transform::from_number);
        let transform = transform.filter(|_| usize::from(num_planes) <= len).ok_or_else(|| {
            bytes.bad("modes", "a transform of 1 to 3 and as many planes as bytes", u64::from(mode))
        })?;
        let of_stream = num_moved.iter().enumerate();
        let num_values =
            of_stream.map(|(at, num)| if is_set(bitmap, at) { *num as usize } else { 0 }).sum::<usize>();
        let planes = bytes.take("planes", num_values.saturating_mul(usize::from(num_planes)))?;
        let is_wide = len == LEN_COLUMN;
        Ok(Own { is_wide, transform, scale, bitmap, planes, num_planes, num_values, num_read: 0 })
    }

    /// Writes the column into the rows of a stream, from the second on.
    fn write(&mut self, rows: &mut [u8], len_row: usize, ofs: usize) {
        let start = self.num_read;
        self.num_read += rows.len() / len_row - 1;
        let plane = |at: usize| &self.planes[at * self.num_values + start..];
        match self.num_planes {
            0 => self.transform(rows, len_row, ofs, std::iter::repeat(0)),
            1 => self.transform(rows, len_row, ofs, plane(0).iter().map(|&byte| u32::from(byte))),
            2 => {
                let values = plane(0).iter().zip(plane(1));
                let values = values.map(|(&a, &b)| u32::from(u16::from_le_bytes([a, b])));
                self.transform(rows, len_row, ofs, values);
            }
            3 => {
                let values = plane(0).iter().zip(plane(1)).zip(plane(2));
                let values = values.map(|((&a, &b), &c)| u32::from_le_bytes([a, b, c, 0]));
                self.transform(rows, len_row, ofs, values);
            }
            _ => {
                let values = plane(0).iter().zip(plane(1)).zip(plane(2).iter().zip(plane(3)));
                let values = values.map(|((&a, &b), (&c, &d))| u32::from_le_bytes([a, b, c, d]));
                self.transform(rows, len_row, ofs, values);
            }
        }
    }

    fn transform(&self, rows: &mut [u8], len_row: usize, ofs: usize, coded: impl Iterator<Item = u32>) {
        if self.is_wide {
            self.fill::<LEN_COLUMN>(rows, len_row, ofs, coded);
        } else {
            self.fill::<1>(rows, len_row, ofs, coded);
        }
    }

    fn fill<const LEN: usize>(
        &self,
        rows: &mut [u8],
        len_row: usize,
        ofs: usize,
        coded: impl Iterator<Item = u32>,
    ) {
        let (mut before, mut step) = (value(rows, ofs, LEN), 0_u32);
        let plain = |code| unzigzag(code, LEN).wrapping_mul(self.scale);
        let places = rows.chunks_exact_mut(len_row).skip(1).zip(coded);
        let write = |row: &mut [u8], value: u32| {
            row[ofs..ofs + LEN].copy_from_slice(&value.to_le_bytes()[..LEN]);
        };
        match self.transform {
            Transform::Verbatim => places.for_each(|(row, code)| write(row, code)),
            Transform::Delta => places.for_each(|(row, code)| {
                before = before.wrapping_add(plain(code));
                write(row, before);
            }),
            Transform::Delta2 => places.for_each(|(row, code)| {
                step = step.wrapping_add(plain(code));
                before = before.wrapping_add(step);
                write(row, before);
            }),
        }
    }
}

/// Writes a column that follows from others, into the rows from the second on.
fn write_related(rows: &mut [u8], len_row: usize, ofs: usize, relation: Relation) {
    let mut before = 0;
    for row in (len_row..rows.len()).step_by(len_row) {
        let step = |column: u16| {
            let ofs = usize::from(column) * LEN_COLUMN;
            value(rows, row + ofs, LEN_COLUMN).wrapping_sub(value(rows, before + ofs, LEN_COLUMN))
        };
        let step = match relation {
            Relation::Same(a) => step(a),
            Relation::Sum(a, b) => step(a).wrapping_add(step(b)),
            Relation::Difference(a, b) => step(a).wrapping_sub(step(b)),
        };
        let new = value(rows, before + ofs, LEN_COLUMN).wrapping_add(step);
        rows[row + ofs..row + ofs + LEN_COLUMN].copy_from_slice(&new.to_le_bytes());
        before = row;
    }
}

/// Reads streams one at a time into the same memory.
#[derive(Default)]
struct StreamReader {
    distinct: Vec<u8>,
    moved: Vec<u32>,
}

impl StreamReader {
    fn read(&mut self, class: &ClassRows<'_>, columns: &mut ClassColumns<'_>, stream: usize, num_rows: u32) {
        self.moved.clear();
        let bit = columns.next_bit;
        columns.next_bit += num_rows as usize - 1;
        let moves = columns.moves;
        self.moved.extend((1..num_rows).filter(|&row| is_set(moves, bit + row as usize - 1)));
        self.distinct.clear();
        let num_streams = class.num_rows.len();
        self.distinct.extend(class.first_rows.iter().skip(stream).step_by(num_streams));
        if self.moved.is_empty() {
            return;
        }
        let len_row = class.len_row;
        self.moved.iter().for_each(|_| self.distinct.extend_from_within(..len_row));
        let moving = columns.num_moving;
        columns.num_moving += 1;
        for column in &mut columns.columns {
            let ofs = column.ofs as usize;
            match &mut column.content {
                Content::Own(own) if is_set(own.bitmap, moving) => {
                    own.write(&mut self.distinct, len_row, ofs);
                }
                Content::Own(_) => {}
                Content::Related(relation) => write_related(&mut self.distinct, len_row, ofs, *relation),
            }
        }
    }
}
