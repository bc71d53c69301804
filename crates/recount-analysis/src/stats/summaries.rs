//! Short figures for `recount show`, also for a capture that is still being recorded.

use recount_compute::Cooked;
use recount_model::{CounterPath, Instance, NumberStyle, Timestamp};
use recount_tables::processes::Descriptions;
use serde::Serialize;

use super::parts::Parts;
use super::series::Series;
use super::{SeriesId, Tally};
use crate::roster::{Grouping, InstanceGrouping, Roster};
use crate::shown::{short, task_id};

/// One counter of one instance, over all samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesSummary {
    /// The path, as PDH writes it.
    pub path: String,
    /// Id of the process or thread, if the capture has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<u64>,
    /// The process as people know it, if the capture says who it is: `python3 train.py (pid 1224, ml.service)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub described: Option<String>,
    /// Whether several instances had its name, in succession, and the capture doesn't tell them apart.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_shared: bool,
    /// Unit of the values.
    pub unit: String,
    /// The newest value, if the newest sample has one.
    pub newest: Option<f64>,
    /// Why it has no value, or what kind of value it is.
    pub newest_status: &'static str,
    /// Its text, if it has one instead of a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_text: Option<String>,
    /// How its values are shown.
    #[serde(skip)]
    pub style: NumberStyle,
    /// Smallest value.
    pub min: Option<f64>,
    /// Mean over time: each value counts as long as its interval.
    pub mean: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Samples with a value.
    pub num_values: u64,
    /// Samples without a value.
    pub num_nulls: u64,
    /// Values of a total that are too small: a member ended in their interval.
    #[serde(skip_serializing_if = "is_zero")]
    pub num_hidden: u64,
    /// The largest value of each of equal parts of the time, if they were asked for.
    #[serde(skip)]
    pub parts: Vec<Option<f64>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
fn is_zero(num: &u64) -> bool {
    *num == 0
}

/// The summaries of every series so far.
#[derive(Debug)]
pub struct Summaries {
    roster: Roster,
    tally: Tally,
    parts: Parts,
}

impl Default for Summaries {
    fn default() -> Self {
        Summaries::with_parts((Timestamp::default(), Timestamp::default()), 0)
    }
}

impl Summaries {
    /// Summaries that also say the largest value of each of `num` equal parts of the time from the first sample to the last.
    pub fn with_parts(span: (Timestamp, Timestamp), num: usize) -> Summaries {
        Summaries {
            roster: Roster::new(Grouping { instances: InstanceGrouping::Tasks, ..Grouping::default() }),
            tally: Tally::new(None),
            parts: Parts::new(span, num),
        }
    }

    /// Adds the next batch of the pipeline.
    pub fn add(&mut self, batch: &[Cooked]) {
        let placed = self.roster.place(batch);
        // Percentiles aren't needed, so no values are kept.
        self.tally.add(&placed, &|_| false);
        self.parts.add(&placed);
    }

    /// The summaries, by object, instance and counter, each in order of appearance.
    pub fn rows(&self) -> Vec<SeriesSummary> {
        let mut met: Vec<(SeriesId, &Series)> =
            self.tally.series().filter(|(_, series)| series.is_met()).collect();
        met.sort_unstable_by_key(|(id, _)| *id);
        met.into_iter().map(|(id, series)| self.row(id, series)).collect()
    }

    /// The same, with who the processes are.
    pub fn rows_with(&self, known: &Descriptions) -> Vec<SeriesSummary> {
        let mut rows = self.rows();
        if known.is_empty() {
            return rows;
        }
        let mut met: Vec<SeriesId> =
            self.tally.series().filter(|(_, series)| series.is_met()).map(|(id, _)| id).collect();
        met.sort_unstable();
        for (row, id) in rows.iter_mut().zip(met) {
            row.described = self.described(id, known);
        }
        rows
    }

    fn described(&self, id: SeriesId, known: &Descriptions) -> Option<String> {
        let entry = &self.roster.objects()[id.object as usize];
        let of_processes = entry.instances.get(id.instance as usize).filter(|_| *entry.name == *"Process");
        let instance = of_processes?.instance.as_ref()?;
        known.find(&entry.host, instance, Timestamp(i64::MAX))?;
        Some(short(&known.shown(&entry.host, instance, Timestamp(i64::MAX))))
    }

