//! The answer: what is unusual, and compared with what.

use serde::Serialize;

use crate::moved::{Interval, local_times};
use crate::report::{AgainstBaseline, Noted};

/// What a baseline says of a counter. Values are means of five minutes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Usual {
    /// The least.
    pub least: f64,
    /// The quantiles are within the error of the sketch: 1 % and more of their value (`formats/baseline.md`).
    pub p05: f64,
    /// The median.
    pub p50: f64,
    /// Of 20 values, 19 are smaller.
    pub p95: f64,
    /// The largest.
    pub most: f64,
    /// The hour of the week that these values are of, from 0, which is the hour after midnight of Sunday, local time. `None`: of all
    /// hours.
    pub hour_of_week: Option<u8>,
    /// In how many weeks this hour is known.
    pub weeks: Option<usize>,
}

/// A counter that was beyond everything in the baseline. Values are in its unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unusual {
    /// In one sentence.
    pub headline: String,
    /// From 0 to 1: how far it was beyond, for people.
    pub score: f64,
    /// Machine; empty if unknown.
    pub host: String,
    /// Performance object.
    pub object: String,
    /// Instance, as shown.
    pub instance: Option<String>,
    /// Counter.
    pub counter: String,
    /// Unit; may be empty.
    pub unit: &'static str,
    /// The five minutes of which this is said; UTC.
    #[serde(flatten)]
    pub time: Interval,
    /// Whether it was above everything.
    pub is_up: bool,
    /// Its mean in this time.
    pub mean: f64,
    /// Of its means of five minutes, the furthest from what is usual.
    pub extreme: f64,
    /// How many times further from the median it was than the furthest value known; `None` if that is the median.
    pub times_further: Option<f64>,
    /// What is usual.
    pub usual: Usual,
}

/// A capture compared with a baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The machines of the baseline.
    pub hosts: Vec<String>,
    /// Its captures.
    pub captures: u64,
    /// Their samples.
    pub samples: u64,
    /// The hours that it knows of all machines.
    pub hours: f64,
    /// How many counters could be compared.
    pub num_compared: usize,
    /// Counters of the capture that the baseline doesn't have. Those of processes aren't counted.
    pub num_unknown: usize,
    /// Counters of which the baseline knows too little.
    pub num_few: usize,
    /// Counters that were beyond everything, the furthest first.
    pub unusual: Vec<Unusual>,
    /// What it was compared with, in one sentence.
    pub against: String,
    /// What limits the answer.
    pub notes: Vec<String>,
    /// A sentence for each time, the furthest first.
    #[serde(skip)]
    pub sentences: Vec<Noted>,
}

impl Compared {
    /// For a report. Times are UTC, or local times without `Z` if the zone is unknown.
    pub fn for_report(&self, is_zone_unknown: bool) -> AgainstBaseline {
        let mut json = serde_json::json!(self);
        if is_zone_unknown {
            local_times(&mut json);
        }
        AgainstBaseline {
            unusual: self.sentences.clone(),
            against: self.against.clone(),
            notes: self.notes.clone(),
            json,
        }
    }
}
