//! The figures of a series.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{CounterPath, Instance, Status, Timestamp};
use serde::{Serialize, Serializer};

/// Number of reasons for missing values.
pub const NUM_REASONS: usize = Status::REASONS.len();

/// Missing values by reason, in the order of [`Status::REASONS`].
pub type Nulls = [u64; NUM_REASONS];

/// Figures of one counter of one group of instances, over the whole capture or a stretch of it.
///
/// Values are in the counter's unit. Figures that need more values than there are, are `None`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatsRow {
    /// Machine; `None` if unknown, or if machines aren't distinguished.
    pub host: Option<Arc<str>>,
    /// Performance object.
    pub object: Arc<str>,
    /// Instance, as shown; `None` for objects without instances, or if instances aren't distinguished.
    pub instance: Option<Arc<str>>,
    /// Id of the process or thread, if the capture has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<u64>,
    /// Whether several instances had this name, in succession, and the capture doesn't tell them apart.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_shared: bool,
    /// Counter.
    pub counter: Arc<str>,
    /// Unit; may be empty.
    pub unit: &'static str,
    /// Begin of the stretch, if the capture was cut into stretches.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub bucket: Option<Timestamp>,
    /// Values.
    pub count: u64,
    /// Values that are missing.
    #[serde(serialize_with = "by_reason")]
    pub nulls: Nulls,
    /// Smallest value.
    pub min: Option<f64>,
    /// Mean over time: each value counts as long as its interval.
    pub mean: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Standard deviation of the values, each counting the same (n - 1).
    pub std: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// Slope of the least-squares line, per hour.
    pub trend_per_hour: Option<f64>,
    /// Earliest value.
    pub first: Option<f64>,
    /// Latest value.
    pub last: Option<f64>,
}

impl StatsRow {
    /// The path, as PDH writes it.
    pub fn path(&self) -> CounterPath {
        let instance = self.instance.as_deref().map(Instance::from_shown);
        CounterPath::of(
            self.host.as_deref().unwrap_or_default(),
            &self.object,
            instance.as_ref(),
            &self.counter,
        )
    }

    /// Number of missing values, for any reason.
    pub fn num_nulls(&self) -> u64 {
        self.nulls.iter().sum()
    }
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn as_text<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&time.unwrap_or_default())
}

/// `{"first-sample": 1}`: the reasons that occur.
fn by_reason<S: Serializer>(nulls: &Nulls, serializer: S) -> Result<S::Ok, S::Error> {
    reasons(nulls).collect::<BTreeMap<&str, u64>>().serialize(serializer)
}

/// The reasons that occur, with their counts.
pub fn reasons(nulls: &Nulls) -> impl Iterator<Item = (&'static str, u64)> {
    let named = Status::REASONS.iter().map(|status| status.as_str());
    named.zip(nulls.iter().copied()).filter(|(_, count)| *count > 0)
}
