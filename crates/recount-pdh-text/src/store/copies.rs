//! Rows that are there twice: files that were appended to each other, with or without their headers, may overlap.

use std::collections::HashMap;

use recount_model::{FindingKind, Health, Timestamp};

use super::parts::FileParts;
use super::rows::TimedRow;
use crate::structure::stamp::Precision;
use crate::text::Text;

/// Rows by their number in the file: which were kept, and for which copies they stand.
pub(super) struct Copies {
    numbers: Vec<usize>,
    stands_for: HashMap<usize, usize>,
}

/// Rows of one time that a row is compared with: bounds the work.
const MAX_AT_ONCE: usize = 16;

impl Copies {
    /// Leaves out rows that are there before, under the same columns. Of two, the one that has a previous row stays.
    /// `None` if there are none.
    pub(super) fn leave_out(
        rows: &mut Vec<TimedRow>,
        parts: &FileParts,
        text: &Text,
        health: &mut Health,
    ) -> Option<Copies> {
        if rows.is_sorted_by(|row, next| row.time.utc < next.time.utc) {
            return None;
        }
        let stands_for = copies_of(rows, parts, text);
        let first = *stands_for.keys().min()?;
        let num = stands_for.len();
        let what = if num == 1 {
            "1 row is in the file more than once; it is counted once".to_owned()
        } else {
            format!("{num} rows are in the file more than once; each is counted once")
        };
        health.note(FindingKind::Odd, text.row_place(rows[first].ofs, "time"), what);
        let numbers: Vec<usize> = (0..rows.len()).filter(|number| !stands_for.contains_key(number)).collect();
        let mut number = 0;
        rows.retain(|_| {
            number += 1;
            !stands_for.contains_key(&(number - 1))
        });
        Some(Copies { numbers, stands_for })
    }

    /// The number of a row that was kept.
    pub(super) fn number(&self, kept: usize) -> usize {
        self.numbers[kept]
    }

    /// The row that stands for a row, or the row itself.
    pub(super) fn kept(&self, number: usize) -> usize {
        let mut kept = number;
        while let Some(&other) = self.stands_for.get(&kept) {
            kept = other;
        }
        kept
    }
}

/// The rows to leave out, each with one that stays, or is itself left out for another.
fn copies_of(rows: &[TimedRow], parts: &FileParts, text: &Text) -> HashMap<usize, usize> {
    let line = |row: &TimedRow| text.line(row.ofs).map(|line| line.bytes.trim_ascii_end());
    let section = |row: &TimedRow| parts.all[row.part as usize].section;
    let has_previous = |at: usize| at > 0 && rows[at].follows && rows[at - 1].part == rows[at].part;
    let mut known: HashMap<(Timestamp, usize), Vec<usize>> = HashMap::new();
    let mut stands_for = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        let others = known.entry((row.time.utc, section(row))).or_default();
        // Within a part, two rows of one second may be two samples.
        let is_copy = |other: &usize| {
            (row.precision == Precision::Fractions || rows[*other].part != row.part)
                && line(&rows[*other]) == line(row)
        };
        match others.iter().position(is_copy) {
            Some(place) if has_previous(others[place]) || !has_previous(at) => {
                stands_for.insert(at, others[place]);
            }
            Some(place) => {
                stands_for.insert(others[place], at);
                others[place] = at;
            }
            None if others.len() < MAX_AT_ONCE => others.push(at),
            None => {}
        }
    }
    stands_for
}
