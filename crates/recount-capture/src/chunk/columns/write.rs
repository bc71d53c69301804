//! Rows to columns.

use super::{LEN_COLUMN, SCALED, column_of, num_columns, value, zigzag};
use crate::chunk::relation::{Relation, Relations, fingerprint};
use crate::chunk::section::SectionBuilder;

/// The columns of all classes of a section.
pub(in crate::chunk) fn write(section: &SectionBuilder, raw: &[u8], out: &mut Vec<u8>) {
    let mut class_columns = ClassColumns::default();
    for class in &section.classes {
        let streams = class.streams.iter().map(|&stream| section.streams[stream as usize].rows.as_slice());
        class_columns.write(class.len_row as usize, streams, raw, out);
    }
}

/// Only kept from class to class to reuse its memory.
#[derive(Default)]
struct ClassColumns {
    /// The rows of changing streams, stream by stream, without repetitions of the previous row.
    rows: Vec<u32>,
    /// End of each such stream in `rows`.
    ends: Vec<usize>,
    /// A bit per row after the first of every stream: whether it differs from the previous one.
    moves: Vec<u8>,
    /// Per such stream and column, the bits that ever change.
    changes: Vec<u32>,
    values: Vec<u32>,
    coded: [Vec<u32>; 3],
    relations: Relations,
    references: Vec<u8>,
    scales: Vec<u8>,
    bitmaps: Vec<u8>,
    planes: Vec<u8>,
}

impl ClassColumns {
    fn write<'r>(
        &mut self,
        len_row: usize,
        streams: impl Iterator<Item = &'r [u32]>,
        raw: &[u8],
        out: &mut Vec<u8>,
    ) {
        let num_columns = num_columns(len_row);
        self.find_changes(len_row, num_columns, streams, raw);
        out.extend_from_slice(&self.moves);
        if self.ends.is_empty() {
            return;
        }
        self.references.clear();
        self.scales.clear();
        self.bitmaps.clear();
        self.planes.clear();
        self.relations.clear();
        for column in 0..num_columns {
            let mode = self.column(len_row, num_columns, column, raw);
            out.push(mode);
        }
        out.extend_from_slice(&self.references);
        out.extend_from_slice(&self.scales);
        out.extend_from_slice(&self.bitmaps);
        out.extend_from_slice(&self.planes);
    }

    fn find_changes<'r>(
        &mut self,
        len_row: usize,
        num_columns: usize,
        streams: impl Iterator<Item = &'r [u32]>,
        raw: &[u8],
    ) {
        self.rows.clear();
        self.ends.clear();
        self.changes.clear();
        self.moves.clear();
        let row = |ofs: u32| &raw[ofs as usize..ofs as usize + len_row];
        let mut num_bits = 0;
        for rows in streams {
            let (start, start_changes) = (self.rows.len(), self.changes.len());
            self.rows.extend(rows.first());
            for pair in rows.windows(2) {
                let (before, after) = (row(pair[0]), row(pair[1]));
                let moved = before != after;
                if num_bits % 8 == 0 {
                    self.moves.push(0);
                }
                if moved {
                    self.moves[num_bits / 8] |= 1 << (num_bits % 8);
                    self.rows.push(pair[1]);
                    self.changes.resize(start_changes + num_columns, 0);
                    note_changes(before, after, &mut self.changes[start_changes..]);
                }
                num_bits += 1;
            }
            if self.rows.len() - start > 1 {
                self.ends.push(self.rows.len());
            } else {
                self.rows.truncate(start);
            }
        }
    }

    /// Adds a column's bitmap and planes; returns its mode.
    fn column(&mut self, len_row: usize, num_columns: usize, column: usize, raw: &[u8]) -> u8 {
        if !(0..self.ends.len()).any(|stream| self.changes[stream * num_columns + column] != 0) {
            return 0;
        }
        let (ofs, len) = column_of(len_row, column);
        if len == LEN_COLUMN
            && let Some(relation) = self.related(len_row, column, raw)
        {
            let (mode, columns) = relation.write();
            self.references.extend(columns.into_iter().flat_map(u16::to_le_bytes));
            return mode;
        }
        let start = self.bitmaps.len();
        self.bitmaps.resize(start + self.ends.len().div_ceil(8), 0);
        self.coded.iter_mut().for_each(Vec::clear);
        for at in 0..self.ends.len() {
            if self.changes[at * num_columns + column] == 0 {
                continue;
            }
            self.bitmaps[start + at / 8] |= 1 << (at % 8);
            let first = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            self.values.clear();
            let rows = &self.rows[first..self.ends[at]];
            self.values.extend(rows.iter().map(|&row| value(raw, row as usize + ofs, len)));
            transforms(&self.values, &mut self.coded);
        }
        let (best, scale) = self.finish_coding(len);
        if scale > 1 {
            self.scales.extend_from_slice(&scale.to_le_bytes());
        }
        let list = &self.coded[best];
        let all = list.iter().fold(0, |all, value| all | value);
        let num_planes = (u32::BITS - all.leading_zeros()).div_ceil(8) as u8;
        for plane in 0..num_planes {
            self.planes.extend(list.iter().map(|value| (value >> (8 * plane)) as u8));
        }
        let scaled = if scale > 1 { SCALED } else { 0 };
        1 + best as u8 + scaled + (num_planes << 4)
    }

    /// Divides the steps by their common divisor, maps them to small numbers, and finds the form that takes the fewest
    /// bits. Returns its index and the divisor.
    fn finish_coding(&mut self, len: usize) -> (usize, u32) {
        let [verbatim, delta, delta2] = &mut self.coded;
        let scale = if len == LEN_COLUMN { common_divisor(delta) } else { 1 };
        // The difference of two steps may overflow a signed number, and is no longer a multiple then.
        let divides = |step: &u32| (*step as i32).checked_rem(scale as i32) == Some(0);
        let scale2 = if delta2.iter().all(divides) { scale } else { 1 };
        for (list, scale) in [(&mut *delta, scale), (&mut *delta2, scale2)] {
            for step in list {
                *step = zigzag(divide(*step, scale), len);
            }
        }
        let cost = |list: &Vec<u32>| -> u64 {
            list.iter().map(|value| u64::from(u32::BITS - value.leading_zeros())).sum()
        };
        let costs = [cost(verbatim), cost(delta), cost(delta2)];
        let best = (0..3).min_by_key(|&at| costs[at]).unwrap_or(0);
        (best, [1, scale, scale2][best])
    }
}

