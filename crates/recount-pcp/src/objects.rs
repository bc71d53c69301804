//! Makes objects of metrics: those with one prefix and one instance domain that are in the same records.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use recount_model::{CounterDef, CounterType, ObjectDef, Second, Timer, Width};

use crate::canonical::Who;
use crate::meta::{Meta, Metric};
use crate::names::split;
use crate::rounds::Rounds;
use crate::spaces::Space;
use crate::starts::has_starts;
use crate::sum::Sum;
use crate::units::Factor;
use crate::value::MetricReading;

const BULK_COUNT: CounterType = CounterType(0x1041_0500);
const LARGE_RAWCOUNT: CounterType = CounterType(0x0001_0100);

/// An object, or one of its lists of counters if it has several that are sampled at different times.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) object: Arc<ObjectDef>,
    /// Its instance domain; `None`: it has no instances.
    pub(crate) domain: Option<u32>,
    /// If only one instance of the metrics is read, its number.
    pub(crate) only: Option<i32>,
    /// The metrics from which it is read.
    pub(crate) inputs: Vec<usize>,
    /// How each counter is read.
    pub(crate) columns: Vec<ColumnPlan>,
    pub(crate) who: Who,
    /// The input, a text, that names the instances.
    pub(crate) named_by: Option<usize>,
    pub(crate) spaces: Vec<Space>,
}

/// How a column is filled.
#[derive(Clone, Debug)]
pub(crate) struct ColumnPlan {
    pub(crate) value: ValueSource,
    pub(crate) second: Second,
}

/// Where raw values come from.
#[derive(Clone, Debug)]
pub(crate) enum ValueSource {
    /// A metric, by its index among the stream's.
    Metric(usize, MetricReading),
    Sum(Sum),
}

impl ValueSource {
    /// The metrics that it needs, by their indices among the stream's.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = usize> {
        let (one, sum) = match self {
            ValueSource::Metric(input, _) => (Some(*input), None),
            ValueSource::Sum(sum) => (None, Some(sum)),
        };
        one.into_iter().chain(sum.into_iter().flat_map(|sum| sum.terms.iter().map(|term| term.input)))
    }
}

/// All streams, and the uses of each metric: streams, and its indices among their inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams {
    pub(crate) streams: Vec<Stream>,
    pub(crate) places: Vec<Vec<(usize, usize)>>,
}

impl Streams {
    /// `has_values`: which metrics have a value somewhere.
    pub(crate) fn new(meta: &Meta, has_values: &[bool], rounds: &Rounds) -> Streams {
        let classes = classes(meta, has_values, rounds.metrics());
        let mut of_class: HashMap<usize, usize> = HashMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (metric, class) in classes.iter().enumerate() {
            let Some(class) = class else { continue };
            let at = *of_class.entry(*class).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[at].push(metric);
        }
        let mut all = Streams { streams: Vec::new(), places: vec![Vec::new(); meta.metrics.len()] };
        let mut numbers = Numbers::default();
        for metrics in members {
            let first = &meta.metrics[metrics[0]];
            let kinds: Vec<usize> = rounds.having(&metrics).collect();
            let digests: Vec<u64> = rounds.digests(&kinds).collect();
            let number = numbers.of(split(first.name()).0, (first.domain, digests));
            all.add(Stream::new(meta, metrics, number));
        }
        all
    }

    pub(crate) fn add(&mut self, stream: Stream) {
        for (input, &metric) in stream.inputs.iter().enumerate() {
            self.places[metric].push((self.streams.len(), input));
        }
        self.streams.push(stream);
    }
}

/// The numbers of the lists of counters. Other parts of a recording have the same number for counters that are in the same records, whichever of them
/// have values.
#[derive(Default)]
pub(crate) struct Numbers<'a>(HashSet<(&'a str, u32)>);

