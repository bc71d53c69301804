//! Columns that follow from others (`formats/rcap.md#relations`): user and privileged time make processor time, bytes
//! read and bytes written make the bytes of both.

use std::collections::HashMap;

/// How the steps of a column, from row to row, follow from those of columns before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Same(u16),
    Sum(u16, u16),
    /// The first minus the second.
    Difference(u16, u16),
}

const SAME: u8 = 4;
const SUM: u8 = 5;
const DIFFERENCE: u8 = 6;

/// More columns than this aren't searched: the search grows with their square.
const MAX_NUM_COLUMNS: usize = 512;

/// Whether a column of this mode has values of its own.
pub(super) fn is_own(mode: u8) -> bool {
    mode != 0 && !(SAME..=DIFFERENCE).contains(&(mode & 0x07))
}

/// How many columns the modes refer to.
pub(super) fn num_references(modes: &[u8]) -> usize {
    let num = |mode: &u8| match *mode & 0x07 {
        SAME => 1,
        SUM | DIFFERENCE => 2,
        _ => 0,
    };
    modes.iter().map(num).sum()
}

impl Relation {
    /// The mode, and the columns referred to.
    pub(super) fn write(self) -> (u8, Vec<u16>) {
        match self {
            Relation::Same(a) => (SAME, vec![a]),
            Relation::Sum(a, b) => (SUM, vec![a, b]),
            Relation::Difference(a, b) => (DIFFERENCE, vec![a, b]),
        }
    }

    /// Takes the references of a column from the list; `None`: one of them isn't before the column.
    pub(super) fn read(mode: u8, references: &mut &[u8], column: usize) -> Option<Relation> {
        let mut next = || {
            let (reference, rest) = references.split_first_chunk::<2>()?;
            *references = rest;
            let reference = u16::from_le_bytes(*reference);
            (usize::from(reference) < column).then_some(reference)
        };
        match mode & 0x07 {
            SAME => next().map(Relation::Same),
            SUM => Some(Relation::Sum(next()?, next()?)),
            DIFFERENCE => Some(Relation::Difference(next()?, next()?)),
            _ => None,
        }
    }
}

/// A linear hash of steps: that of a sum is the sum of the hashes.
pub(super) fn fingerprint(steps: impl Iterator<Item = u32>) -> u32 {
    let mut weight = 0x9E37_79B9_u32;
    steps.fold(0, |hash: u32, step| {
        weight = weight.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
        // Odd, so that no bit of a step is lost.
        hash.wrapping_add(step.wrapping_mul(weight | 1))
    })
}

/// The columns of a class so far, by fingerprint.
#[derive(Default)]
pub(super) struct Relations {
    columns: Vec<(u16, u32)>,
    by_print: HashMap<u32, u16>,
}

impl Relations {
    pub(super) fn clear(&mut self) {
        self.columns.clear();
        self.by_print.clear();
    }

    /// Adds a column that others may follow from.
    pub(super) fn add(&mut self, column: u16, print: u32) {
        if self.columns.len() < MAX_NUM_COLUMNS {
            self.columns.push((column, print));
            self.by_print.entry(print).or_insert(column);
        }
    }

    /// A relation suggested by the fingerprint; the caller has to check whether it holds.
    pub(super) fn find(&self, print: u32) -> Option<Relation> {
        if let Some(&column) = self.by_print.get(&print) {
            return Some(Relation::Same(column));
        }
        self.columns.iter().find_map(|&(column, other)| {
            let sum = self.by_print.get(&print.wrapping_sub(other)).map(|&b| Relation::Sum(column, b));
            sum.or_else(|| {
                let subtrahend = self.by_print.get(&other.wrapping_sub(print));
                subtrahend.map(|&b| Relation::Difference(column, b))
            })
        })
    }
}