    fn row(&self, id: SeriesId, series: &Series) -> SeriesSummary {
        let entry = &self.roster.objects()[id.object as usize];
        let moments = &series.moments;
        let any = |value: f64| (moments.count > 0).then_some(value);
        let instance = entry.instances.get(id.instance as usize);
        let shown = instance.and_then(|entry| entry.shown.as_deref()).map(Instance::from_shown);
        let counter = &entry.counters[id.counter as usize].name;
        SeriesSummary {
            path: CounterPath::of(&entry.host, &entry.name, shown.as_ref(), counter).to_string(),
            instance_id: instance.and_then(|of| task_id(&entry.name, of.instance.as_ref())),
            described: None,
            is_shared: instance.is_some_and(|entry| entry.is_shared),
            unit: entry.counters[id.counter as usize].unit.to_owned(),
            newest: series.last.map(|(_, value)| value).filter(|_| series.newest.has_value()),
            newest_status: series.newest.as_str(),
            newest_text: series.newest_text.as_deref().map(str::to_owned),
            style: entry.counters[id.counter as usize].style,
            min: any(moments.min),
            mean: moments.mean(),
            max: any(moments.max),
            num_values: moments.count,
            num_nulls: series.nulls.iter().sum(),
            num_hidden: series.num_hidden,
            parts: self.parts.of(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use recount_compute::CookedColumn;
    use recount_model::{CounterDef, ObjectDef, SampleTime, Status, Timestamp};

    use super::*;

    fn cooked(seconds: &[i64], values: &[f64], status: Option<Vec<Status>>) -> Cooked {
        let time = |s: &i64| SampleTime { utc: Timestamp(s * Timestamp::TICKS_PER_SECOND), offset_min: 0 };
        let counter = CounterDef { name: "Things".into(), ..CounterDef::default() };
        Cooked {
            host: "WEB1".into(),
            object: Arc::new(ObjectDef {
                name: "Set".into(),
                instanced: true,
                counters: vec![counter],
                ..ObjectDef::default()
            }),
            instances: vec![Instance::from_shown("a#1")].into(),
            times: seconds.iter().map(time).collect(),
            // After 1, 3 and 6 seconds.
            gaps: Vec::new(),
            first_s: Vec::new(),
            interval_s: seconds.iter().map(|s| (*s > 0).then_some(*s as f64)).collect(),
            continued: vec![seconds[0] > 0],
            columns: vec![CookedColumn {
                counter: 0,
                values: values.to_vec(),
                status,
                covers: None,
                texts: None,
            }],
            raw: None,
        }
    }

    #[test]
    fn the_mean_is_over_time_and_the_newest_sample_counts() {
        let mut summaries = Summaries::default();
        summaries.add(&[cooked(&[0, 1, 3], &[100.0, 8.0, 4.0], None)]);
        let row = &summaries.rows()[0];
        assert_eq!((row.path.as_str(), row.num_values, row.num_nulls), (r"\\WEB1\Set(a#1)\Things", 3, 0));
        // (8 * 1 + 4 * 3) / 4: the first value has no interval.
        assert_eq!((row.min, row.mean, row.max, row.newest), (Some(4.0), Some(5.0), Some(100.0), Some(4.0)));
        summaries.add(&[cooked(&[6], &[0.0], Some(vec![Status::NoOperations]))]);
        let row = &summaries.rows()[0];
        assert_eq!((row.newest, row.newest_status), (None, "no-operations"));
        assert_eq!((row.mean, row.num_values, row.num_nulls), (Some(5.0), 3, 1));
    }

    /// Two captures may have a counter at one time, one of them without a value, and come in any order.
    #[test]
    fn of_the_newest_time_a_value_counts() {
        let value = || cooked(&[0, 3], &[1.0, 4.0], None);
        let missing = || cooked(&[3], &[0.0], Some(vec![Status::FirstSample]));
        let earlier = || cooked(&[1, 2], &[0.0, 2.0], Some(vec![Status::FirstSample, Status::Ok]));
        for all in [
            [value(), missing(), earlier()],
            [earlier(), missing(), value()],
            [missing(), value(), earlier()],
        ] {
            let mut summaries = Summaries::default();
            for one in all {
                summaries.add(&[one]);
            }
            let row = &summaries.rows()[0];
            assert_eq!((row.newest, row.newest_status), (Some(4.0), "ok"));
        }
    }

    #[test]
    fn parts_have_the_largest_values() {
        let span = (Timestamp(0), Timestamp(9 * Timestamp::TICKS_PER_SECOND));
        let mut summaries = Summaries::with_parts(span, 5);
        summaries.add(&[cooked(&[0, 1, 3], &[100.0, 8.0, 4.0], None)]);
        let missing = Some(vec![Status::Ok, Status::NoOperations, Status::Ok]);
        summaries.add(&[cooked(&[6, 8, 9], &[-3.0, 0.0, -1.0], missing)]);
        let parts = summaries.rows().remove(0).parts;
        assert_eq!(parts, [Some(100.0), Some(4.0), None, Some(-3.0), Some(-1.0)]);
    }
}