impl<'a> Numbers<'a> {
    /// A number by what tells a list from the others of an object.
    pub(crate) fn of(&mut self, object: &'a str, list: impl Hash) -> u32 {
        let mut digest = DefaultHasher::new();
        list.hash(&mut digest);
        let mut number = digest.finish() as u32;
        // Within an archive, each list has its own.
        while !self.0.insert((object, number)) {
            number = number.wrapping_add(1);
        }
        number
    }
}

/// A class per numeric metric. Metrics of one class are always in the same records, so they share a clock; their
/// object and instances are the same.
fn classes(meta: &Meta, has_values: &[bool], shapes: &[Vec<u32>]) -> Vec<Option<usize>> {
    let mut objects: BTreeMap<(&str, Option<u32>), usize> = BTreeMap::new();
    let mut classes: Vec<Option<usize>> = Vec::with_capacity(meta.metrics.len());
    for (metric, has_values) in meta.metrics.iter().zip(has_values) {
        let next = objects.len();
        let is_wanted = *has_values && metric.value_type.is_number();
        classes
            .push(is_wanted.then(|| *objects.entry((split(metric.name()).0, metric.domain)).or_insert(next)));
    }
    let mut num_classes = objects.len();
    for shape in shapes {
        // Separates metrics of a class that are in records of this shape from those that aren't.
        let mut parted: HashMap<usize, usize> = HashMap::new();
        for &metric in shape {
            let Some(class) = &mut classes[metric as usize] else { continue };
            *class = *parted.entry(*class).or_insert_with(|| {
                num_classes += 1;
                num_classes - 1
            });
        }
    }
    classes
}

impl Stream {
    fn new(meta: &Meta, inputs: Vec<usize>, stream: u32) -> Stream {
        let metrics: Vec<&Metric> = inputs.iter().map(|metric| &meta.metrics[*metric]).collect();
        let name = metrics.first().map_or("", |metric| split(metric.name()).0);
        let domain = metrics.first().and_then(|metric| metric.domain);
        let read = |(input, metric): (usize, &&Metric)| {
            let (def, reading) = counter(meta, metric);
            // A value of one sample has no clock.
            let second = def.time_base.map_or(Second::None, |_| Second::Clock(Timer::Tick));
            (def, ColumnPlan { value: ValueSource::Metric(input, reading), second })
        };
        let (counters, columns): (Vec<CounterDef>, _) = metrics.iter().enumerate().map(read).unzip();
        let spaces = Space::all(meta, &inputs, &counters);
        let object = ObjectDef {
            name: name.into(),
            help: domain.and_then(|domain| meta.help_of_domain(domain).cloned()),
            instanced: domain.is_some(),
            counters,
            stream,
            counts_from_start: has_starts(meta, domain),
            ..ObjectDef::default()
        };
        Stream {
            object: Arc::new(object),
            domain,
            only: None,
            inputs,
            columns,
            who: Who::Themselves,
            named_by: None,
            spaces,
        }
    }
}

/// For a counter, the clock's ticks per second are chosen so that the rate is in base units; other values are converted
/// to base units when they are read.
fn counter(meta: &Meta, metric: &Metric) -> (CounterDef, MetricReading) {
    let factor = metric.units.factor();
    let ticks = factor.unwrap_or(Factor::ONE).ticks_per_second().filter(|_| metric.is_counter);
    let on_reading = factor.filter(|factor| *factor != Factor::ONE && ticks.is_none());
    let reading = MetricReading::new(metric.value_type, on_reading);
    let is_known = factor.is_some();
    let unit = metric.units.shown(metric.is_counter).filter(|_| is_known);
    let help = meta.help_of_metric(metric.pmid).cloned();
    let def = CounterDef {
        name: split(metric.name()).1.into(),
        help: help.filter(|help| !help.is_empty()),
        counter_type: Some(if metric.is_counter { BULK_COUNT } else { LARGE_RAWCOUNT }),
        len_value: metric.value_type.len(),
        number: reading.number(),
        unit: Some(unit.unwrap_or("")),
        time_base: metric.is_counter.then(|| ticks.unwrap_or(1_000_000_000)),
        width: Some(Width::Large),
        ..CounterDef::default()
    };
    (def, reading)
}
