//! Accumulates values of instances.

use recount_model::{AggregateFunction, Status};

/// The state that the aggregate functions need of the values so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fold {
    num_values: u64,
    sum: f64,
    min: f64,
    max: f64,
    /// The smallest status of an instance without a value; [`Status::Ok`] if there is none.
    missing: Status,
}

impl Fold {
    pub(crate) const EMPTY: Fold =
        Fold { num_values: 0, sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY, missing: Status::Ok };

    pub(crate) fn has_values(&self) -> bool {
        self.num_values > 0
    }

    pub(crate) fn add(&mut self, value: f64) {
        self.num_values += 1;
        self.sum += value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds an instance without a value.
    pub(crate) fn miss(&mut self, status: Status) {
        if self.missing == Status::Ok || status < self.missing {
            self.missing = status;
        }
    }

    /// The aggregate. Only existing values count, but if one instance's data is invalid, so is the aggregate.
    pub(crate) fn finish(&self, function: AggregateFunction) -> Result<f64, Status> {
        match (self.missing, self.num_values) {
            (Status::InvalidData, _) | (Status::Ok, 0) => return Err(Status::InvalidData),
            (status, 0) => return Err(status),
            _ => {}
        }
        match function {
            AggregateFunction::Undefined => Err(Status::NotANumber),
            AggregateFunction::Total => Ok(self.sum),
            AggregateFunction::Average => Ok(self.sum / self.num_values as f64),
            AggregateFunction::Minimum => Ok(self.min),
            AggregateFunction::Maximum => Ok(self.max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_exist_count() {
        let mut fold = Fold::EMPTY;
        for value in [4.0, -1.0, 6.0] {
            fold.add(value);
        }
        fold.miss(Status::NoPreviousInstance);
        let all = AggregateFunction::ALL.map(|function| fold.finish(function));
        assert_eq!(all, [Ok(9.0), Ok(3.0), Ok(-1.0), Ok(6.0)]);
    }

    #[test]
    fn without_a_value_the_smallest_status_is_reported() {
        let mut fold = Fold::EMPTY;
        fold.miss(Status::NoOperations);
        fold.miss(Status::NoPreviousInstance);
        fold.miss(Status::CounterReset);
        assert_eq!(fold.finish(AggregateFunction::Total), Err(Status::NoPreviousInstance));
    }

    #[test]
    fn what_rests_on_invalid_data_is_invalid() {
        let mut fold = Fold::EMPTY;
        fold.add(1.0);
        fold.miss(Status::NoPreviousInstance);
        fold.miss(Status::InvalidData);
        fold.miss(Status::CounterReset);
        assert_eq!(fold.finish(AggregateFunction::Maximum), Err(Status::InvalidData));
    }
}
