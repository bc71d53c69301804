//! The answer: which counters changed, when, and by how much.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, TimestampNanosecondArray, UInt64Array,
};
use recount_model::{Health, Timestamp};
use serde::Serialize;

use super::fit::ValueStretch;
use crate::moved::Interval;
use crate::report::CaptureFacts;
use crate::{Answer, AnswerError};

/// Change points of captures.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The changes, the largest first.
    pub changes: Vec<Change>,
    /// How many series were looked at.
    pub num_series: usize,
    /// How many of them never change, or have too few values.
    pub num_still: usize,
    /// Samples per value, if the capture has more than were compared.
    pub bin_samples: usize,
    /// What could not be read.
    pub health: Health,
    /// The capture.
    pub facts: CaptureFacts,
}

/// How a counter changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// To a higher level.
    Rose,
    /// To a lower level.
    Fell,
    /// It rises since then, or faster, or falls less.
    Up,
    /// It falls since then, or faster, or rises less.
    Down,
}

impl ChangeKind {
    /// As a word: `rose`, `fell`, `up` or `down`.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Rose => "rose",
            ChangeKind::Fell => "fell",
            ChangeKind::Up => "up",
            ChangeKind::Down => "down",
        }
    }
}

/// A change of one counter. Values are in its unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Machine; empty if unknown.
    pub host: String,
    /// Performance object.
    pub object: String,
    /// Instance, as shown.
    pub instance: Option<String>,
    /// Id of a process or thread.
    pub instance_id: Option<u64>,
    /// Counter.
    pub counter: String,
    /// Unit; may be empty.
    pub unit: &'static str,
    /// What happened.
    pub kind: ChangeKind,
    /// Where the first value after it begins, if it happened at the likeliest place.
    #[serde(skip)]
    pub at: Timestamp,
    /// When: the earliest and the latest time.
    pub time: Interval,
    /// Whether no other value fits nearly as well.
    pub is_exact: bool,
    /// Whether it is known to the sample, and not only to a mean of many.
    #[serde(skip)]
    pub is_of_few: bool,
    /// When the next change of this counter happened; `None`: it lasts until the end.
    pub until: Option<Interval>,
    /// Where the first value after that begins.
    #[serde(skip)]
    pub until_at: Option<Timestamp>,
    /// The median of the values between the change before it and this one; of a steady rise or fall, its value at this change; of an
    /// unsteady one the median of its last five values.
    pub before: f64,
    /// The median of the values until the next change; of a steady rise or fall its value at this change or, if the change is that it
    /// begins, its value at its end.
    pub after: f64,
    /// Per hour, after the change; 0 for a level.
    pub slope_per_hour: f64,
    /// The size of the change, in units of the noise.
    pub effect: f64,
    /// Of such a change by chance, corrected for the number of counters.
    pub probability: f64,
    /// From 0 to 1: how large the change is for people.
    pub score: f64,
    /// Whether it goes back to what was before the previous change.
    pub is_return: bool,
    /// The last mark of the ten minutes before it, and how many seconds it was before.
    pub after_mark: Option<(String, f64)>,
    /// What the counter did before and after.
    #[serde(skip)]
    pub(super) stretches: (ValueStretch, ValueStretch),
    /// In one sentence.
    pub headline: String,
}

/// The changes as a table, a row each.
pub fn changes_table(changes: &[Change]) -> Result<Answer, AnswerError> {
    let texts = |name: &'static str, of: fn(&Change) -> Option<&str>| -> (&'static str, ArrayRef) {
        (name, Arc::new(changes.iter().map(of).collect::<StringArray>()))
    };
    let numbers = |name: &'static str, of: fn(&Change) -> f64| -> (&'static str, ArrayRef) {
        (name, Arc::new(changes.iter().map(|change| Some(of(change))).collect::<Float64Array>()))
    };
    let times = |name: &'static str, of: fn(&Change) -> Option<Timestamp>| -> (&'static str, ArrayRef) {
        let nanos = changes.iter().map(|change| of(change).and_then(Timestamp::unix_nanos));
        (name, Arc::new(nanos.collect::<TimestampNanosecondArray>().with_timezone("UTC")))
    };
    let ids = changes.iter().map(|change| change.instance_id).collect::<UInt64Array>();
    let returns = changes.iter().map(|change| Some(change.is_return)).collect::<BooleanArray>();
    let columns = [
        times("time", |change| Some(change.at)),
        times("earliest", |change| Some(change.time.begin)),
        times("latest", |change| Some(change.time.end)),
        times("until", |change| change.until_at),
        texts("host", |change| Some(&*change.host).filter(|host| !host.is_empty())),
        texts("object", |change| Some(&change.object)),
        texts("instance", |change| change.instance.as_deref()),
        ("instance_id", Arc::new(ids) as ArrayRef),
        texts("counter", |change| Some(&change.counter)),
        texts("unit", |change| Some(change.unit)),
        texts("change", |change| Some(change.kind.as_str())),
        numbers("before", |change| change.before),
        numbers("after", |change| change.after),
        numbers("slope_per_hour", |change| change.slope_per_hour),
        numbers("effect", |change| change.effect),
        numbers("probability", |change| change.probability),
        numbers("score", |change| change.score),
        ("is_return", Arc::new(returns) as ArrayRef),
        texts("after_mark", |change| change.after_mark.as_ref().map(|(text, _)| text.as_str())),
        texts("headline", |change| Some(&change.headline)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))?.try_into()
}
