//! Extracts the values of single series from decoded stretches.

use std::collections::HashMap;
use std::sync::Arc;

use recount_analysis::roster::{Grouping, Placed, Roster};
use recount_analysis::shown::task_id;
use recount_compute::Cooked;
use recount_model::Status;
use recount_tables::batches::RawColumn;

use super::name::SeriesName;

/// Values of a series, by time. Samples without the series are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cells {
    /// 100 ns.
    pub(crate) times: Vec<i64>,
    pub(crate) values: Vec<f64>,
    /// Seconds since the previous sample; 0 if there is none.
    pub(crate) weights: Vec<f64>,
    pub(crate) status: Vec<Status>,
    /// The process of each value, where the source has their ids.
    pub(crate) ids: Vec<Option<u64>>,
    /// Raw values and bases, if requested.
    pub(crate) raw: Option<RawCells>,
}

/// Raw values of a series: those of the counter, and those of its clock or base.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RawCells {
    pub(crate) first: Vec<Option<u64>>,
    pub(crate) second: Vec<Option<u64>>,
}

impl Cells {
    pub(crate) fn len_bytes(&self) -> usize {
        let per_cell = 8 + 8 + 8 + 1 + 16 + if self.raw.is_some() { 32 } else { 0 };
        self.times.capacity() * per_cell + size_of::<Cells>()
    }

    pub(crate) fn value_at(&self, at: usize) -> Option<f64> {
        self.status[at].has_value().then(|| self.values[at])
    }

    /// Sorts by time: streams of one object may overlap.
    fn sort(&mut self) {
        if self.times.is_sorted() {
            return;
        }
        let mut order: Vec<usize> = (0..self.times.len()).collect();
        order.sort_by_key(|at| self.times[*at]);
        *self = self.arranged(&order);
    }

    /// The cells at some places.
    fn arranged(&self, order: &[usize]) -> Cells {
        Cells {
            times: arranged(&self.times, order),
            values: arranged(&self.values, order),
            weights: arranged(&self.weights, order),
            status: arranged(&self.status, order),
            ids: arranged(&self.ids, order),
            raw: self.raw.as_ref().map(|raw| RawCells {
                first: arranged(&raw.first, order),
                second: arranged(&raw.second, order),
            }),
        }
    }

    /// The cells of a range.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> Cells {
        Cells {
            times: self.times[range.clone()].to_vec(),
            values: self.values[range.clone()].to_vec(),
            weights: self.weights[range.clone()].to_vec(),
            status: self.status[range.clone()].to_vec(),
            ids: self.ids[range.clone()].to_vec(),
            raw: self.raw.as_ref().map(|raw| RawCells {
                first: raw.first[range.clone()].to_vec(),
                second: raw.second[range].to_vec(),
            }),
        }
    }
}

fn arranged<T: Copy>(all: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|at| all[*at]).collect()
}

/// Collects the cells of some series.
pub(crate) struct Gatherer<'a> {
    names: &'a [Arc<SeriesName>],
    cells: Vec<Cells>,
    roster: Roster,
    /// Per object of the roster: series by counter and slot.
    wanted: Vec<WantedSeries>,
}

#[derive(Default)]
struct WantedSeries {
    num_instances: usize,
    by_slot: HashMap<u32, Vec<usize>>,
}

impl<'a> Gatherer<'a> {
    pub(crate) fn new(names: &'a [Arc<SeriesName>], with_raw: bool) -> Gatherer<'a> {
        let empty = || Cells { raw: with_raw.then(RawCells::default), ..Cells::default() };
        Gatherer {
            names,
            cells: names.iter().map(|_| empty()).collect(),
            roster: Roster::new(Grouping::default()),
            wanted: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, batch: &[Cooked]) {
        let placed = self.roster.place(batch);
        self.wanted.resize_with(self.roster.objects().len(), WantedSeries::default);
        for placed in &placed {
            self.learn(placed.object);
            self.take(placed);
        }
    }

    pub(crate) fn finish(mut self) -> Vec<Cells> {
        self.cells.iter_mut().for_each(Cells::sort);
        self.cells
    }

    /// Examines the new instances.
    fn learn(&mut self, object: usize) {
        let (entry, wanted) = (&self.roster.objects()[object], &mut self.wanted[object]);
        for (slot, instance) in entry.instances.iter().enumerate().skip(wanted.num_instances) {
            let is_it = |name: &Arc<SeriesName>| {
                *name.host == *entry.host && *name.object == *entry.name && name.instance == instance.shown
            };
            let names = self.names.iter().enumerate().filter(|(_, name)| is_it(name)).map(|(at, _)| at);
            let names: Vec<usize> = names.collect();
            if !names.is_empty() {
                wanted.by_slot.insert(slot as u32, names);
            }
        }
        wanted.num_instances = entry.instances.len();
    }

    fn take(&mut self, placed: &Placed<'_>) {
        let (entry, wanted) = (&self.roster.objects()[placed.object], &self.wanted[placed.object]);
        let cooked = placed.cooked;
        for (at, slot) in placed.slots.iter().enumerate() {
            for &series in wanted.by_slot.get(slot).into_iter().flatten() {
                let name = &self.names[series];
                let is_it = |counter: &u32| *entry.counters[*counter as usize].name == *name.counter;
                let Some(column) = placed.counters.iter().position(is_it) else { continue };
                if cooked.columns[column].covers(at) {
                    push(&mut self.cells[series], cooked, column, at);
                }
            }
        }
    }
}

fn push(cells: &mut Cells, cooked: &Cooked, column: usize, at: usize) {
    let column = &cooked.columns[column];
    let raw = cells.raw.is_some().then(|| RawColumn::new(cooked, column.counter)).flatten();
    for sample in 0..cooked.num_samples() {
        let cell = sample * cooked.instances.len() + at;
        cells.times.push(cooked.times[sample].utc.0);
        cells.values.push(column.values[cell]);
        cells.weights.push(cooked.weight_of(sample, at));
        cells.status.push(column.status_at(cell));
        cells.ids.push(task_id(&cooked.object.name, Some(&cooked.instances[at])));
        if let Some(kept) = &mut cells.raw {
            kept.first.push(raw.as_ref().and_then(|raw| raw.first(cell)));
            kept.second.push(raw.as_ref().and_then(|raw| raw.second(cell)));
        }
    }
}
