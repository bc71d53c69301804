//! Newest value and minimum, mean and maximum of every counter: for `recount show`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use recount_compute::{CookOptions, Cooked, PipelineOptions, Progress, run};
use recount_model::{Health, Instance, Selection, Status};
use serde::Serialize;

use crate::catalogue::counter_path;
use crate::{Capture, Span, inputs};

/// One counter of one instance, over all samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesSummary {
    /// The path, as PDH writes it.
    pub path: String,
    /// Unit of the values.
    pub unit: String,
    /// The newest value, if the newest sample has one.
    pub newest: Option<f64>,
    /// Why it has none.
    pub newest_status: &'static str,
    /// Smallest value.
    pub min: Option<f64>,
    /// Mean of the values, each counting the same.
    pub mean: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Samples with a value.
    pub num_values: u64,
    /// Samples without.
    pub num_nulls: u64,
}

/// Cooks the captures and sums up every selected series, in order of appearance.
pub fn show(
    captures: &[Capture],
    span: &Span,
    selection: &Selection,
    progress: &(dyn Fn(Progress) + Sync),
) -> (Vec<SeriesSummary>, Health) {
    let mut table = Table::default();
    let cook = CookOptions { selection: selection.clone(), ..CookOptions::default() };
    let options = PipelineOptions { cook, ..PipelineOptions::default() };
    let done = run(&inputs(captures, span), &options, |batch, step| {
        for cooked in &batch {
            table.add(cooked, 0);
        }
        progress(step);
        Ok::<(), Infallible>(())
    });
    let health = done.unwrap_or_else(|never| match never {});
    (table.finish(), health)
}

type Key = (Arc<str>, Arc<str>, Option<(Arc<str>, Option<Arc<str>>, u32)>, Arc<str>);

/// The series, in order of appearance.
#[derive(Default)]
pub(crate) struct Table {
    series: Vec<Series>,
    by_key: HashMap<Key, usize>,
}

struct Series {
    path: String,
    unit: &'static str,
    newest: Option<f64>,
    newest_status: Status,
    min: f64,
    max: f64,
    sum: f64,
    num_values: u64,
    num_nulls: u64,
}

impl Table {
    /// Adds samples from one on.
    pub(crate) fn add(&mut self, cooked: &Cooked, first: usize) {
        if first >= cooked.num_samples() {
            return;
        }
        let num_instances = cooked.instances.len();
        for column in &cooked.columns {
            let counter = &cooked.object.counters[column.counter];
            for (at, instance) in cooked.instances.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                let shown = cooked.object.instanced.then_some(instance);
                let series = self.series_of(cooked, shown, &counter.name, counter.unit());
                let cells = (first..cooked.num_samples()).map(|sample| sample * num_instances + at);
                cells.for_each(|cell| series.add(column.value_at(cell), column.status_at(cell)));
            }
        }
    }

    /// Adds what another table holds of later samples.
    pub(crate) fn merge(&mut self, later: Table) {
        let mut keys: Vec<(Key, usize)> = later.by_key.into_iter().collect();
        // In order of appearance.
        keys.sort_unstable_by_key(|(_, index)| *index);
        for ((key, _), series) in keys.into_iter().zip(later.series) {
            if let Some(&index) = self.by_key.get(&key) {
                self.series[index].merge(&series);
            } else {
                self.by_key.insert(key, self.series.len());
                self.series.push(series);
            }
        }
    }

    /// The series as they are now.
    pub(crate) fn finish(&self) -> Vec<SeriesSummary> {
        self.series.iter().map(Series::finish).collect()
    }

    fn series_of(
        &mut self,
        cooked: &Cooked,
        instance: Option<&Instance>,
        counter: &Arc<str>,
        unit: &'static str,
    ) -> &mut Series {
        let place = instance.map(|i| (Arc::clone(&i.name), i.parent.clone(), i.ordinal));
        let key = (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name), place, Arc::clone(counter));
        let index = *self.by_key.entry(key).or_insert_with(|| {
            let path = counter_path(&cooked.host, &cooked.object.name, instance, counter).to_string();
            self.series.push(Series::new(path, unit));
            self.series.len() - 1
        });
        &mut self.series[index]
    }
}

impl Series {
    fn new(path: String, unit: &'static str) -> Series {
        Series {
            path,
            unit,
            newest: None,
            newest_status: Status::Ok,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            sum: 0.0,
            num_values: 0,
            num_nulls: 0,
        }
    }

    fn add(&mut self, value: Option<f64>, status: Status) {
        (self.newest, self.newest_status) = (value, status);
        match value {
            Some(value) => {
                self.min = self.min.min(value);
                self.max = self.max.max(value);
                self.sum += value;
                self.num_values += 1;
            }
            None => self.num_nulls += 1,
        }
    }

    fn merge(&mut self, later: &Series) {
        (self.newest, self.newest_status) = (later.newest, later.newest_status);
        self.min = self.min.min(later.min);
        self.max = self.max.max(later.max);
        self.sum += later.sum;
        self.num_values += later.num_values;
        self.num_nulls += later.num_nulls;
    }

    fn finish(&self) -> SeriesSummary {
        let any = |value: f64| (self.num_values > 0).then_some(value);
        SeriesSummary {
            path: self.path.clone(),
            unit: self.unit.to_owned(),
            newest: self.newest,
            newest_status: self.newest_status.as_str(),
            min: any(self.min),
            mean: any(self.sum / self.num_values as f64),
            max: any(self.max),
            num_values: self.num_values,
            num_nulls: self.num_nulls,
        }
    }
}
