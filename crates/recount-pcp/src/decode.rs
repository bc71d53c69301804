//! Decodes records into runs.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recount_model::{
    CellFault, Column, Decoded, Health, Instance, Instances, RunBuilder, SampleTime, Selection, Timestamp,
    number_namesakes,
};

use crate::archive::Archive;
use crate::canonical::Who;
use crate::meta::note;
use crate::names::NamesNow;
use crate::objects::{ColumnPlan, Stream, ValueSource};
use crate::order::Order;
use crate::row::{InstanceRow, PlacedSet, is_same};
use crate::starts::StartSet;
use crate::structure::{DataRecord, Frame};

/// Decodes samples in sequence.
pub(crate) struct Decoder<'a> {
    archive: &'a Archive,
    /// Per stream; `None`: not selected.
    drafts: Vec<Option<PendingRuns<'a>>>,
    names: HashMap<u32, NamesNow>,
    metrics: Order,
    /// The streams of which the current record has sets.
    touched: Vec<usize>,
    health: Health,
}

/// The runs of a stream.
struct PendingRuns<'a> {
    stream: &'a Stream,
    builder: RunBuilder,
    /// The state with which the open run began.
    open: OpenInstances,
    /// Whether the current record has sets of the stream.
    is_touched: bool,
    /// These sets, by metric.
    sets: Vec<Option<PlacedSet<'a>>>,
    /// The instances of the current record.
    numbers: Vec<i32>,
    /// Their names, if they come from a text in the record.
    texts: Vec<String>,
    /// When they began, if they are processes whose record says it.
    starts: Vec<Option<Timestamp>>,
    /// Per counter: which instances have it; `None`: all.
    covers: Vec<Option<Arc<[bool]>>>,
}

#[derive(Default)]
struct OpenInstances {
    epoch: u32,
    numbers: Vec<i32>,
    texts: Vec<String>,
    starts: Vec<Option<Timestamp>>,
    covers: Vec<Option<Arc<[bool]>>>,
    /// Number of records of the domain from which the names are taken.
    num_domain_records: usize,
    /// Whether they are unknown.
    is_unknown: bool,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(archive: &'a Archive, selection: &Selection, num_samples: usize) -> Decoder<'a> {
        let draft = |stream: &'a Stream| {
            selection.may_match_object(&archive.host, &stream.object.name).then(|| PendingRuns {
                stream,
                builder: RunBuilder::new(num_samples),
                open: OpenInstances::default(),
                is_touched: false,
                sets: vec![None; stream.inputs.len()],
                numbers: Vec::new(),
                texts: Vec::new(),
                starts: Vec::new(),
                covers: Vec::new(),
            })
        };
        Decoder {
            archive,
            drafts: archive.streams.streams.iter().map(draft).collect(),
            names: HashMap::new(),
            metrics: Order::default(),
            touched: Vec::new(),
            health: Health::default(),
        }
    }

    /// Adds the next sample.
    pub(crate) fn push(&mut self, sample: usize) {
        let archive = self.archive;
        let (Some(place), Some(&time)) = (archive.records.get(sample), archive.opened.times.get(sample))
        else {
            return;
        };
        let Some(volume) = archive.volumes.get(place.volume) else { return };
        let frame = Frame::at(volume.content.bytes(), place.ofs, DataRecord::NAME);
        let record = match frame.and_then(|frame| DataRecord::parse(archive.meta.version(), frame)) {
            Ok(record) => record,
            Err(error) => return note(&mut self.health, &volume.file, &error),
        };
        self.touched.clear();
        // Damaged sets were reported on opening.
        let mut starts: Vec<StartSet<'_>> = Vec::new();
        for (number, set) in record.sets().map_while(Result::ok).enumerate() {
            let Some(metric) = self.metrics.metric(&archive.meta, number, set.pmid) else { continue };
            starts.extend(archive.starts.in_set(metric, set, place.epoch));
            for &(stream, input) in &archive.streams.places[metric] {
                let Some(draft) = &mut self.drafts[stream] else { continue };
                if !std::mem::replace(&mut draft.is_touched, true) {
                    self.touched.push(stream);
                }
                draft.sets[input].get_or_insert(PlacedSet { set, is_placed: false });
            }
        }
        let touched = std::mem::take(&mut self.touched);
        for &stream in &touched {
            if let Some(draft) = &mut self.drafts[stream] {
                draft.push(
                    archive,
                    &record,
                    &starts,
                    place.epoch,
                    time,
                    &mut self.names,
                    &mut self.health,
                    &volume.file,
                );
                draft.sets.fill(None);
                draft.is_touched = false;
            }
        }
        self.touched = touched;
    }

    pub(crate) fn finish(self) -> Decoded {
        let runs = self.drafts.into_iter().flatten().flat_map(|draft| draft.builder.finish()).collect();
        Decoded { runs, health: self.health, ..Decoded::default() }
    }
}

