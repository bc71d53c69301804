//! Rows that several stretches of an object share: a recorder may take some counters of an instance apart from others, and
//! now and then all of them at once.

use std::collections::{BTreeMap, HashMap};

/// What a row is about: host, instance and its id. The names are keys of dictionaries.
pub(super) type Subject = (Option<i32>, Option<i32>, Option<u64>);

/// A cell of a stretch, as (stretch, cell).
pub(super) type Cell = (usize, usize);

/// A row before it is joined with others.
pub(super) struct PendingRow {
    pub(super) cell: Cell,
    pub(super) time: i64,
    pub(super) interval: Option<f64>,
    pub(super) weight: f64,
    pub(super) subject: Subject,
}

/// The rows of several stretches, in order.
#[derive(Debug, Default)]
pub(super) struct SharedRows {
    /// The first part of each row.
    pub(super) rows: Vec<Cell>,
    /// The further parts of rows that have some, by row.
    more: BTreeMap<usize, Vec<Cell>>,
}

impl SharedRows {
    /// Joins parts of the same time, interval, weight and subject whose stretches have no column in common: those that have one
    /// are values of different captures. `parts` are sorted by time; `columns` are those of each stretch.
    pub(super) fn new(parts: impl Iterator<Item = PendingRow>, columns: &[Vec<bool>]) -> SharedRows {
        let is_apart = |one: usize, other: usize| {
            one != other && !columns[one].iter().zip(&columns[other]).any(|(one, other)| *one && *other)
        };
        let mut shared = SharedRows::default();
        // The rows of the current time.
        let mut of_time: HashMap<(Subject, Option<u64>, u64), Vec<usize>> = HashMap::new();
        let mut time = None;
        for part in parts {
            if time.replace(part.time) != Some(part.time) {
                of_time.clear();
            }
            let key = (part.subject, part.interval.map(f64::to_bits), part.weight.to_bits());
            let rows = of_time.entry(key).or_default();
            let fits = |row: &&usize| shared.parts(**row).all(|(stretch, _)| is_apart(stretch, part.cell.0));
            if let Some(&row) = rows.iter().find(fits) {
                shared.more.entry(row).or_default().push(part.cell);
            } else {
                rows.push(shared.rows.len());
                shared.rows.push(part.cell);
            }
        }
        shared
    }

    fn parts(&self, row: usize) -> impl Iterator<Item = Cell> {
        std::iter::once(self.rows[row]).chain(self.more.get(&row).into_iter().flatten().copied())
    }

    /// Whether no row has several parts.
    pub(super) fn are_single(&self) -> bool {
        self.more.is_empty()
    }

    /// The cells of a column: of each row the part whose stretch has the column, or else the first.
    pub(super) fn cells(&self, column: usize, columns: &[Vec<bool>]) -> Vec<Cell> {
        let mut cells = self.rows.clone();
        for (&row, more) in &self.more {
            if let Some(cell) = more.iter().find(|(stretch, _)| columns[*stretch][column]) {
                cells[row] = *cell;
            }
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of an instance: its stretch and cell, time and interval.
    fn part(cell: Cell, time: i64, interval: Option<f64>, instance: i32) -> PendingRow {
        PendingRow { cell, time, interval, weight: 1.0, subject: (Some(0), Some(instance), None) }
    }

    #[test]
    fn parts_of_one_moment_are_one_row() {
        let columns = [vec![true, false], vec![false, true], vec![true, true]];
        let parts = [
            part((0, 0), 1, Some(1.0), 7),
            part((0, 1), 1, Some(1.0), 8),
            part((1, 0), 1, Some(1.0), 8),
            // Another interval.
            part((1, 1), 1, Some(9.0), 7),
            // Has a column of the others.
            part((2, 0), 1, Some(1.0), 8),
            part((1, 2), 2, Some(1.0), 8),
            PendingRow { weight: 0.0, ..part((0, 2), 2, Some(1.0), 8) },
        ];
        let shared = SharedRows::new(parts.into_iter(), &columns);
        assert!(!shared.are_single());
        assert_eq!(shared.cells(0, &columns), [(0, 0), (0, 1), (1, 1), (2, 0), (1, 2), (0, 2)]);
        assert_eq!(shared.cells(1, &columns), [(0, 0), (1, 0), (1, 1), (2, 0), (1, 2), (0, 2)]);
    }
}
