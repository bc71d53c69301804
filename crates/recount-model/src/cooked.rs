//! Cooked columns: the output of the arithmetic, and the input of every table writer.

use std::sync::Arc;

use crate::{Instances, ObjectDef, Run, SampleTime, Status, Texts};

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
    /// Instance table. An object without instances has one unnamed instance. May be empty. Aggregates come
    /// last.
    pub instances: Instances,
    /// Time of each sample, ascending.
    pub times: Vec<SampleTime>,
    /// Seconds since the object's previous sample, per sample; `None` if there is no previous sample.
    pub interval_s: Vec<Option<f64>>,
    /// The samples, ascending, whose interval is a gap: nobody sampled meanwhile. A source leaves this and `first_s` empty, unless the capture
    /// states both: the pipeline finds them by the times of all samples.
    pub gaps: Vec<u32>,
    /// Per sample, how much a value that has no interval counts in a mean, in seconds: [`Cooked::weight_of`].
    pub first_s: Vec<f64>,
    /// Per instance: whether it also appears in the object's last sample before this stretch, or began later and counts
    /// from zero ([`Status::SinceStart`]). (From the second sample on, every instance is in the previous sample.)
    pub continued: Vec<bool>,
    /// The requested columns, in the order of the object's counters. Bases and counters that aren't to be
    /// shown have no column unless raw values are requested.
    pub columns: Vec<CookedColumn>,
    /// The raw samples, if raw values are requested: the same samples and counters, and the same instances
    /// except the aggregates at the end, which have no raw values.
    pub raw: Option<Arc<Run>>,
}

/// The cooked values of one counter.
#[derive(Clone, Debug)]
pub struct CookedColumn {
    /// Index of the counter in `object.counters`.
    pub counter: usize,
    /// One value per cell. Cells without a value, by their [`Status::has_value`], hold a meaningless 0.0.
    pub values: Vec<f64>,
    /// One status per cell; `None` if all are [`Status::Ok`].
    pub status: Option<Vec<Status>>,
    /// Which instances have this counter; `None` if all do. Cells of the others don't appear in any table.
    pub covers: Option<Arc<[bool]>>,
    /// One text per cell of a counter of type TEXT, whose cells have no value; `None` for all others.
    pub texts: Option<Texts>,
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

    /// Seconds from the previous sample to this one; `None` if there is nothing before that its values
    /// could be compared with: see [`Cooked::continued`].
    pub fn interval_of(&self, sample: usize, instance: usize) -> Option<f64> {
        if sample == 0 && !self.continued[instance] { None } else { self.interval_s[sample] }
    }

    /// Whether nobody sampled during the interval of a sample.
    pub fn is_gap(&self, sample: usize) -> bool {
        self.gaps.binary_search(&(sample as u32)).is_ok()
    }

    /// How much the values of a sample count in a mean over time, in seconds (`formats/rules.md#means`): as long as their interval, if it isn't a
    /// gap. What has none counts as long as an interval is as a rule.
    pub fn weight_of(&self, sample: usize, instance: usize) -> f64 {
        match self.interval_of(sample, instance) {
            Some(_) if self.is_gap(sample) => 0.0,
            Some(interval) => interval,
            None => self.first_s.get(sample).copied().unwrap_or(0.0),
        }
    }
}

impl CookedColumn {
    /// Status of a cell.
    pub fn status_at(&self, cell: usize) -> Status {
        self.status.as_ref().map_or(Status::Ok, |all| all[cell])
    }

    /// Value of a cell, if there is one.
    pub fn value_at(&self, cell: usize) -> Option<f64> {
        self.status_at(cell).has_value().then(|| self.values[cell])
    }

    /// Text of a cell, if there is one.
    pub fn text_at(&self, cell: usize) -> Option<&Arc<str>> {
        self.texts.as_ref()?.get(cell)?.as_ref()
    }

    /// Whether an instance has this counter.
    pub fn covers(&self, instance: usize) -> bool {
        self.covers.as_ref().is_none_or(|covers| covers[instance])
    }
}