impl PendingRuns<'_> {
    #[expect(clippy::too_many_arguments, reason = "what a sample is made of")]
    fn push(
        &mut self,
        archive: &Archive,
        record: &DataRecord<'_>,
        starts: &[StartSet<'_>],
        epoch: u32,
        time: SampleTime,
        names: &mut HashMap<u32, NamesNow>,
        health: &mut Health,
        file: &str,
    ) {
        if self.sets.iter().any(Option::is_none) {
            // The stream combines several metrics, and this record has only some of them.
            return;
        }
        self.find_instances();
        self.find_texts(record);
        self.find_starts(record, starts);
        self.find_covers();
        self.go_on(archive, record, epoch, names);
        let PendingRuns { stream, builder, sets, numbers, .. } = self;
        let mut faults = Vec::new();
        builder.append(|run, sample| {
            run.clocks.time.push(time);
            run.clocks.perf_time.push(record.time.0);
            run.clocks.perf_freq.push(1_000_000_000);
            for (counter, (column, plan)) in run.columns.iter_mut().zip(&stream.columns).enumerate() {
                let start = column.first.len();
                column.first.resize(start + numbers.len(), 0);
                let cells = &mut column.first[start..];
                let fault = |instance: usize| {
                    faults.push(CellFault {
                        sample: sample as u32,
                        counter: counter as u32,
                        instance: instance as u32,
                    });
                };
                let is_single = stream.domain.is_none() && stream.only.is_none();
                let row = InstanceRow { record, numbers, is_single };
                match &plan.value {
                    ValueSource::Metric(input, reading) => {
                        let name = archive.meta.metrics[stream.inputs[*input]].name();
                        if let Err(error) = row.metric(cells, sets[*input], *reading, name, fault) {
                            note(health, file, &error);
                        }
                    }
                    ValueSource::Sum(sum) => row.sum(cells, sets, sum, fault),
                }
            }
            let is_single = stream.domain.is_none() && stream.only.is_none();
            for space in &stream.spaces {
                space.impossible(&InstanceRow { record, numbers, is_single }, sets, |counter, instance| {
                    faults.push(CellFault {
                        sample: sample as u32,
                        counter: counter as u32,
                        instance: instance as u32,
                    });
                });
            }
            run.faults.append(&mut faults);
        });
    }

    /// The instances of all sets, ascending by their numbers. Without a domain there is one, whatever its number.
    fn find_instances(&mut self) {
        self.numbers.clear();
        let sets = || self.sets.iter().flatten().map(|placed| &placed.set);
        if let Some(only) = self.stream.only {
            if sets().any(|set| set.cells().any(|(number, _)| number == only)) {
                self.numbers.push(only);
            }
            return;
        }
        if self.stream.domain.is_none() {
            if sets().any(|set| set.count != 0) {
                self.numbers.push(-1);
            }
            return;
        }
        for PlacedSet { set, .. } in self.sets.iter().flatten() {
            if !is_same(&self.numbers, set) {
                self.numbers.extend(set.cells().map(|(number, _)| number));
            }
        }
        if !self.numbers.is_sorted_by(|a, b| a < b) {
            self.numbers.sort_unstable();
            self.numbers.dedup();
        }
    }

    /// Keeps the instances that the text names.
    fn find_texts(&mut self, record: &DataRecord<'_>) {
        let Some(PlacedSet { set, .. }) = self.stream.named_by.and_then(|input| self.sets[input]) else {
            return;
        };
        let text = |word: u32| Some(crate::structure::text(record.block(word)?.value));
        let named = set.cells().filter_map(|(number, word)| Some((number, text(word)?)));
        let named: BTreeMap<i32, String> = named.filter(|(_, text)| !text.is_empty()).collect();
        self.numbers.retain(|number| named.contains_key(number));
        self.texts = self.numbers.iter().filter_map(|number| named.get(number).cloned()).collect();
    }

    /// When the instances began.
    fn find_starts(&mut self, record: &DataRecord<'_>, starts: &[StartSet<'_>]) {
        let of_domain = starts.iter().find(|starts| Some(starts.domain()) == self.stream.domain);
        let row = InstanceRow { record, numbers: &self.numbers, is_single: false };
        self.starts = of_domain.map(|starts| starts.of(&row)).unwrap_or_default();
    }

    /// Finds out which sets have which instances.
    fn find_covers(&mut self) {
        let numbers = &self.numbers;
        let is_single = self.stream.domain.is_none();
        for placed in self.sets.iter_mut().flatten() {
            placed.is_placed = is_same(numbers, &placed.set);
        }
        let has_all = |placed: &PlacedSet<'_>| {
            placed.set.count < 0 || placed.is_placed || (is_single && placed.set.count > 0)
        };
        self.covers.clear();
        if self.sets.iter().flatten().all(has_all) {
            return self.covers.resize(self.stream.columns.len(), None);
        }
        let covers = |placed: &Option<PlacedSet<'_>>| {
            let placed = placed.as_ref().filter(|placed| !has_all(placed))?;
            let mut covers = vec![false; numbers.len()];
            for at in placed.set.cells().filter_map(|(number, _)| numbers.binary_search(&number).ok()) {
                covers[at] = true;
            }
            covers.contains(&false).then(|| covers.into())
        };
        let of_inputs: Vec<Option<Arc<[bool]>>> = self.sets.iter().map(covers).collect();
        let of_column = |plan: &ColumnPlan| {
            let both = |one: Arc<[bool]>, other: Arc<[bool]>| {
                one.iter().zip(&*other).map(|(one, other)| *one && *other).collect()
            };
            plan.value.inputs().filter_map(|input| of_inputs[input].clone()).reduce(both)
        };
        self.covers = self.stream.columns.iter().map(of_column).collect();
    }

    /// Makes sure that the open run fits the current record.
    fn go_on(
        &mut self,
        archive: &Archive,
        record: &DataRecord<'_>,
        epoch: u32,
        names: &mut HashMap<u32, NamesNow>,
    ) {
        let domain = self.stream.domain.and_then(|id| Some((id, archive.meta.domain(id)?)));
        let num_domain_records = domain.map_or(0, |(_, domain)| domain.known_at(record.time));
        let is_unknown = domain.is_some_and(|(_, domain)| domain.is_unknown_at(record.time));
        let open = &self.open;
        let is_open = self.builder.open().is_some()
            && open.epoch == epoch
            && open.numbers == self.numbers
            && open.texts == self.texts
            && open.starts == self.starts
            && open.covers == self.covers;
        if is_open && (open.num_domain_records, open.is_unknown) == (num_domain_records, is_unknown) {
            return;
        }
        let who = self.stream.who;
        let instances: Instances = match (self.stream.domain, domain) {
            (None, _) => self.numbers.iter().map(|_| single(who)).collect(),
            (Some(_), _) if self.stream.named_by.is_some() => named(&self.numbers, &self.texts),
            (Some(_), Some(_)) if is_unknown => unknown(&self.numbers, who),
            (Some(_), None) => instances((&self.numbers, &self.starts), &NamesNow::default(), who),
            (Some(_), Some((id, domain))) => {
                let names = names.entry(id).or_default();
                names.go_to(&archive.meta, domain, record.time);
                instances((&self.numbers, &self.starts), names, who)
            }
        };
        let is_open = is_open && self.builder.open().is_some_and(|run| run.instances == instances);
        self.open = OpenInstances {
            epoch,
            numbers: self.numbers.clone(),
            texts: self.texts.clone(),
            starts: self.starts.clone(),
            covers: self.covers.clone(),
            num_domain_records,
            is_unknown,
        };
        if is_open {
            return;
        }
        let column = |(covers, plan): (&Option<Arc<[bool]>>, &ColumnPlan)| Column {
            second: plan.second.clone(),
            covers: covers.clone(),
            ..Column::default()
        };
        let columns: Vec<Column> = self.covers.iter().zip(&self.stream.columns).map(column).collect();
        self.builder.begin(&archive.host, &self.stream.object, instances, columns);
    }
}

