//! The answer: what moves with a counter.

use recount_model::Health;
use serde::Serialize;

use crate::report::CaptureFacts;

/// What moves with a counter.
#[derive(Clone, Debug, Serialize)]
pub struct Companions {
    /// The path of the counter.
    pub target: String,
    /// The counters that move with it, the closest first.
    pub companions: Vec<Companion>,
    /// How many counters were compared with it.
    pub num_series: usize,
    /// The path of the counter that stands for the machine's load; `None` if there is none, or it is the target.
    pub load: Option<String>,
    /// Seconds per value, if all counters are compared; those that move with it are then compared sample by sample.
    pub step_s: f64,
    /// How many values of a counter were compared at first, at most.
    pub num_values: usize,
    /// How many samples each of these is the mean of.
    pub bin_samples: usize,
    /// What could not be read.
    #[serde(skip)]
    pub health: Health,
    /// The capture.
    #[serde(skip)]
    pub facts: CaptureFacts,
}

/// A counter that moves with the target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Companion {
    /// Its path.
    pub path: String,
    /// As people call it.
    pub label: String,
    /// Correlation of the ranks of differences, from -1 to 1.
    pub correlation: f64,
    /// What is left of it beyond the machine's load; `None` if that isn't known.
    pub partial: Option<f64>,
    /// Seconds that it is behind the target; negative: it moves first.
    pub lag_s: f64,
    /// The least and the largest delay that fit nearly as well. At the limit of the delays that are tried, it may be more.
    pub lags_s: (f64, f64),
    /// The longest delay that was tried.
    pub longest_s: f64,
    /// Seconds per value that it was compared by.
    pub value_s: f64,
    /// Of such a correlation by chance, corrected for the number of counters.
    pub probability: f64,
    /// Whether it only stands out while the target is at its peaks.
    pub only_at_peaks: bool,
    /// Its median while the target is at its peaks, and otherwise, in its unit.
    pub at_peaks: Option<(f64, f64)>,
    /// Its unit; may be empty.
    pub unit: &'static str,
    /// In one sentence.
    pub headline: String,
}
