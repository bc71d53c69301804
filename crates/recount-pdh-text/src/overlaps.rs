//! Values that two rows of one time have: parts of a text may share some of their columns
//! (`formats/pdh-text.md#header`).

use std::collections::HashMap;
use std::ops::Range;

use crate::store::{NO_COLUMN, PdhText};
use crate::structure::line::Field;
use crate::structure::number::{self, Cell};

/// The cells of the rows of one time, each read once.
#[derive(Default)]
pub(crate) struct ParsedRows(HashMap<usize, Cells>);

/// The bits of the values of a row, by the numbers of their columns; `None` for a cell without a value.
type Cells = HashMap<u32, Option<u64>>;

impl ParsedRows {
    /// Reads the rows of one time, and forgets those of others.
    fn read(&mut self, text: &PdhText, at_once: Range<usize>) {
        self.0.retain(|row, _| at_once.contains(row));
        for row in at_once {
            self.0.entry(row).or_insert_with(|| text.cells_of(row));
        }
    }
}

impl PdhText {
    /// Per column of a row, whether another part has its value at the same time, and is the one that counts: that with the
    /// shorter interval, or else the first. Empty if no value of the row is.
    pub(crate) fn counted_elsewhere(&self, row: usize, parsed: &mut ParsedRows) -> Vec<bool> {
        let Some(at_once) = self.timeline.shared(row) else { return Vec::new() };
        let numbers = self.whole_objects.numbers(self.timeline.section(row));
        parsed.read(self, at_once.clone());
        let own = &parsed.0[&row];
        let mut elsewhere = vec![false; numbers.len()];
        let is_other = |other: &usize| self.timeline.part(*other) != self.timeline.part(row);
        for other in at_once.filter(is_other) {
            let cells = &parsed.0[&other];
            let is_better = self.rank(other) < self.rank(row);
            for (number, is_elsewhere) in numbers.iter().zip(&mut elsewhere) {
                *is_elsewhere |= match (own.get(number), cells.get(number)) {
                    (None, _) | (_, None) | (Some(Some(_)), Some(None)) => false,
                    (Some(None), Some(Some(_))) => true,
                    (Some(one), Some(other)) => one == other && is_better,
                };
            }
        }
        if elsewhere.contains(&true) { elsewhere } else { Vec::new() }
    }

    /// Which of equal values counts: the least.
    fn rank(&self, row: usize) -> (u64, usize) {
        // The bits of positive numbers are in their order.
        (self.timeline.interval_s(row).unwrap_or(f64::INFINITY).to_bits(), row)
    }

    fn cells_of(&self, row: usize) -> Cells {
        let section = self.section(row);
        let Some(line) = self.text.line(self.timeline.ofs_rows[row]) else { return HashMap::new() };
        let fields = line.values(section.separator).skip(1);
        let numbers = self.whole_objects.numbers(self.timeline.section(row));
        let value = |(field, number): (Field<'_>, &u32)| {
            if *number == NO_COLUMN || !field.closed || line.may_cut(field) {
                return None;
            }
            match number::parse(field.raw, self.number_form) {
                Cell::Value(value) => Some((*number, Some(value.to_bits()))),
                Cell::Blank => Some((*number, None)),
                Cell::Bad => None,
            }
        };
        fields.zip(numbers).filter_map(value).collect()
    }
}
