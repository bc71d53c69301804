//! Values of an expression at the times of a batch.

/// The value of a part of an expression. NaN means no value.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::rules) enum Value {
    /// A constant.
    Number(f64),
    /// One value per time, which is combined with every instance.
    Single(Vec<f64>),
    /// One value per time for each instance of an object, ascending by number in the roster.
    PerInstance {
        /// The object.
        object: usize,
        /// The values.
        cells: Vec<(u32, Vec<f64>)>,
    },
}

/// How instances of different objects are matched.
pub(in crate::rules) trait Aligned {
    /// The instance of `object` with the same name as another object's instance.
    fn counterpart(&self, instance: u32, of: usize, object: usize) -> Option<u32>;

    /// Whether the instance is a total of others.
    fn is_total(&self, instance: u32, object: usize) -> bool;
}

impl Value {
    /// The values at a place: an object and an instance, or none.
    pub(in crate::rules) fn at(&self, place: Option<(usize, u32)>) -> Option<&[f64]> {
        match (self, place) {
            (Value::Single(values), None) => Some(values),
            (Value::PerInstance { object, cells }, Some((of, instance))) if *object == of => {
                let at = cells.binary_search_by_key(&instance, |(instance, _)| *instance).ok()?;
                Some(&cells[at].1)
            }
            _ => None,
        }
    }

    /// Applies a function to every value.
    pub(super) fn map(self, of: &dyn Fn(f64) -> f64) -> Value {
        let all = |mut values: Vec<f64>| {
            for value in &mut values {
                *value = of(*value);
            }
            values
        };
        match self {
            Value::Number(number) => Value::Number(of(number)),
            Value::Single(values) => Value::Single(all(values)),
            Value::PerInstance { object, cells } => {
                let cells = cells.into_iter().map(|(instance, values)| (instance, all(values))).collect();
                Value::PerInstance { object, cells }
            }
        }
    }

    /// Combines two values by a function.
    pub(super) fn with(self, other: Value, of: &dyn Fn(f64, f64) -> f64, names: &dyn Aligned) -> Value {
        match (self, other) {
            (left, Value::Number(number)) => left.map(&|value| of(value, number)),
            (Value::Number(number), right) => right.map(&|value| of(number, value)),
            (Value::Single(left), Value::Single(right)) => Value::Single(pairs(&left, &right, of)),
            (Value::PerInstance { object, cells }, Value::Single(right)) => {
                let cells =
                    cells.into_iter().map(|(instance, left)| (instance, pairs(&left, &right, of))).collect();
                Value::PerInstance { object, cells }
            }
            (Value::Single(left), Value::PerInstance { object, cells }) => {
                let cells =
                    cells.into_iter().map(|(instance, right)| (instance, pairs(&left, &right, of))).collect();
                Value::PerInstance { object, cells }
            }
            (Value::PerInstance { object, cells }, Value::PerInstance { object: other, cells: others }) => {
                let join = |(instance, left): (u32, Vec<f64>)| {
                    let same = if object == other {
                        Some(instance)
                    } else {
                        names.counterpart(instance, object, other)
                    };
                    let at = others.binary_search_by_key(&same?, |(instance, _)| *instance).ok()?;
                    Some((instance, pairs(&left, &others[at].1, of)))
                };
                Value::PerInstance { object, cells: cells.into_iter().filter_map(join).collect() }
            }
        }
    }

    /// One value per time over all instances except totals. A total counts for the instances if they are missing; but
    /// how many they are isn't known then.
    pub(super) fn over(self, of: &dyn Fn(&[f64]) -> f64, is_count: bool, names: &dyn Aligned) -> Value {
        let Value::PerInstance { object, cells } = self else {
            let of_one = |value: f64| if value.is_nan() { of(&[]) } else { of(&[value]) };
            return self.map(&of_one);
        };
        let parts: Vec<&Vec<f64>> = cells
            .iter()
            .filter(|(instance, _)| !names.is_total(*instance, object))
            .map(|(_, values)| values)
            .collect();
        // `_Total` alone was requested by name.
        let is_unknown = parts.is_empty() && is_count;
        let parts = if parts.is_empty() { cells.iter().map(|(_, values)| values).collect() } else { parts };
        let num_times = parts.iter().map(|values| values.len()).max().unwrap_or(0);
        let mut at_once = Vec::with_capacity(parts.len());
        let of_time = |time: usize| {
            at_once.clear();
            at_once
                .extend(parts.iter().filter_map(|values| values.get(time)).filter(|value| !value.is_nan()));
            if is_unknown { f64::NAN } else { of(&at_once) }
        };
        Value::Single((0..num_times).map(of_time).collect())
    }
}

fn pairs(left: &[f64], right: &[f64], of: &dyn Fn(f64, f64) -> f64) -> Vec<f64> {
    left.iter().zip(right).map(|(a, b)| of(*a, *b)).collect()
}