/// Instances by number, and when they began if that is known.
fn instances((numbers, starts): (&[i32], &[Option<Timestamp>]), names: &NamesNow, who: Who) -> Instances {
    let instance = |(at, &number): (usize, &i32)| Instance {
        id: Some(u64::from(number as u32)),
        start: starts.get(at).copied().flatten(),
        ..Instance::named(who.shown(&names.name(number)))
    };
    let mut instances: Vec<Instance> = numbers.iter().enumerate().map(instance).collect();
    number_namesakes(&mut instances);
    instances.into()
}

/// Instances whose names are lost. Without an id, they aren't those that have the same number at other times.
fn unknown(numbers: &[i32], who: Who) -> Instances {
    let names = NamesNow::default();
    numbers.iter().map(|number| Instance::named(who.shown(&names.name(*number)))).collect()
}

/// Instances that are named by a text.
fn named(numbers: &[i32], texts: &[String]) -> Instances {
    let instance = |(&number, text): (&i32, &String)| Instance {
        id: Some(u64::from(number as u32)),
        ..Instance::named(text.as_str())
    };
    let mut instances: Vec<Instance> = numbers.iter().zip(texts).map(instance).collect();
    number_namesakes(&mut instances);
    instances.into()
}

/// The instance for metrics without a domain.
fn single(who: Who) -> Instance {
    if who == Who::Total { Instance::named("_Total") } else { Instance::unnamed() }
}
