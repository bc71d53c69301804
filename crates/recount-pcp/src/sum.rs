//! Values made of several metrics of a record.

use crate::value::ValueType;

/// A sum of integers of a record, in a unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) terms: Vec<Term>,
    /// By which the sum is multiplied, and then divided, rounded down.
    pub(crate) factor: i128,
    pub(crate) divisor: i128,
    /// From here on there is no value.
    pub(crate) limit: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// The metric, by its place among the stream's.
    pub(crate) input: usize,
    pub(crate) value_type: ValueType,
    /// Negative: subtracted.
    pub(crate) times: i128,
}
