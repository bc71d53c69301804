//! The second pass: the records of each sample.

use std::collections::HashMap;

use recount_bytes::FormatError;
use recount_model::{Run, SampleTime, Selection};

use super::cells::{RawCell, cell, recipe};
use super::layout::{ColumnLayout, ListLayout};
use super::scan::number;
use super::view::{CounterView, Earlier, RunView};
use super::whole::{self, WholeView};
use crate::structure::record::{INVALID_DATA, NO_COUNTER, NO_INSTANCE, NO_OBJECT};
use crate::write::{InstanceValue, RecordBuf};

/// Creates the records of samples.
pub struct ListRecords<'l> {
    layout: &'l ListLayout,
    selection: Selection,
    /// Per capture.
    earlier: HashMap<usize, Earlier>,
    num_repeated: u64,
    num_differing: u64,
    num_unfit: u64,
}

impl<'l> ListRecords<'l> {
    /// With the same selection as the scan.
    pub fn new(layout: &'l ListLayout, selection: Selection) -> ListRecords<'l> {
        let earlier = HashMap::new();
        ListRecords { layout, selection, earlier, num_repeated: 0, num_differing: 0, num_unfit: 0 }
    }

    /// Begins an epoch: the following runs aren't compared with earlier ones.
    pub fn begin_epoch(&mut self) {
        self.earlier.clear();
    }

    /// How many values were left out because the sample already had the same counter of the same instance: a log may
    /// contain an object as a whole, and also some of its counters by name.
    pub fn num_repeated(&self) -> u64 {
        self.num_repeated
    }

    /// How many values were left out because another capture has a different one at the same time.
    pub fn num_differing(&self) -> u64 {
        self.num_differing
    }

    /// How many values a record can't express: they are marked as invalid.
    pub fn num_unfit(&self) -> u64 {
        self.num_unfit
    }

    /// Creates the records of every sample, in order, from the runs of these samples, and passes them on with
    /// the number of the sample in `times`, which must be ascending and have the offset of the log's stamps. The runs are
    /// those of each capture that has the samples, with its number; they must come in the same order as for the scan.
    pub fn push<E>(
        &mut self,
        times: &[SampleTime],
        runs: &[(usize, Vec<Run>)],
        mut each: impl FnMut(usize, &[RecordBuf]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut views, mut wholes) = (Vec::new(), Vec::new());
        for (capture, run) in
            runs.iter().flat_map(|(capture, runs)| runs.iter().map(move |run| (*capture, run)))
        {
            let Some(object) = self.layout.object_of(run) else { continue };
            let view = self.earlier.entry(capture).or_default().view(run, object, &self.selection);
            let numbers: Vec<u64> = run.clocks.time.iter().map(|time| number(times, *time)).collect();
            if self.layout.objects[object].whole.entry.is_some() {
                let names = self.layout.names.of(&run.host);
                let find = |wanted, name: &str| names.and_then(|names| names.find(wanted, name));
                wholes.extend(WholeView::new(&view, find).map(|whole| (object, numbers, whole)));
                continue;
            }
            self.num_unfit += view.num_unfit;
            let places = places(self.layout, object, run);
            views.push(RunPart { capture, object, view, numbers, places });
        }
        times.iter().enumerate().try_for_each(|(at, time)| {
            let mut records = vec![None; self.layout.num_entries];
            self.whole_objects((at as u64, *time), &wholes, &mut records);
            each(at, &self.sample(at as u64, &views, records))
        })
    }

    /// The records of whole objects: their runs come with the object, and with their samples by number.
    fn whole_objects(
        &self,
        (number, time): (u64, SampleTime),
        parts: &[(usize, Vec<u64>, WholeView<'_>)],
        records: &mut [Option<RecordBuf>],
    ) {
        // Only a block of 4 GiB or more would fail, and the scan has read all of them back.
        let record = |block: Result<Vec<u8>, FormatError>| Some(RecordBuf::Object(block.unwrap_or_default()));
        for (object, numbers, part) in parts {
            let entry = self.layout.objects[*object].whole.entry;
            if let (Some(entry), Ok(sample)) = (entry, numbers.binary_search(&number)) {
                records[entry] = record(part.block(sample, time.local()));
            }
        }
        for object in &self.layout.objects {
            if let Some(entry) = object.whole.entry.filter(|entry| records[*entry].is_none()) {
                records[entry] = record(whole::without_object(&object.host, time.utc, time.local()));
            }
        }
    }

    fn sample(
        &mut self,
        number: u64,
        parts: &[RunPart<'_>],
        mut records: Vec<Option<RecordBuf>>,
    ) -> Vec<RecordBuf> {
        let mut is_there = vec![false; self.layout.objects.len()];
        for part in parts {
            let Ok(sample) = part.numbers.binary_search(&number) else { continue };
            let object = &self.layout.objects[part.object];
            is_there[part.object] = true;
            for counter in &part.view.counters {
                let def = &part.view.run.object.counters[counter.counter];
                let column = recipe(def).and_then(|(word, _)| object.column_of(&def.name, word));
                let Some(column) = column.map(|at| &object.columns[at]) else { continue };
                if column.is_wildcard {
                    records[column.first_entry] = Some(part.instances(counter, sample));
                } else {
                    let (num_same, num_differing) = part.singles(counter, column, sample, &mut records);
                    if part.capture == 0 {
                        self.num_repeated += num_same + num_differing;
                    } else {
                        self.num_differing += num_differing;
                    }
                }
            }
        }
        self.fill(records, &is_there)
    }

    /// Gives every entry without a record the reason.
    fn fill(&self, records: Vec<Option<RecordBuf>>, is_there: &[bool]) -> Vec<RecordBuf> {
        let mut records = records;
        let objects = self.layout.objects.iter().zip(is_there);
        for (object, is_there) in objects.filter(|(object, _)| object.whole.entry.is_none()) {
            for column in &object.columns {
                let has_counter = is_taken(column, &records);
                let status = match (is_there, has_counter) {
                    (false, _) => NO_OBJECT,
                    (true, false) => NO_COUNTER,
                    (true, true) => NO_INSTANCE,
                };
                if column.is_wildcard {
                    let absent = || RecordBuf::Instances { status, values: Vec::new() };
                    records[column.first_entry].get_or_insert_with(absent);
                }
                for entry in column.entries.iter().flatten() {
                    records[*entry].get_or_insert(RecordBuf::Single {
                        status,
                        first: 0,
                        second: 0,
                        multi: 1,
                    });
                }
            }
        }
        records.into_iter().flatten().collect()
    }
}

/// Whether the sample has records of the column.
fn is_taken(column: &ColumnLayout, records: &[Option<RecordBuf>]) -> bool {
    if column.is_wildcard {
        return records[column.first_entry].is_some();
    }
    column.entries.iter().flatten().any(|entry| records[*entry].is_some())
}

/// The index, in the layout, of each instance of a run.
fn places(layout: &ListLayout, object: usize, run: &Run) -> Vec<Option<usize>> {
    let object = &layout.objects[object];
    run.instances.iter().map(|instance| object.find_instance(instance, run.object.instanced)).collect()
}

/// A run of the samples.
struct RunPart<'r> {
    capture: usize,
    object: usize,
    view: RunView<'r>,
    /// Its samples, by number.
    numbers: Vec<u64>,
    places: Vec<Option<usize>>,
}

impl RunPart<'_> {
    /// A counter of all instances. Its cells are either all bad or all good; otherwise it would not fit into
    /// one record.
    fn instances(&self, counter: &CounterView, sample: usize) -> RecordBuf {
        let run = self.view.run;
        let value = |&at: &u32| {
            let RawCell { first, second, .. } = cell(run, counter.counter, sample, at as usize);
            InstanceValue { name: run.instances[at as usize].name.to_string(), first, second }
        };
        let is_bad = |at: &u32| self.view.bad.contains(&(counter.counter as u32, sample as u32, *at));
        let status = if counter.instances.iter().any(is_bad) { INVALID_DATA } else { 0 };
        RecordBuf::Instances { status, values: counter.instances.iter().map(value).collect() }
    }

    /// A counter of each instance by itself. Returns how many the sample has already, with the same values and with others.
    fn singles(
        &self,
        counter: &CounterView,
        column: &ColumnLayout,
        sample: usize,
        records: &mut [Option<RecordBuf>],
    ) -> (u64, u64) {
        let (mut num_same, mut num_differing) = (0, 0);
        for &at in &counter.instances {
            let place = self.places[at as usize];
            let Some(entry) = place.and_then(|place| column.entries.get(place).copied().flatten()) else {
                continue;
            };
            let is_bad = self.view.bad.contains(&(counter.counter as u32, sample as u32, at));
            let RawCell { first, second, multi } = cell(self.view.run, counter.counter, sample, at as usize);
            let status = if is_bad { INVALID_DATA } else { 0 };
            let record = RecordBuf::Single { status, first, second, multi };
            let known = records[entry].as_ref();
            // A missing value contradicts nothing.
            let is_missing = matches!(known, None | Some(RecordBuf::Single { status: INVALID_DATA, .. }));
            if known.is_some_and(|known| is_bad || *known == record) {
                num_same += 1;
            } else if is_missing {
                records[entry] = Some(record);
            } else {
                num_differing += 1;
            }
        }
        (num_same, num_differing)
    }
}
