//! The cells of a column in one record.

use recount_bytes::FormatError;

use crate::structure::{DataRecord, ValueSet, unexpected};
use crate::sum::Sum;
use crate::value::{MetricReading, ValueType};

/// The values of a metric in a row.
#[derive(Clone, Copy)]
pub(crate) struct PlacedSet<'a> {
    pub(crate) set: ValueSet<'a>,
    /// Whether it has exactly the row's instances, in their order.
    pub(crate) is_placed: bool,
}

/// The instances of a stream in a record.
pub(crate) struct InstanceRow<'a> {
    pub(crate) record: &'a DataRecord<'a>,
    /// Ascending.
    pub(crate) numbers: &'a [i32],
    /// Whether there is no domain: the single value counts then, whatever its number.
    pub(crate) is_single: bool,
}

impl InstanceRow<'_> {
    /// Passes the values of a set to `take`, by instance; of several for one instance, only the first.
    fn each(&self, set: &PlacedSet<'_>, mut take: impl FnMut(usize, u32)) {
        if set.is_placed {
            return set.set.cells().enumerate().for_each(|(at, (_, word))| take(at, word));
        }
        if self.is_single {
            return set.set.cells().take(self.numbers.len()).for_each(|(_, word)| take(0, word));
        }
        let mut filled = vec![false; self.numbers.len()];
        for (number, word) in set.set.cells() {
            let Ok(at) = self.numbers.binary_search(&number) else { continue };
            if !std::mem::replace(&mut filled[at], true) {
                take(at, word);
            }
        }
    }

    /// The values of one metric. Those that the record doesn't have are one error together.
    pub(crate) fn metric(
        &self,
        cells: &mut [u64],
        set: Option<PlacedSet<'_>>,
        reading: MetricReading,
        name: &str,
        mut fault: impl FnMut(usize),
    ) -> Result<(), FormatError> {
        let Some(placed) = set.filter(|placed| placed.set.count >= 0) else {
            (0..self.numbers.len()).for_each(fault);
            return Ok(());
        };
        let set = placed.set;
        let mut wrong = Vec::new();
        self.each(&placed, |at, word| {
            if let Some(value) = reading.cell(self.record, set.format, word) {
                cells[at] = value;
            } else {
                wrong.push(word);
                fault(at);
            }
        });
        let Some(first) = wrong.first() else { return Ok(()) };
        let (num_wrong, num) = (wrong.len(), set.cells().len());
        Err(unexpected(
            DataRecord::NAME,
            self.record.frame.ofs,
            "value set",
            set.ofs,
            format!("values of type {} for {name}", reading.value_type.name()),
            format!(
                "{num_wrong} of {num} that aren't in the record (format {}, first {first:#x})",
                set.format
            ),
        ))
    }

    /// The values of a metric as integers, by instance; `None` where there is none.
    pub(crate) fn integers(&self, placed: &PlacedSet<'_>, value_type: ValueType) -> Vec<Option<i128>> {
        let mut values = vec![None; self.numbers.len()];
        self.each(placed, |at, word| {
            values[at] = MetricReading::integer(value_type, self.record, placed.set.format, word);
        });
        values
    }

    /// Sums of several metrics. Faulty values are reported where the metric itself is read.
    pub(crate) fn sum(
        &self,
        cells: &mut [u64],
        sets: &[Option<PlacedSet<'_>>],
        sum: &Sum,
        fault: impl FnMut(usize),
    ) {
        let mut sums: Vec<(usize, Option<i128>)> = vec![(0, Some(0)); cells.len()];
        for term in &sum.terms {
            let Some(placed) = sets[term.input].filter(|placed| placed.set.count >= 0) else { continue };
            self.each(&placed, |at, word| {
                let value = MetricReading::integer(term.value_type, self.record, placed.set.format, word);
                let product = value.and_then(|value| value.checked_mul(term.times));
                let (num_terms, sum) = &mut sums[at];
                *num_terms += 1;
                *sum = sum.zip(product).and_then(|(sum, product)| sum.checked_add(product));
            });
        }
        let whole = |(num_terms, total): &(usize, Option<i128>)| {
            let total = total.filter(|_| *num_terms == sum.terms.len())?;
            let value = u64::try_from(total.checked_mul(sum.factor)?.div_euclid(sum.divisor)).ok();
            value.filter(|value| sum.limit.is_none_or(|limit| *value < limit))
        };
        let values: Vec<Option<u64>> = sums.iter().map(whole).collect();
        for (cell, value) in cells.iter_mut().zip(&values) {
            *cell = value.unwrap_or(0);
        }
        values.iter().enumerate().filter(|(_, value)| value.is_none()).map(|(at, _)| at).for_each(fault);
    }
}

/// Whether a set has exactly these instances, in this order.
pub(crate) fn is_same(numbers: &[i32], set: &ValueSet<'_>) -> bool {
    let cells = set.cells();
    cells.len() == numbers.len() && cells.zip(numbers).all(|((number, _), known)| number == *known)
}
