//! Values made from several metrics of a record.

use crate::value::ValueType;

/// A sum of integers of a record, in a unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) terms: Vec<Term>,
    /// The sum is multiplied by the first, and then divided by the second and rounded down.
    pub(crate) factor: i128,
    pub(crate) divisor: i128,
    /// Values from this one on count as missing.
    pub(crate) limit: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// The metric, by its index among the stream's.
    pub(crate) input: usize,
    pub(crate) value_type: ValueType,
    /// Its factor; if negative, the metric is subtracted.
    pub(crate) times: i128,
}
