//! Series from which first charts are chosen, and the charts made of them.

use recount_model::{Instance, Pattern};

use crate::roster::ObjectEntry;
use crate::shown::unit_of;

/// Maximum series per chart.
pub const MAX_SERIES: usize = 8;

/// A series that may be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Machine; empty if unknown.
    pub host: &'a str,
    /// Performance object.
    pub object: &'a str,
    /// Instance; `None` for an object without instances.
    pub instance: Option<&'a Instance>,
    /// Counter.
    pub counter: &'a str,
    /// Unit of its cooked values.
    pub unit: &'static str,
    /// Sum of its values, as far as they are known: the larger, the sooner it is drawn.
    pub weight: f64,
    /// Its smallest value, as far as they are known.
    pub min: Option<f64>,
    /// Its largest value, as far as they are known.
    pub max: Option<f64>,
}

/// A chart of candidates, by their places.
#[derive(Clone, Debug, PartialEq)]
pub struct Charted {
    /// Title; empty for a chart of one counter, which says it all.
    pub title: &'static str,
    /// Unit, as shown.
    pub unit: &'static str,
    /// What it draws.
    pub series: Vec<usize>,
    /// What it leaves out.
    pub note: Option<String>,
}

impl<'a> Candidate<'a> {
    /// The series of an object with an instance and a counter by their places, its weight, and its smallest and largest value.
    pub fn new(
        object: &'a ObjectEntry,
        (instance, counter): (usize, usize),
        weight: f64,
        [min, max]: [Option<f64>; 2],
    ) -> Candidate<'a> {
        let counter = &object.counters[counter];
        Candidate {
            host: &object.host,
            object: &object.name,
            instance: object.instances[instance].instance.as_ref(),
            counter: &counter.name,
            unit: counter.unit,
            weight,
            min,
            max,
        }
    }

    pub(crate) fn matches(&self, pattern: &Pattern) -> bool {
        pattern.matches(self.host, self.object, self.instance, self.counter)
    }

    /// The share of its height over which it moves; 0 if it is constant.
    pub(super) fn spread(&self) -> f64 {
        let (Some(min), Some(max)) = (self.min, self.max) else { return 0.0 };
        let height = min.abs().max(max.abs());
        // Halves: the difference of two large numbers of opposite signs may be infinite.
        let share = (max / 2.0 - min / 2.0) / height;
        if height > 0.0 && share.is_finite() { share } else { 0.0 }
    }

    pub(super) fn is_of_counter(&self, other: &Candidate<'_>) -> bool {
        (self.host, self.object, self.counter) == (other.host, other.object, other.counter)
    }

    pub(super) fn shown_unit(&self) -> &'static str {
        unit_of(self.counter, self.unit)
    }
}
