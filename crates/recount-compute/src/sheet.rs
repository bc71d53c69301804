//! A column under construction.

use recount_model::{Cooked, CookedColumn, Status};

/// The values so far, in cell order. Statuses are kept from the first that isn't [`Status::Ok`].
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) values: Vec<f64>,
    pub(crate) status: Option<Vec<Status>>,
    num_cells: usize,
}

impl Sheet {
    pub(crate) fn new(num_cells: usize) -> Sheet {
        Sheet { values: Vec::with_capacity(num_cells), status: None, num_cells }
    }

    /// Appends cells without a value.
    pub(crate) fn fill(&mut self, count: usize, status: Status) {
        let start = self.values.len();
        self.values.resize(start + count, 0.0);
        if count > 0 {
            self.statuses()[start..start + count].fill(status);
        }
    }

    /// Fills all remaining cells.
    pub(crate) fn fill_rest(&mut self, status: Status) {
        self.fill(self.num_cells - self.values.len(), status);
    }

    /// Removes the value of a cell.
    pub(crate) fn mark(&mut self, cell: usize, status: Status) {
        self.values[cell] = 0.0;
        self.statuses()[cell] = status;
    }

    /// Says of a value what it is, if there is one.
    pub(crate) fn qualify(&mut self, cell: usize, status: Status) {
        let known = &mut self.statuses()[cell];
        if *known == Status::Ok {
            *known = status;
        }
    }

    /// Replaces a value written by a quick loop.
    pub(crate) fn set(&mut self, cell: usize, outcome: Result<f64, Status>) {
        match outcome {
            Ok(value) => self.values[cell] = value,
            Err(status) => self.mark(cell, status),
        }
    }

    /// Multiplies every value by a power of ten. If the power isn't exact, the exponent can't be a real scale
    /// (PDH's range is -7 to 7), and the values are removed.
    pub(crate) fn scale(&mut self, exponent: i32) {
        if !scale(&mut self.values, exponent) {
            (self.values, self.status) = (Vec::new(), None);
            self.fill_rest(Status::InvalidData);
        }
    }

    fn statuses(&mut self) -> &mut [Status] {
        self.status.get_or_insert_with(|| vec![Status::Ok; self.num_cells])
    }
}

/// Multiplies cooked values by their counters' default scales, as [`Sheet::scale`] does.
pub(crate) fn scale_cooked(cooked: &mut Cooked) {
    for column in &mut cooked.columns {
        let exponent = cooked.object.counters.get(column.counter).map_or(0, |def| def.default_scale);
        if exponent != 0 {
            scale_column(column, exponent);
        }
    }
}

fn scale_column(column: &mut CookedColumn, exponent: i32) {
    if !scale(&mut column.values, exponent) {
        column.values.fill(0.0);
        column.status = Some(vec![Status::InvalidData; column.values.len()]);
    }
}

/// Whether the power of ten is exact; if not, nothing is changed.
fn scale(values: &mut [f64], exponent: i32) -> bool {
    const MAX_EXACT: u32 = 22;
    if exponent.unsigned_abs() > MAX_EXACT {
        return false;
    }
    let power = 10_f64.powi(exponent.abs());
    // Dividing, since 10^-1 has no exact double: 3 stays 0.3.
    let scaled = |value: f64| if exponent < 0 { value / power } else { value * power };
    for value in values {
        *value = scaled(*value);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_exactly_and_refuses_nonsense() {
        let mut sheet = Sheet::new(2);
        sheet.values.push(3.0);
        sheet.fill_rest(Status::NoOperations);
        sheet.scale(-1);
        assert_eq!(sheet.values, [0.3, 0.0]);
        sheet.scale(i32::MIN);
        assert_eq!(sheet.status, Some(vec![Status::InvalidData; 2]));
    }
}