/// The greatest common divisor of steps, taken as signed.
fn common_divisor(steps: &[u32]) -> u32 {
    let mut divisor = 0_u32;
    for step in steps {
        let (mut a, mut b) = (divisor, (*step as i32).unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        divisor = a;
        if divisor == 1 {
            break;
        }
    }
    // A divisor has to fit a signed step.
    if divisor > i32::MAX as u32 { 1 } else { divisor.max(1) }
}

fn divide(step: u32, scale: u32) -> u32 {
    if scale <= 1 { step } else { (step as i32 / scale as i32) as u32 }
}

impl ClassColumns {
    /// How a column follows from those before it, if it does in every row of every stream.
    fn related(&mut self, len_row: usize, column: usize, raw: &[u8]) -> Option<Relation> {
        let number = u16::try_from(column).ok()?;
        let rows = Rows { places: &self.rows, ends: &self.ends, raw };
        let print = fingerprint(rows.steps(column_of(len_row, column).0));
        let relation = self.relations.find(print).filter(|relation| {
            let steps = rows.steps(column_of(len_row, column).0);
            let step_of = |column: u16| rows.steps(column_of(len_row, usize::from(column)).0);
            match *relation {
                Relation::Same(a) => steps.eq(step_of(a)),
                Relation::Sum(a, b) => steps.eq(step_of(a).zip(step_of(b)).map(|(a, b)| a.wrapping_add(b))),
                Relation::Difference(a, b) => {
                    steps.eq(step_of(a).zip(step_of(b)).map(|(a, b)| a.wrapping_sub(b)))
                }
            }
        });
        if relation.is_none() {
            self.relations.add(number, print);
        }
        relation
    }
}

/// The rows of all streams that change.
#[derive(Clone, Copy)]
struct Rows<'a> {
    places: &'a [u32],
    ends: &'a [usize],
    raw: &'a [u8],
}

impl<'a> Rows<'a> {
    /// The differences of the column at an offset, from row to row.
    fn steps(self, ofs: usize) -> impl Iterator<Item = u32> + 'a {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends).flat_map(move |(start, &end)| {
            let at = move |row: u32| value(self.raw, row as usize + ofs, LEN_COLUMN);
            self.places[start..end].windows(2).map(move |pair| at(pair[1]).wrapping_sub(at(pair[0])))
        })
    }
}

/// Marks the bits of every column that differ between two rows.
fn note_changes(before: &[u8], after: &[u8], changes: &mut [u32]) {
    let ((before, before_rest), (after, after_rest)) =
        (before.as_chunks::<LEN_COLUMN>(), after.as_chunks::<LEN_COLUMN>());
    for ((change, a), b) in changes.iter_mut().zip(before).zip(after) {
        *change |= u32::from_le_bytes(*a) ^ u32::from_le_bytes(*b);
    }
    for ((change, a), b) in changes[before.len()..].iter_mut().zip(before_rest).zip(after_rest) {
        *change |= u32::from(a ^ b);
    }
}

/// The values of one stream after its first, in all three forms; steps are not zigzag yet.
fn transforms(values: &[u32], coded: &mut [Vec<u32>; 3]) {
    let [verbatim, delta, delta2] = coded;
    let mut step_before = 0_u32;
    for pair in values.windows(2) {
        let step = pair[1].wrapping_sub(pair[0]);
        verbatim.push(pair[1]);
        delta.push(step);
        delta2.push(step.wrapping_sub(step_before));
        step_before = step;
    }
}
