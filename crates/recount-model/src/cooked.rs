//! Cooked columns: what the arithmetic yields, and what every writer of tables takes.

use std::sync::Arc;

use crate::{Instances, ObjectDef, Run, SampleTime, Status};

/// The cooked values of a stretch of samples of one performance object on one host.
///
/// Cells are laid out as in a [`Run`]: the cell of sample `s` and instance `i` is at `s * instances.len() + i`.
/// Columns are plain vectors, which become Arrow buffers without a copy.
#[derive(Clone, Debug)]
pub struct Cooked {
    /// Machine, without leading backslashes; empty if unknown.
    pub host: Arc<str>,
    /// Definitions.
    pub object: Arc<ObjectDef>,
    /// Instance table; one unnamed instance for an object without instances; may be empty. Aggregates come last.
    pub instances: Instances,
    /// Time of each sample, ascending.
    pub times: Vec<SampleTime>,
    /// Seconds since the object's sample before, per sample; `None` where there is none.
    pub interval_s: Vec<Option<f64>>,
    /// Per instance: whether it is in the object's sample before the first of this stretch. (From the second
    /// sample on, every instance is in the sample before.)
    pub continued: Vec<bool>,
    /// The columns asked for, in the order of the object's counters. Bases, and counters that aren't to be
    /// shown, have none unless raw values are asked for.
    pub columns: Vec<CookedColumn>,
    /// The raw samples, if raw values are asked for; same samples and counters, and the same instances less the
    /// aggregates behind them, which have no raw values.
    pub raw: Option<Arc<Run>>,
}

/// The cooked values of one counter.
#[derive(Clone, Debug)]
pub struct CookedColumn {
    /// Index of the counter in `object.counters`.
    pub counter: usize,
    /// One value per cell; 0.0, meaning nothing, where the status isn't [`Status::Ok`].
    pub values: Vec<f64>,
    /// One status per cell; `None`: all are [`Status::Ok`].
    pub status: Option<Vec<Status>>,
    /// Which instances have this counter at all; `None`: all. Cells of the others aren't rows of any table.
    pub covers: Option<Arc<[bool]>>,
}

impl Cooked {
    /// Number of samples.
    pub fn num_samples(&self) -> usize {
        self.times.len()
    }

    /// Number of cells per column.
    pub fn num_cells(&self) -> usize {
        self.times.len() * self.instances.len()
    }

    /// Leaves out the first samples, with what raw values there are.
    pub fn skip_samples(mut self, num: usize) -> Cooked {
        let num = num.min(self.num_samples());
        if num == 0 {
            return self;
        }
        let num_cells = num * self.instances.len();
        self.times.drain(..num);
        self.interval_s.drain(..num);
        self.continued.fill(true);
        for column in &mut self.columns {
            column.values.drain(..num_cells);
            column.status.as_mut().map(|status| status.drain(..num_cells));
        }
        Cooked { raw: None, ..self }
    }

    /// Seconds from the instance's sample before to this one; `None` if the sample before hasn't got it.
    pub fn interval_of(&self, sample: usize, instance: usize) -> Option<f64> {
        if sample == 0 && !self.continued[instance] { None } else { self.interval_s[sample] }
    }
}

impl CookedColumn {
    /// Status of a cell.
    pub fn status_at(&self, cell: usize) -> Status {
        self.status.as_ref().map_or(Status::Ok, |all| all[cell])
    }

    /// Value of a cell, if there is one.
    pub fn value_at(&self, cell: usize) -> Option<f64> {
        (self.status_at(cell) == Status::Ok).then(|| self.values[cell])
    }

    /// Whether an instance has this counter.
    pub fn covers(&self, instance: usize) -> bool {
        self.covers.as_ref().is_none_or(|covers| covers[instance])
    }
}
