//! The first pass: which entries are needed.

use std::collections::HashMap;

use recount_model::{Run, Selection};

use super::cells::{recipe, time_base};
use super::layout::{ColumnLayout, ListLayout, ObjectLayout, object_key};
use super::view::{Earlier, RunView};
use super::whole::WholeView;

/// Collects the entries of a counter list from runs.
pub struct ListScan {
    selection: Selection,
    layout: ListLayout,
    /// Per capture.
    earlier: HashMap<usize, Earlier>,
    /// Samples before those of the next runs.
    num_samples: u64,
}

impl ListScan {
    /// A scan of the selected counters, and of those that distinguish their instances (`ID Process`, start
    /// times).
    pub fn new(selection: Selection) -> ListScan {
        ListScan { selection, layout: ListLayout::default(), earlier: HashMap::new(), num_samples: 0 }
    }

    /// Begins an epoch: the following runs aren't compared with earlier ones.
    pub fn begin_epoch(&mut self) {
        self.earlier.clear();
    }

    /// Adds the runs of the next `times.len()` samples, whose times must be ascending: those of each capture that has them,
    /// with its number.
    pub fn push(&mut self, times: &[recount_model::SampleTime], runs: &[(usize, Vec<Run>)]) {
        for (capture, run) in
            runs.iter().flat_map(|(capture, runs)| runs.iter().map(move |run| (*capture, run)))
        {
            let at = self.layout.object_of(run).unwrap_or_else(|| {
                self.layout.objects.push(ObjectLayout::new(run));
                self.layout.by_name.insert(object_key(run), self.layout.objects.len() - 1);
                self.layout.objects.len() - 1
            });
            let view = self.earlier.entry(capture).or_default().view(run, at, &self.selection);
            let numbers: Vec<u64> =
                run.clocks.time.iter().map(|time| self.num_samples + number(times, *time)).collect();
            let object = &mut self.layout.objects[at];
            take(object, &view, &numbers);
            object.note_samples(run, &numbers);
            if !object.whole.is_unfit {
                let names = self.layout.names.of_mut(&run.host);
                let whole = WholeView::new(&view, |wanted, name| names.add(wanted, name));
                object.whole.is_unfit = !whole.is_some_and(|whole| whole.reads_back(names.table()));
            }
        }
        self.num_samples += times.len() as u64;
    }

    /// The layout.
    pub fn finish(mut self) -> ListLayout {
        self.layout.number_entries();
        self.layout
    }
}

/// The number of a sample, found by time.
pub(super) fn number(times: &[recount_model::SampleTime], time: recount_model::SampleTime) -> u64 {
    times.partition_point(|other| other.utc < time.utc) as u64
}

fn take(object: &mut ObjectLayout, view: &RunView<'_>, numbers: &[u64]) {
    let run = view.run;
    let places: Vec<usize> =
        run.instances.iter().map(|instance| object.add_instance(instance, run.object.instanced)).collect();
    let num_instances = object.instances.len();
    for counter in &view.counters {
        let def = &run.object.counters[counter.counter];
        let Some((word, recipe)) = recipe(def) else { continue };
        let key = (def.name.to_lowercase(), word.0);
        let at = *object.by_counter.entry(key).or_insert_with(|| {
            object.columns.push(ColumnLayout {
                name: def.name.to_string(),
                counter_type: word,
                rates: Vec::new(),
                is_wildcard: run.object.instanced,
                last_sample: None,
                covered: Vec::new(),
                first_entry: 0,
                entries: Vec::new(),
            });
            object.columns.len() - 1
        });
        let column = &mut object.columns[at];
        // Two runs may have the same counter in one sample: of other instances, or of the same.
        let is_shared =
            column.last_sample.is_some_and(|last| numbers.first().is_some_and(|first| *first <= last));
        column.is_wildcard &= counter.fits_one_record && !is_shared;
        column.last_sample = column.last_sample.max(numbers.last().copied());
        column.covered.resize(num_instances, false);
        for &instance in &counter.instances {
            column.covered[places[instance as usize]] = true;
        }
        for (sample, &number) in numbers.iter().enumerate() {
            let rate = time_base(run, counter.counter, recipe, sample);
            let is_news = column.rates.last().is_none_or(|(_, known, scale)| {
                (recipe.formula.needs_frequency() && *known != rate) || *scale != def.default_scale
            });
            if is_news {
                column.rates.push((number, rate, def.default_scale));
            }
        }
        if column.rates.is_empty() {
            column.rates.push((0, 0, def.default_scale));
        }
    }
}
